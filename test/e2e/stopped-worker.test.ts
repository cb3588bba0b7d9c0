/**
 * DESIGN D13, with a real SIGSTOP: a worker is stopped between choosing a volume and the end of its bind, another writer
 * binds the claim to another volume, and the worker goes on. The volume that it had picked must not be destroyed for that.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import type { PersistentVolume } from '../../lib/controller/types.ts';
import { type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';
import {
  createQueues,
  type EmbeddedQueue,
  type QueueAddresses,
  startEmbeddedQueue,
} from '../../local/queue/embedded.ts';
import { simulatedPlugin } from '../../local/simulated-plugin.ts';
import { type System, startSystem } from '../../local/system.ts';
import { bindByHand, interruptBind, POINTS, type Point } from './interrupted-bind.ts';
import { boundPair, csi, Objects } from './objects.ts';
import { type StoppableWorker, startWorkerProcess } from './stoppable-worker.ts';
import { configWith, watchPhases } from './world.ts';

let queue: EmbeddedQueue;
let addresses: QueueAddresses;
let server: LocalApiServer;
let cluster: ApiServerCluster;
let objects: Objects;
let worker: StoppableWorker;
let phases: ReadonlyMap<string, string[]>;

beforeAll(async () => {
  server = await startApiServer();
  queue = await startEmbeddedQueue();
  addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 180 });
  cluster = new ApiServerCluster({ server: server.url });
  objects = new Objects(cluster);
  phases = watchPhases(server);
  const settings = { PV_MODE: 'enforce' };
  worker = await startWorkerProcess({ server: server.url, queueEndpoint: queue.endpoint, addresses, settings });
});
afterAll(async () => {
  await worker.stop();
  cluster.close();
  await queue.close();
  await server.stop();
});

/** The rest of the pipeline, with a plugin that deletes what is Released at once. */
function startPipeline(): Promise<System> {
  const plugins = () => [simulatedPlugin];
  const connection = { server: server.url };
  return startSystem({ connection, config: configWith(), queue: { client: queue.client, addresses }, plugins });
}

async function settlePipeline(): Promise<void> {
  const system = await startPipeline();
  await system.settled();
  await system.stop();
}

type More = Partial<PersistentVolume['spec']> & { readonly annotations?: Record<string, string> };
const by = (provisioner: string) => ({ annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } });

/** Free volumes with policy Delete that anybody may pick. */
const PICKED: Readonly<Record<string, (name: string) => { readonly name: string; readonly more: More }>> = {
  'of an external provisioner': (name) => ({ name, more: { ...csi(name), ...by('ebs.csi.aws.com') } }),
  'of an in-tree plugin': (name) => ({ name, more: by(simulatedPlugin.name) }),
  'of an in-tree plugin, provisioned for an earlier claim': () => {
    return { name: `pvc-${randomUUID()}`, more: by(simulatedPlugin.name) };
  },
  'of a migrated in-tree plugin': (name) => {
    return { name, more: { awsElasticBlockStore: { volumeID: name }, ...by('kubernetes.io/aws-ebs') } };
  },
  'that nobody provisioned': (name) => ({ name, more: {} }),
};

let count = 0;

/** Only an Available volume is picked. */
async function createAvailable(name: string, more: More): Promise<void> {
  const volume = await objects.createVolume(name, more);
  await cluster.updateStatus('PersistentVolume', { ...volume, status: { phase: 'Available' } });
}

/** A claim, a volume that the worker will pick, and another volume, of a class that nobody else uses. */
async function prepare(what: string): Promise<{ claim: string; volume: string; other: string }> {
  const storageClassName = `class-${++count}`;
  const picked = PICKED[what]?.(`picked-${count}`) ?? { name: `picked-${count}`, more: {} };
  const names = { claim: `claim-${count}`, volume: picked.name, other: `other-${count}` };
  const free = { storageClassName, persistentVolumeReclaimPolicy: 'Delete' };
  await createAvailable(names.volume, { ...picked.more, ...free });
  await createAvailable(names.other, { ...free, capacity: { storage: '5Gi' } });
  await objects.createClaim(names.claim, { storageClassName });
  return names;
}

async function expectSpared({ claim, volume, other }: Awaited<ReturnType<typeof prepare>>, what: string) {
  const spared = await objects.volume(volume);
  expect(`${what}: ${spared.status?.phase}`).toBe(`${what}: Available`);
  expect(spared.spec.claimRef).toBeUndefined();
  expect(spared.metadata.annotations ?? {}).not.toHaveProperty('pv.kubernetes.io/bound-by-controller');
  for (const phase of ['Released', 'Failed', 'deleted']) expect(phases.get(volume)).not.toContain(phase);
  expect(await objects.pair(claim, other)).toBe(boundPair(claim, other));
}

describe.each(Object.entries(POINTS))('a worker stopped %s, while the claim is bound elsewhere', (_, point: Point) => {
  test('leaves the volume that it picked Available, whoever provisioned it', async () => {
    const all = [];
    for (const what of Object.keys(PICKED)) {
      const names = await prepare(what);
      all.push({ names, what });
      await interruptBind({ server, worker }, point, names, async () => {
        expect((await objects.volume(names.volume)).spec.claimRef?.name).toBe(point.reserved ? names.claim : undefined);
        await bindByHand(cluster, names.claim, names.other);
      });
    }
    // Once more, with a pipeline that settles everything before the worker goes on.
    let pipeline: System | undefined;
    const settled = { names: await prepare('of an in-tree plugin'), what: 'settled meanwhile' };
    await interruptBind({ server, worker }, point, settled.names, async () => {
      await bindByHand(cluster, settled.names.claim, settled.names.other);
      pipeline = await startPipeline();
      await pipeline.settled();
      await expectSpared(settled.names, settled.what);
    });
    await pipeline?.settled();
    await pipeline?.stop();

    for (const { names, what } of [...all, settled]) await expectSpared(names, what);
  });
});

test('a volume that was provisioned for that very claim is released and deleted, as by the built-in', async () => {
  const { claim, other } = await prepare('that nobody provisioned');
  const { namespace, uid = '' } = (await objects.claim(claim)).metadata;
  const name = `pvc-${uid}`;
  const claimRef = { kind: 'PersistentVolumeClaim', namespace, name: claim, uid };
  const annotations = { ...by(simulatedPlugin.name).annotations, 'pv.kubernetes.io/bound-by-controller': 'yes' };
  await objects.createVolume(name, { claimRef, annotations, persistentVolumeReclaimPolicy: 'Delete' });
  await bindByHand(cluster, claim, other);
  await settlePipeline();

  expect(phases.get(name)?.slice(-2)).toEqual(['Released', 'deleted']);
});
