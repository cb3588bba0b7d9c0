/** The pool of a scoring is what its events have told. */
import { expect, test } from 'vitest';
import { claim, volume } from '../controller/testing/objects.ts';
import type { ObservedEvent } from './observer.ts';
import { VolumesAlong } from './volumes-along.ts';

test('each volume is known before its event is passed on, and nothing that is only believed to be written is', async () => {
  const larger = volume('pv-a', { spec: { capacity: { storage: '5Gi' } } });
  async function* events(): AsyncGenerator<ObservedEvent> {
    yield { kind: 'PersistentVolume', type: 'ADDED', object: volume('pv-a') };
    yield { kind: 'PersistentVolumeClaim', type: 'ADDED', object: claim('data') };
    yield { kind: 'PersistentVolume', type: 'MODIFIED', object: larger };
    yield { kind: 'PersistentVolume', type: 'DELETED', object: larger };
  }
  const pool = new VolumesAlong();
  const known: string[] = [];
  for await (const { type, object } of pool.follow(events())) {
    pool.store();
    pool.drop();
    pool.hold()();
    const sizes = [...pool.volumes().values()].map(
      ({ metadata, spec }) => `${metadata.name} ${spec.capacity?.['storage']}`,
    );
    known.push(`${type} ${object.metadata.name}: ${sizes.join(', ')}`);
  }
  expect(known).toEqual(['ADDED pv-a: pv-a 1Gi', 'ADDED data: pv-a 1Gi', 'MODIFIED pv-a: pv-a 5Gi', 'DELETED pv-a: ']);
});
