/** What an observed cluster tells of the writes that go through it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { InMemoryCluster } from '../cluster/in-memory.ts';
import { claim, refTo, reservationFor, volume } from '../controller/testing/objects.ts';
import type { PersistentVolume, SyncKey } from '../controller/types.ts';
import { ObservedCluster } from './observed-cluster.ts';

const VOLUME: SyncKey = { kind: 'PersistentVolume', name: 'pv' };
const CLAIM: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'data' };

let behind: InMemoryCluster;
let told: string[];
beforeEach(() => {
  behind = new InMemoryCluster();
  told = [];
});

function observed(key: SyncKey): ObservedCluster {
  return new ObservedCluster(key, behind, {
    onVolume: (uid) => told.push(uid),
    onTransition: ({ kind, name, of, from, to }) => told.push(`${kind}/${name} ${of} ${from} -> ${to}`),
  });
}

const inPhase = (phase: string): PersistentVolume => volume('pv', { status: { phase } });

describe('a write tells', () => {
  test('the phase before, as it was read or written last, and after', async () => {
    behind.put('PersistentVolume', inPhase('Bound'));
    const cluster = observed(VOLUME);
    const read = (await cluster.get('PersistentVolume', VOLUME)) as PersistentVolume;
    const released = await cluster.updateStatus('PersistentVolume', { ...read, status: { phase: 'Released' } });
    await cluster.updateStatus('PersistentVolume', { ...released, status: { phase: 'Failed' } });
    expect(told.filter((line) => line.includes('->'))).toEqual([
      'PersistentVolume/pv phase Bound -> Released',
      'PersistentVolume/pv phase Released -> Failed',
    ]);
  });

  test('the object before and after it, with their versions', async () => {
    behind.put('PersistentVolume', inPhase('Bound'));
    const versions: (string | undefined)[][] = [];
    const cluster = new ObservedCluster(VOLUME, behind, {
      onTransition: (_, { before, after }) =>
        versions.push([before?.metadata.resourceVersion, after.metadata.resourceVersion]),
    });
    const read = (await cluster.get('PersistentVolume', VOLUME)) as PersistentVolume;
    await cluster.updateStatus('PersistentVolume', { ...read, status: { phase: 'Released' } });
    expect(versions).toEqual([['1', '2']]);
  });

  test('an unknown phase of what was never read', async () => {
    behind.put('PersistentVolume', inPhase('Available'));
    await observed(CLAIM).updateStatus('PersistentVolume', inPhase('Bound'));
    expect(told).toEqual(['PersistentVolume/pv phase unknown -> Bound']);
  });

  test.each([
    ['a free volume gets a claim', {}, { claimRef: refTo(claim('data')) }, 'none -> ns/data'],
    [
      'a reservation is completed',
      { claimRef: reservationFor(claim('data')) },
      { claimRef: refTo(claim('data')) },
      'none -> ns/data',
    ],
    ['a volume is freed', { claimRef: refTo(claim('data')) }, {}, 'ns/data -> none'],
  ])('a binding: %s', async (_, before, after, expected) => {
    behind.put('PersistentVolume', volume('pv', { spec: before }));
    const cluster = observed(VOLUME);
    await cluster.get('PersistentVolume', VOLUME);
    await cluster.update('PersistentVolume', volume('pv', { spec: after }));
    expect(told.filter((line) => line.includes('->'))).toEqual([`PersistentVolume/pv binding ${expected}`]);
  });

  test('an object’s beginning and its end', async () => {
    const cluster = observed(VOLUME);
    const created = await cluster.create('PersistentVolume', inPhase('Released'));
    await cluster.delete('PersistentVolume', created);
    expect(told.filter((line) => line.includes('->'))).toEqual([
      'PersistentVolume/pv phase none -> Released',
      'PersistentVolume/pv phase Released -> deleted',
    ]);
  });

  test('nothing when it changes neither, when it fails, or when it is about another kind', async () => {
    behind.put('PersistentVolume', volume('pv'));
    const cluster = observed(CLAIM);
    await cluster.get('PersistentVolume', VOLUME);
    await cluster.update('PersistentVolume', volume('pv', { annotations: { a: 'b' } }));
    await expect(cluster.updateStatus('PersistentVolume', inPhase('Bound'))).rejects.toThrow();
    await cluster.create('Pod', { metadata: { name: 'recycler', namespace: 'ns' } });
    expect(told).toEqual([]);
  });
});

test('what is not observed goes through: lists and events', async () => {
  behind.put('PersistentVolume', volume('pv'));
  const cluster = observed(VOLUME);
  expect(await cluster.list('PersistentVolume')).toHaveLength(1);
  await cluster.event({ kind: 'PersistentVolume', object: volume('pv'), type: 'Normal', reason: 'R', message: 'm' });
  expect(behind.events).toHaveLength(1);
});
