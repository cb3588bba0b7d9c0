/** findBestMatch over the index finds what a plain reading of BEHAVIOUR 5.1 and 5.2 over all volumes finds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storageClassOf, volumeModeOf } from '../../lib/controller/annotations.ts';
import { compileSelector } from '../../lib/controller/label-selector.ts';
import { couldBind, findBestMatch } from '../../lib/controller/match.ts';
import { compareQuantities } from '../../lib/controller/quantity.ts';
import { claim, volume } from '../../lib/controller/testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 3_000);

const one = (...values: (string | undefined)[]) => fc.constantFrom(...values);
const modes = fc.uniqueArray(one('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'), { minLength: 1 }) as fc.Arbitrary<
  string[]
>;

/** Drops what is undefined, as JSON does. */
function compact<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

const anyVolume = fc
  .record({
    claimRef: fc.option(
      fc.record({
        namespace: one('ns', 'ns', 'other'),
        name: one('one', 'two'),
        uid: one('uid-of-one', 'old', '', undefined),
      }),
      { nil: undefined, freq: 2 },
    ),
    storage: one('500Mi', '1Gi', '1024Mi', '1.5Gi', '1536Mi', '2Gi', '2e9'),
    accessModes: modes,
    storageClassName: one(undefined, '', 'fast'),
    volumeMode: one(undefined, 'Filesystem', 'Filesystem', 'Block'),
    volumeAttributesClassName: one(undefined, undefined, '', 'gold'),
    deletionTimestamp: one(undefined, undefined, undefined, '2026-01-01T00:00:00Z'),
    phase: one('Available', 'Available', 'Available', 'Released'),
    tier: one('gold', 'gold', 'iron'),
  })
  .map(
    ({ storage, deletionTimestamp, phase, tier, ...spec }) =>
      (name: string) =>
        compact(
          volume(name, {
            metadata: { labels: { tier: tier ?? '' }, ...(deletionTimestamp ? { deletionTimestamp } : {}) },
            spec: { capacity: { storage: storage ?? '' }, ...spec } as PersistentVolume['spec'],
            status: { phase: phase ?? '' },
          }),
        ),
  );

const anyClaim = fc
  .record({
    storage: one('1', '1Gi', '1.5Gi', '1600000k'),
    accessModes: modes,
    storageClassName: one(undefined, '', 'fast'),
    volumeMode: one(undefined, 'Filesystem', 'Block'),
    volumeAttributesClassName: one(undefined, undefined, '', 'gold'),
    selected: fc.boolean(),
  })
  .map(({ storage, selected, ...spec }) =>
    compact(
      claim('one', {
        spec: {
          resources: { requests: { storage: storage ?? '' } },
          ...(selected ? { selector: { matchLabels: { tier: 'gold' } } } : {}),
          ...spec,
        } as PersistentVolumeClaim['spec'],
      }),
    ),
  );

const features = { volumeAttributesClass: true };

/** Rules 1 to 10, read off the page. */
function verdict(pv: PersistentVolume, pvc: PersistentVolumeClaim, delayed: boolean): 'no' | 'reserved' | 'free' {
  const ref = pv.spec.claimRef;
  const mine = ref?.namespace === pvc.metadata.namespace && ref?.name === pvc.metadata.name;
  if (ref && !(mine && (!ref.uid || ref.uid === pvc.metadata.uid))) return 'no';
  const requested = pvc.spec.resources?.requests?.['storage'] ?? '0';
  if (compareQuantities(pv.spec.capacity?.['storage'] ?? '0', requested) < 0) return 'no';
  if (volumeModeOf(pv) !== volumeModeOf(pvc)) return 'no';
  if ((pv.spec.volumeAttributesClassName || '') !== (pvc.spec.volumeAttributesClassName || '')) return 'no';
  if (pv.metadata.deletionTimestamp) return 'no';
  if (ref) return 'reserved';
  if (delayed || pv.status?.phase !== 'Available') return 'no';
  const selector = compileSelector(pvc.spec.selector);
  if (selector && !selector(pv.metadata.labels ?? {})) return 'no';
  return storageClassOf(pv) === storageClassOf(pvc) ? 'free' : 'no';
}

/** All volumes that the rules allow to be chosen: several where the order is undefined. */
function allowed(volumes: PersistentVolume[], pvc: PersistentVolumeClaim, delayed: boolean): string[] {
  const key = (accessModes: string[] = []) => [...new Set(accessModes)].sort().join();
  const groups = Map.groupBy(volumes, (pv) => key(pv.spec.accessModes));
  const holding = [...groups].filter(([modes]) =>
    pvc.spec.accessModes?.every((mode) => modes.split(',').includes(mode)),
  );
  for (const size of [1, 2, 3]) {
    const chosen = holding
      .filter(([modes]) => modes.split(',').length === size)
      .flatMap(([, group]) => bestOf(group, pvc, delayed));
    if (chosen.length > 0) return chosen.map((pv) => pv.metadata.name);
  }
  return [];
}

function bestOf(group: PersistentVolume[], pvc: PersistentVolumeClaim, delayed: boolean): PersistentVolume[] {
  const reserved = group.filter((pv) => verdict(pv, pvc, delayed) === 'reserved');
  if (reserved.length > 0) return reserved;
  const free = group.filter((pv) => verdict(pv, pvc, delayed) === 'free');
  const size = (pv: PersistentVolume) => pv.spec.capacity?.['storage'] ?? '0';
  return free.filter((pv) => free.every((other) => compareQuantities(size(pv), size(other)) <= 0));
}

describe('findBestMatch (BEHAVIOUR 5)', () => {
  test('finds one of the volumes that a plain scan allows, or none where it allows none', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(anyVolume, { maxLength: 12 }), anyClaim, fc.boolean(), (makers, pvc, delayed) => {
        const volumes = makers.map((make, i) => make(`pv-${i}`));
        const right = allowed(volumes, pvc, delayed);
        const match = findBestMatch(new VolumeIndex(volumes), pvc, delayed, features)?.metadata.name;
        if (right.length === 0) expect(match).toBeUndefined();
        else expect(right).toContain(match);
        if (match !== undefined) found++;
      }),
      { numRuns: RUNS },
    );
    expect(found).toBeGreaterThan(RUNS / 10);
  });

  test('couldBind is true of exactly the volumes that could be chosen alone', () => {
    fc.assert(
      fc.property(anyVolume, anyClaim, fc.boolean(), (make, pvc, delayed) => {
        const pv = make('pv');
        expect(couldBind(pv, pvc, delayed, features)).toBe(allowed([pv], pvc, delayed).length === 1);
      }),
      { numRuns: RUNS },
    );
  });
});
