/** Observe mode: the same decisions, told instead of written (DESIGN D9). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordedWrite } from '../../lib/cluster/recording.ts';
import { keyOf } from '../../lib/queue/message.ts';
import { resourceOf } from '../../local/api-server/resources.ts';
import { SIMULATED_PROVISIONER, simulatedPlugin } from '../../local/simulated-plugin.ts';
import { csi } from './objects.ts';
import { redrive } from './queue-tools.ts';
import { startWorld, type World } from './world.ts';

let world: World;
const verdicts: { key: string; writes: readonly RecordedWrite[] }[] = [];
let touched = 0;

/** A plugin that must not be touched: to destroy, scrub or make storage is a write too. */
const watched = {
  ...simulatedPlugin,
  recycle: async () => {
    touched++;
    return 'done' as const;
  },
  newDeleter: () => async () => void touched++,
};

beforeAll(async () => {
  const hooks = {
    onVerdict: (key: Parameters<typeof keyOf>[0], writes: readonly RecordedWrite[]) =>
      verdicts.push({ key: keyOf(key), writes }),
  };
  world = await startWorld({ settings: { PV_MODE: 'observe' }, system: { plugins: () => [watched], hooks } });
});
afterAll(() => world.stop());

/** Creates an object past HTTP, so that it is no write of anybody. */
function create(plural: string, body: object): void {
  const resource = resourceOf(plural);
  world.server.operations.create({ resource, namespace: resource.namespaced ? 'default' : undefined }, body);
}

const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const released = { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'no-more', uid: 'gone' };

test('a cluster with every kind of work in it is left alone: not one write, not even an event', async () => {
  create('storageclasses', {
    metadata: { name: 'in-tree' },
    provisioner: SIMULATED_PROVISIONER,
    reclaimPolicy: 'Delete',
  });
  create('storageclasses', { metadata: { name: 'external' }, provisioner: 'csi.example.com' });
  const hostPath = (name: string) => ({ hostPath: { path: `/tmp/${name}` } });
  const volumes = {
    free: hostPath('free'),
    'to-delete': { ...hostPath('d'), claimRef: released, persistentVolumeReclaimPolicy: 'Delete' },
    'to-recycle': { ...hostPath('r'), claimRef: released, persistentVolumeReclaimPolicy: 'Recycle' },
    'to-release': { ...csi('c'), claimRef: released, persistentVolumeReclaimPolicy: 'Delete' },
  };
  for (const [name, more] of Object.entries(volumes)) {
    create('persistentvolumes', { metadata: { name }, spec: { ...spec, ...more } });
  }
  const claims = {
    binds: '',
    'wants-in-tree': 'in-tree',
    'wants-external': 'external',
    waits: 'nothing-of-that-class',
  };
  for (const [name, storageClassName] of Object.entries(claims)) {
    const resources = { requests: { storage: '1Gi' } };
    create('persistentvolumeclaims', {
      metadata: { name },
      spec: { ...spec, capacity: undefined, storageClassName, resources },
    });
  }
  await world.system.settled();
  for (const name of Object.keys(volumes)) await redrive(world.system, { kind: 'PersistentVolume', name });
  for (const name of Object.keys(claims)) {
    await redrive(world.system, { kind: 'PersistentVolumeClaim', namespace: 'default', name });
  }
  await world.system.settled();

  expect(world.server.requests.writes).toBe(0);
  expect(touched).toBe(0);
  expect(world.failed).toEqual([]);
  for (const phases of world.phases.values()) expect(phases).toEqual(['Pending']);
});

/** What a sync of that key would have written, in words. */
function verdictOf(key: string): string[] {
  const { writes = [] } = verdicts.findLast((verdict) => verdict.key === key) ?? {};
  return writes.map((write) =>
    write.verb === 'event' ? `event ${write.event.reason}` : `${write.verb} ${write.kind}`,
  );
}

test('what a sync would have written is told, for each key', () => {
  expect(verdictOf('PersistentVolume/free')).toEqual(['updateStatus PersistentVolume']);
  expect(verdictOf('PersistentVolume/to-release')).toEqual(['updateStatus PersistentVolume']);
  expect(verdictOf('PersistentVolume/to-delete')).toEqual(['updateStatus PersistentVolume', 'delete PersistentVolume']);
  expect(verdictOf('PersistentVolume/to-recycle')[0]).toBe('updateStatus PersistentVolume');
  expect(verdictOf('PersistentVolumeClaim/default/wants-in-tree')).toContain('create PersistentVolume');
  expect(verdictOf('PersistentVolumeClaim/default/wants-external')).toContain('update PersistentVolumeClaim');
  expect(verdictOf('PersistentVolumeClaim/default/waits')).toEqual(['event ProvisioningFailed']);
});

test('a bind is told with all its four writes', async () => {
  const resource = resourceOf('persistentvolumes');
  const volume = world.server.store.get('persistentvolumes', { name: 'free' });
  const available = { ...volume, status: { phase: 'Available' } };
  world.server.operations.update({ resource, name: 'free' }, available, { subresource: 'status' });
  await world.system.settled();

  expect(verdictOf('PersistentVolumeClaim/default/binds')).toEqual([
    'update PersistentVolume',
    'updateStatus PersistentVolume',
    'update PersistentVolumeClaim',
    'updateStatus PersistentVolumeClaim',
  ]);
  expect(world.server.requests.writes).toBe(0);
});
