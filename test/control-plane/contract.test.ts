import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import { apiServerContract } from '../contract/api-server-contract.ts';
import { controlPlaneBinary, startControlPlane } from './harness.ts';

const binary = await controlPlaneBinary();
const skipped = 'missing' in binary && process.env['CI'] !== 'true';

/** How far back etcd remembers; it takes two intervals until a revision is gone. */
const compactionSeconds = 2;
const namespace = 'contract';

describe.skipIf(skipped)('on a real control plane', () => {
  apiServerContract('the real kube-apiserver', async () => {
    const plane = await startControlPlane({ apiServerArgs: [`--etcd-compaction-interval=${compactionSeconds}s`] });
    await plane.client().request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
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
  });
});
