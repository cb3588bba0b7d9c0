/** The index after any sequence of set and delete is the index built anew from what is left. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modeSetOf } from '../../lib/controller/access-modes.ts';
import { compareQuantities } from '../../lib/controller/quantity.ts';
import { claim, refTo, volume } from '../../lib/controller/testing/objects.ts';
import type { PersistentVolume } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 2_000);
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const classes = ['', 'fast'];
const modeLists = [['ReadWriteOnce'], ['ReadWriteOnce', 'ReadOnlyMany'], ['ReadOnlyMany', 'ReadWriteOnce']];
const claims = ['one', 'two'];

const anyVolume = fc
  .record({
    name: fc.constantFrom(...names),
    storage: fc.constantFrom('1Gi', '1Gi', '1024Mi', '1024Mi', '2Gi', '3Gi', 'odd'), // several on one shelf
    storageClassName: fc.constantFrom('', ...classes),
    accessModes: fc.constantFrom(...modeLists.slice(1), ...modeLists),
    phase: fc.constantFrom('Available', 'Available', 'Available', 'Bound'),
    owner: fc.constantFrom(undefined, undefined, undefined, ...claims),
    deleted: fc.constantFrom(false, false, false, true),
  })
  .map(({ name, storage, phase, owner, deleted, ...spec }) =>
    volume(name, {
      metadata: deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {},
      spec: { capacity: { storage }, ...(owner ? { claimRef: refTo(claim(owner)) } : {}), ...spec },
      status: { phase },
    }),
  );

const step = fc.oneof(
  { weight: 3, arbitrary: anyVolume },
  { weight: 1, arbitrary: fc.constantFrom(...names, 'missing') },
);

const nameOf = (pv: PersistentVolume) => pv.metadata.name;

/** All that can be asked of an index, in an order that does not depend on its history. */
function answers(index: VolumeIndex) {
  const racks = classes.flatMap((storageClass) =>
    modeLists.map((modes) =>
      index
        .rack({ modes: modeSetOf(modes), storageClass, volumeMode: 'Filesystem', attributesClass: '' })
        .map(({ names }) => [...names].sort()),
    ),
  );
  return {
    size: index.size,
    values: [...index.values()].map(nameOf).sort(),
    modeSets: [...index.modeSets()].sort(),
    reserved: claims.map((name) => index.reservedFor({ namespace: 'ns', name }).map(nameOf).sort()),
    racks,
  };
}

describe('VolumeIndex (DESIGN D7)', () => {
  test('holds after any changes what an index of the remaining volumes holds', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const index = new VolumeIndex();
        const left = new Map<string, PersistentVolume>();
        for (const change of steps) {
          if (typeof change === 'string') {
            index.delete(change);
            left.delete(change);
          } else {
            index.set(change);
            left.set(nameOf(change), change);
          }
        }
        expect(answers(index)).toEqual(answers(new VolumeIndex(left.values())));
        for (const name of names) expect(index.get(name)).toEqual(left.get(name));
      }),
      { numRuns: RUNS },
    );
  });

  test('keeps the shelves of a rack in ascending order, one for each capacity', () => {
    fc.assert(
      fc.property(fc.array(anyVolume, { maxLength: 40, size: 'max' }), (volumes) => {
        const index = new VolumeIndex(volumes);
        for (const storageClass of classes) {
          const key = {
            modes: modeSetOf(['ReadWriteOnce']),
            storageClass,
            volumeMode: 'Filesystem',
            attributesClass: '',
          };
          const capacities = index.rack(key).map(({ capacity }) => capacity);
          for (let i = 1; i < capacities.length; i++) {
            expect(compareQuantities(capacities[i - 1] ?? '', capacities[i] ?? '')).toBeLessThan(0);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('holding a volume (DESIGN D7)', () => {
  const rackOf = (index: VolumeIndex) =>
    index
      .rack({ modes: modeSetOf(['ReadWriteOnce']), storageClass: '', volumeMode: 'Filesystem', attributesClass: '' })
      .flatMap(({ names }) => names);
  const free = (name: string) => volume(name, { status: { phase: 'Available' } });

  test('takes it off its shelf until it is released, whatever is set meanwhile', () => {
    const index = new VolumeIndex([free('a'), free('b')]);
    index.hold('a', 'uid-of-one');
    expect(rackOf(index)).toEqual(['b']);
    index.set(free('a'));
    expect(rackOf(index)).toEqual(['b']);
    index.release('a');
    expect(rackOf(index).sort()).toEqual(['a', 'b']);
  });

  test('leaves it to the claim that it is held for, until the last of its workers has released it', () => {
    const index = new VolumeIndex([free('a'), free('b')]);
    const held = (uid: string) => index.heldFor(uid).map(({ metadata }) => metadata.name);
    index.hold('a', 'one');
    index.hold('b', 'other');
    index.hold('a', 'one');
    expect([held('one'), held('other'), held('third')]).toEqual([['a'], ['b'], []]);
    index.release('a');
    expect([held('one'), rackOf(index)]).toEqual([['a'], []]);
    index.release('a');
    expect([held('one'), rackOf(index)]).toEqual([[], ['a']]);
  });

  test('is ended once: a release of what is not held changes nothing', () => {
    const index = new VolumeIndex([free('a')]);
    index.release('a');
    index.hold('a', 'one');
    index.release('a');
    index.release('a');
    expect(rackOf(index)).toEqual(['a']);
  });

  test('names no volume that is gone meanwhile', () => {
    const index = new VolumeIndex([free('a')]);
    index.hold('a', 'one');
    index.delete('a');
    expect(index.heldFor('one')).toEqual([]);
  });

  test('ends with the volume as it is by then: bound, or gone', () => {
    const index = new VolumeIndex([free('a'), free('b')]);
    index.hold('a', 'uid-of-one');
    index.hold('b', 'uid-of-one');
    index.set(volume('a', { spec: { claimRef: refTo(claim('one')) }, status: { phase: 'Bound' } }));
    index.delete('b');
    index.release('a');
    index.release('b');
    expect(rackOf(index)).toEqual([]);
    expect(index.size).toBe(1);
  });
});
