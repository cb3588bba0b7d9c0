/** The observer sees what must not happen: each violation planted once, beside a case that looks like it and is none. */
import { describe, expect, test } from 'vitest';
import { boundPair, claim, refTo, volume } from '../../../lib/controller/testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/controller/types.ts';
import { violationsIn } from './invariants.ts';
import type { Claim, State, Volume } from './state.ts';

type Step = Partial<Pick<State, 'type' | 'isOurs'>> & { volume?: PersistentVolume; claim?: PersistentVolumeClaim };

/** States in this order; each is a write of ours unless said otherwise. */
function history(...steps: readonly Step[]): State[] {
  const last = new Map<string, Volume | Claim>();
  return steps.map(({ volume, claim, type, isOurs = true }, index) => {
    const object = (volume ?? claim) as Volume & Claim;
    const before = last.get(object.metadata.uid);
    last.set(object.metadata.uid, object);
    const kind = volume === undefined ? 'claim' : 'volume';
    return { kind, type: type ?? (before ? 'MODIFIED' : 'ADDED'), at: index + 1, object, before, isOurs } as State;
  });
}

const invariantsIn = (...steps: readonly Step[]) => violationsIn(history(...steps)).map(({ invariant }) => invariant);

const inPhase = (object: PersistentVolume, phase: string): PersistentVolume => ({
  ...object,
  status: { ...object.status, phase },
});
const pair = boundPair();
const bound: readonly Step[] = [{ claim: pair.claim }, { volume: pair.volume }];
const claimGone: Step = { claim: pair.claim, type: 'DELETED', isOurs: false };

describe('I1', () => {
  test.each(['Released', 'deleted', 'deleted later'])('a volume that is %s while its claim exists', (what) => {
    const dying = { ...pair.volume, metadata: { ...pair.volume.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const steps: Readonly<Record<string, Step>> = {
      Released: { volume: inPhase(pair.volume, 'Released') },
      deleted: { volume: pair.volume, type: 'DELETED' },
      'deleted later': { volume: dying },
    };
    const step = steps[what] as Step;

    expect(invariantsIn(...bound, step)).toContain('I1');
    expect(invariantsIn(...bound, claimGone, step)).toEqual([]);
  });

  test('a volume that is recycled while its claim exists', () => {
    const { claimRef: _, ...spec } = pair.volume.spec;
    const steps: Step[] = [
      { volume: inPhase(pair.volume, 'Released'), isOurs: false },
      { volume: { ...inPhase(pair.volume, 'Available'), spec } },
    ];

    expect(invariantsIn(...bound, ...steps)).toContain('I1');
    expect(invariantsIn(...bound, claimGone, ...steps)).toEqual([]);
  });

  test('a claim that is being deleted still exists', () => {
    const dying = { ...pair.claim, metadata: { ...pair.claim.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };

    expect(
      invariantsIn(...bound, { claim: dying, isOurs: false }, { volume: inPhase(pair.volume, 'Released') }),
    ).toEqual(['I1']);
  });

  test('what a user deletes is no violation', () => {
    expect(invariantsIn(...bound, { volume: pair.volume, type: 'DELETED', isOurs: false })).toEqual([]);
  });
});

describe('I2', () => {
  test('two claims that are bound to one volume', () => {
    const second = claim('two', { spec: { volumeName: 'pv-of-one' }, status: { phase: 'Bound' } });

    expect(invariantsIn(...bound, { claim: second })).toEqual(['I2']);
    expect(invariantsIn(...bound, claimGone, { claim: second })).toEqual([]);
    expect(invariantsIn(...bound, { claim: { ...second, status: { phase: 'Pending' } } })).toEqual([]);
  });

  test('a volume that goes from one claim to another without being free', () => {
    const other = { ...pair.volume, spec: { ...pair.volume.spec, claimRef: refTo(claim('two')) } };

    expect(invariantsIn(...bound, { volume: other })).toEqual(['I6']);
  });
});

describe('I3', () => {
  const csi = { driver: 'disk.example.com', volumeHandle: '1' };

  test.each([
    ['a CSI driver', 'Delete', { csi }, {}, ['I3']],
    ['an external provisioner', 'Delete', {}, { 'pv.kubernetes.io/provisioned-by': 'disk.example.com' }, ['I3']],
    ['an in-tree plugin', 'Delete', {}, { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' }, []],
    ['a CSI driver, kept', 'Retain', { csi }, {}, []],
  ])(
    'a volume of %s with policy %s that is Failed',
    (_, persistentVolumeReclaimPolicy, source, annotations, expected) => {
      const released = volume('disk', {
        annotations: annotations as Record<string, string>,
        spec: { ...source, persistentVolumeReclaimPolicy },
        status: { phase: 'Released' },
      });

      expect(invariantsIn({ volume: released }, { volume: inPhase(released, 'Failed') })).toEqual(expected);
    },
  );

  test('a picked volume that is released because its claim was bound to another one', () => {
    const elsewhere = { ...pair.claim, spec: { ...pair.claim.spec, volumeName: 'another' } };
    const released = inPhase(pair.volume, 'Released');
    const own = { ...pair.volume, metadata: { ...pair.volume.metadata, name: `pvc-${pair.claim.metadata.uid}` } };

    expect(invariantsIn({ claim: elsewhere }, { volume: pair.volume }, { volume: released })).toEqual(['I3']);
    expect(invariantsIn({ claim: elsewhere }, { volume: own }, { volume: inPhase(own, 'Released') })).toEqual([]);
  });
});
