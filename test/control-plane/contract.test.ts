import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import { apiServerContract } from '../contract/api-server-contract.ts';
import type { ApiServerUnderTest } from '../contract/client.ts';
import { controllersContract } from '../contract/controllers-contract.ts';
import { type ControlPlane, type ControlPlaneOptions, controlPlaneBinary, startControlPlane } from './harness.ts';

const binary = await controlPlaneBinary();
// Where the machine has no Go there is nothing to test with; a pipeline must not pass by that.
const skipped = 'missing' in binary && process.env['CI'] !== 'true';

/** How far back etcd remembers; it takes two intervals until a revision is gone. */
const compactionSeconds = 2;
const namespace = 'contract';

async function connect(
  options: ControlPlaneOptions,
  prepare: (plane: ControlPlane) => Promise<unknown> = async () => {},
): Promise<ApiServerUnderTest> {
  const plane = await startControlPlane(options);
  await plane.client().request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await prepare(plane);
  return {
    url: plane.url,
    token: plane.token(),
    ca: await readFile(plane.caFile, 'utf8'),
    namespace,
    // Watches are answered from the API server's own history, which begins with its start; lists from etcd's.
    async compactHistory() {
      await plane.restartApiServer();
      await sleep(compactionSeconds * 2500);
    },
    stop: () => plane.stop(),
  };
}

describe.skipIf(skipped)('on a real control plane', () => {
  apiServerContract('the real kube-apiserver', () =>
    connect({ apiServerArgs: [`--etcd-compaction-interval=${compactionSeconds}s`] }),
  );
  controllersContract('the real controllers for protection and namespaces', () =>
    connect({ disableAdmission: ['ServiceAccount'] }, (plane) => plane.startControllerManager({ binder: false })),
  );
});
