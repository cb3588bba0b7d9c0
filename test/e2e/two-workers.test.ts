/** Two workers on one key at the same time, which the queue prevents in all but rare cases (DESIGN D1): nothing breaks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createObservability } from '../../functions/environment.ts';
import { createWorkerFunction, type WorkerFunction } from '../../functions/worker.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { Runtime } from '../../lib/worker/runtime.ts';
import type { Fault, InterceptedRequest } from '../../local/api-server/server.ts';
import { createContext } from '../../local/queue/lambda-event.ts';
import { simulatedPlugin } from '../../local/simulated-plugin.ts';
import { boundPair } from './objects.ts';
import { eventOf } from './stoppable-worker.ts';
import { configWith, startWorld, type World } from './world.ts';

const ROUNDS = 10;
const KINDS: readonly SyncKey['kind'][] = ['PersistentVolume', 'PersistentVolumeClaim'];
let world: World;
let environments: { runtime: Runtime; workers: Map<string, WorkerFunction> }[];

beforeAll(async () => {
  world = await startWorld();
  environments = [0, 1, 2].map(newEnvironment);
});
afterAll(async () => {
  for (const { runtime } of environments) runtime.close();
  await world.stop();
});

/** As another Lambda environment: connections, pool and memory of its own. */
function newEnvironment(index: number) {
  const { client: sqs, addresses: queues } = world.system.queue;
  const connection = { server: world.server.url, token: async () => `worker-${index}` };
  const runtime = new Runtime({ connection, config: configWith(), sqs, queues, plugins: () => [simulatedPlugin] });
  const observability = createObservability({ logLevel: 'SILENT' });
  const make = (kind: SyncKey['kind']) => [kind, createWorkerFunction(kind, () => runtime, observability)] as const;
  return { runtime, workers: new Map(KINDS.map(make)) };
}

/** Hands the same record to every environment at once. */
async function handleEverywhere(key: SyncKey): Promise<void> {
  const event = eventOf({ v: 1, ...key, reason: 'modified' });
  await Promise.all(
    environments.map(({ workers }) => workers.get(key.kind)?.(event, createContext('w', 30_000, 'us-east-1'))),
  );
}

/** A worker's list of volumes shows it one volume of its own; it has no watch to learn of the others. */
function showOne({ api, headers }: InterceptedRequest, volumes: readonly string[]): Fault | undefined {
  const [, index] = /worker-(\d)/.exec(headers.authorization ?? '') ?? [];
  if (index === undefined || api?.resource.plural !== 'persistentvolumes') return undefined;
  if (api.verb === 'watch') return 'cut';
  if (api.verb !== 'list') return undefined;
  const item = world.server.store.get('persistentvolumes', { name: volumes[Number(index)] ?? '' });
  const metadata = { resourceVersion: String(world.server.store.revision) };
  return { status: 200, body: { kind: 'PersistentVolumeList', apiVersion: 'v1', metadata, items: [item] } };
}

const claimKey = (name: string) => ({ kind: 'PersistentVolumeClaim', namespace: 'default', name }) as const;

test('a claim that several workers bind at once has one volume, and the volume has that claim', async () => {
  const names = Array.from({ length: ROUNDS }, (_, index) => `same-${index}`);
  for (const name of names) await world.objects.createVolume(name, { storageClassName: name });
  await world.system.settled();
  for (const name of names) {
    await world.objects.createClaim(name, { storageClassName: name });
    await handleEverywhere(claimKey(name));
  }
  await world.system.settled();

  for (const name of names) {
    expect(await world.objects.pair(name, name)).toBe(boundPair(name, name));
    expect(world.phases.get(name)).toEqual(['Pending', 'Available', 'Bound']);
  }
});

test('where each worker knows another volume, one is bound and the others are Available, not deleted', async () => {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    const storageClassName = `choice-${round}`;
    return { storageClassName, volumes: environments.map((_, index) => `choice-${round}-${index}`) };
  });
  for (const { storageClassName, volumes } of rounds) {
    for (const [index, name] of volumes.entries()) {
      const annotations = { 'pv.kubernetes.io/provisioned-by': index === 0 ? simulatedPlugin.name : 'csi.example.com' };
      const more = { storageClassName, annotations, persistentVolumeReclaimPolicy: 'Delete' };
      await world.objects.createVolume(name, more);
    }
  }
  await world.system.settled();
  let contested = 0;
  for (const { storageClassName, volumes } of rounds) {
    world.server.intercept = (request) => showOne(request, volumes);
    await world.objects.createClaim(storageClassName, { storageClassName });
    const before = world.server.requests.count('update', 'persistentvolumes');
    await handleEverywhere(claimKey(storageClassName));
    if (world.server.requests.count('update', 'persistentvolumes') - before > 1) contested++;
  }
  world.server.intercept = undefined;
  await world.system.settled();

  // Otherwise no two workers wrote at the same time, and this test proves nothing.
  expect(contested).toBeGreaterThan(0);
  for (const { storageClassName, volumes } of rounds) {
    const { volumeName = '' } = (await world.objects.claim(storageClassName)).spec;
    expect(volumes).toContain(volumeName);
    for (const name of volumes) {
      const { spec, status } = await world.objects.volume(name);
      const expected = name === volumeName ? `Bound ${storageClassName}` : 'Available undefined';
      expect(`${status?.phase} ${spec.claimRef?.name}`).toBe(expected);
      for (const phase of ['Released', 'Failed', 'deleted']) expect(world.phases.get(name)).not.toContain(phase);
    }
  }
});

test('a volume that several workers release and delete at once is deleted once, and never Failed', async () => {
  const names = Array.from({ length: ROUNDS }, (_, index) => `delete-${index}`);
  for (const name of names) {
    await world.objects.createVolume(name, { storageClassName: name, persistentVolumeReclaimPolicy: 'Delete' });
    await world.objects.createClaim(name, { storageClassName: name });
  }
  await world.system.settled();
  for (const name of names) {
    await world.objects.deleteClaim(name);
    await handleEverywhere({ kind: 'PersistentVolume', name });
  }
  await world.system.settled();

  for (const name of names) expect(world.phases.get(name)?.slice(-3)).toEqual(['Bound', 'Released', 'deleted']);
  expect(world.complaints).toEqual([]);
});
