/** A snapshot's objects behind HTTP, and a kubeconfig for it: what the command line needs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '../../lib/doctor/snapshot.ts';
import { resourceOf, storageKey } from '../../local/api-server/resources.ts';
import { type ApiObject, type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';

const PLURALS = {
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  StorageClass: 'storageclasses',
  Node: 'nodes',
  Pod: 'pods',
} as const;

export interface ServedCluster {
  readonly server: LocalApiServer;
  /** A folder of its own, for whatever a test writes. */
  readonly folder: string;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** Volume attachments and CSI drivers are not served: the local API server knows no such resources. */
export async function serve(snapshot: Snapshot): Promise<ServedCluster> {
  const server = await startApiServer();
  for (const [kind, plural] of Object.entries(PLURALS) as [keyof typeof PLURALS, string][]) {
    for (const object of snapshot.objects[kind]) {
      const { namespace, name } = object.metadata;
      server.store.commit(resourceOf(plural).plural, storageKey(namespace, name), object as unknown as ApiObject);
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'pv-controller-cli-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(server.url));
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
  return { server, folder, kubeconfig, stop };
}

/** JSON, which YAML readers take. */
export function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server } }],
    users: [],
    contexts: [{ name: 'test', context: { cluster: 'test' } }],
    'current-context': 'test',
  });
}
