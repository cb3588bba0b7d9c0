/** B9: volumes and claims of in-tree plugins that are migrated to CSI drivers. */
import { expect } from 'vitest';
import {
  BETA_STORAGE_PROVISIONER,
  IN_TREE_FINALIZER,
  MIGRATED_TO,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
} from '../../../lib/controller/annotations.ts';
import type { Scenario } from './describe-field.ts';
import { refTo } from './states.ts';
import { asked } from './told.ts';

const ebs = { hostPath: undefined, awsElasticBlockStore: { volumeID: 'vol-1' } };
const gcePd = { hostPath: undefined, gcePersistentDisk: { pdName: 'disk-1' } };
const deleted = { persistentVolumeReclaimPolicy: 'Delete' };
const external = 'external.example.com';

export function migration(scenario: Scenario): void {
  for (const [name, source, driver] of [
    ['kubernetes.io/aws-ebs', ebs, 'ebs.csi.aws.com'],
    ['kubernetes.io/gce-pd', gcePd, 'pd.csi.storage.gke.io'],
  ] as const) {
    scenario(`B9/84 a volume of ${name} is Released and left to ${driver}`, async ({ place, controller }) => {
      const volume = await place.createVolume('old', {
        annotations: { [PROVISIONED_BY]: name },
        // Of a time before the migration.
        finalizers: [IN_TREE_FINALIZER],
        spec: { ...source, ...deleted },
      });
      const user = await place.createClaim('x');
      await place.untilBound('old', 'x');

      await place.release('x', 'old');

      expect(await controller.fullResyncWrites()).toEqual([]);
      const end = { phase: 'Released', ref: refTo(user), bbc: true, migratedTo: driver };
      expect(await place.volumeState('old')).toEqual(end);
      expect((await place.volume('old')).metadata.finalizers ?? []).not.toContain(IN_TREE_FINALIZER);
      expect(await place.phasesOf('old')).toEqual(['Pending', 'Available', 'Bound', 'Released']);
      expect(await place.eventsOf(volume)).toEqual([]);
    });
  }

  scenario(
    'B9/85 migrated-to is put on volumes of migrated plugins, corrected, and taken off others',
    async (stage) => {
      const { place, controller } = stage;
      const migrated = { [PROVISIONED_BY]: 'kubernetes.io/gce-pd' };
      const cases = [
        ['missing', migrated, 'pd.csi.storage.gke.io'],
        ['wrong', { ...migrated, [MIGRATED_TO]: 'wrong.example.com' }, 'pd.csi.storage.gke.io'],
        ['right', { ...migrated, [MIGRATED_TO]: 'pd.csi.storage.gke.io' }, 'pd.csi.storage.gke.io'],
        ['external', { [PROVISIONED_BY]: external, [MIGRATED_TO]: 'wrong.example.com' }, undefined],
        ['static', { [MIGRATED_TO]: 'untouched.example.com' }, 'untouched.example.com'],
      ] as const;
      for (const [name, annotations] of cases) await place.createVolume(name, { annotations, spec: gcePd });

      await Promise.all(cases.map(([name]) => place.untilVolume(name, 'Available')));
      await controller.settled();
      for (const [name, , migratedTo] of cases) {
        const end = { phase: 'Available', ...(migratedTo !== undefined && { migratedTo }) };
        expect([name, await place.volumeState(name)]).toEqual([name, end]);
      }
    },
  );

  scenario('B9/85 migrated-to is put on claims too, by the new annotation or else by the beta one', async (stage) => {
    const { place, controller } = stage;
    const old = 'kubernetes.io/gce-pd';
    const driver = 'pd.csi.storage.gke.io';
    const cases = [
      ['new', { [STORAGE_PROVISIONER]: old }, driver],
      ['beta', { [BETA_STORAGE_PROVISIONER]: old }, driver],
      ['both', { [STORAGE_PROVISIONER]: old, [BETA_STORAGE_PROVISIONER]: external }, driver],
      ['wrong', { [STORAGE_PROVISIONER]: old, [MIGRATED_TO]: 'wrong.example.com' }, driver],
      ['external', { [STORAGE_PROVISIONER]: external, [MIGRATED_TO]: driver }, undefined],
      ['beta-external', { [BETA_STORAGE_PROVISIONER]: external, [MIGRATED_TO]: driver }, undefined],
      ['static', { [MIGRATED_TO]: 'untouched.example.com' }, 'untouched.example.com'],
    ] as const;
    for (const [name, annotations] of cases) await place.createClaim(name, { annotations });

    await controller.settled();
    for (const [name, annotations, migratedTo] of cases) {
      const end = { phase: 'Pending', ...(migratedTo !== undefined && { migratedTo }) };
      expect([name, await place.claimState(name)]).toEqual([name, end]);
      const { [MIGRATED_TO]: _ours, ...others } = (await place.claim(name)).metadata.annotations ?? {};
      const { [MIGRATED_TO]: _theirs, ...given } = { [MIGRATED_TO]: '', ...annotations };
      expect(others).toEqual(given);
    }
  });

  for (const [provisioner, driver] of [
    ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
    [external, external],
  ] as const) {
    scenario(`B9/85 a claim of class ${provisioner} is handed to ${driver} by both annotations`, async (stage) => {
      const { place, controller } = stage;
      await place.createClass('standard', provisioner);

      const user = await place.createClaim('x', { spec: { storageClassName: 'standard' } });

      await place.untilTold(user, asked(driver));
      await controller.settled();
      expect(await place.claimState('x')).toEqual({ phase: 'Pending' });
      expect((await place.claim('x')).metadata.annotations).toEqual({
        [BETA_STORAGE_PROVISIONER]: driver,
        [STORAGE_PROVISIONER]: driver,
      });
    });
  }
}
