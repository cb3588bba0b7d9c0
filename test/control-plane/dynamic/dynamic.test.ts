/** Dynamic provisioning and deletion, against the library that CSI provisioners are made of. */
import { describeField } from '../field/describe-field.ts';
import type { Provisioner } from '../harness.ts';
import { failures } from './failures.ts';
import { lifecycle } from './lifecycle.ts';
import { policies } from './policies.ts';
import { provisionerName } from './scene.ts';

let provisioner: Provisioner;

describeField(
  'dynamic provisioning',
  {
    prepare: async (plane) => {
      provisioner = await plane.startProvisioner({ name: provisionerName });
    },
  },
  (scenario) => {
    for (const section of [lifecycle, failures, policies]) section(scenario, () => provisioner);
  },
);
