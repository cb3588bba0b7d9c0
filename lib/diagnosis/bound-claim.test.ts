import { describe, expect, test } from 'vitest';
import { BIND_COMPLETED } from '../controller/annotations.ts';
import { boundPair, claim, refTo, reservationFor, volume } from '../controller/testing/objects.ts';
import { explainClaim } from './testing/explain.ts';

const pair = boundPair();
const lost = { ...pair.claim, status: { phase: 'Lost' } };

describe('a claim that was bound', () => {
  test('is settled when both halves name each other', async () => {
    const finding = await explainClaim({ PersistentVolumeClaim: [pair.claim], PersistentVolume: [pair.volume] });
    expect(finding).toMatchObject({ cause: 'settled', severity: 'ok', state: 'Bound', next: 'nothing', cures: [] });
  });

  test('is the controller’s when part of the binding is missing', async () => {
    const { claimRef: _none, ...spec } = pair.volume.spec;
    const forgetful = { ...pair.volume, spec };
    const finding = await explainClaim({ PersistentVolumeClaim: [pair.claim], PersistentVolume: [forgetful] });
    expect(finding.cause).toBe('controller-behind');
  });

  test('is about to be Lost before the controller has said so: the cause is told at once', async () => {
    const finding = await explainClaim({ PersistentVolumeClaim: [pair.claim] });
    expect(finding).toMatchObject({ cause: 'volume-gone', state: 'Bound', next: 'claim ns/one: phase Bound -> Lost' });
  });

  test('and is Lost keeps its cause, though the sync has nothing more to say', async () => {
    const finding = await explainClaim({ PersistentVolumeClaim: [lost] });
    expect(finding).toMatchObject({ cause: 'volume-gone', state: 'Lost', next: 'nothing', severity: 'broken' });
  });

  test('and is Lost is bound again by the next sync once its volume is back', async () => {
    const finding = await explainClaim({ PersistentVolumeClaim: [lost], PersistentVolume: [pair.volume] });
    expect(finding).toMatchObject({ cause: 'controller-behind', next: 'claim ns/one: phase Lost -> Bound' });
  });
});

describe('a claim that names no volume any more', () => {
  const { volumeName: _none, ...spec } = lost.spec;
  const nameless = { ...lost, spec };

  test('is given its name back where a volume is still for it', async () => {
    const finding = await explainClaim({ PersistentVolumeClaim: [nameless], PersistentVolume: [pair.volume] });
    expect(finding.cause).toBe('volume-name-lost');
    expect(finding.cures).toMatchObject([{ does: 'Name volume pv-of-one again, which is for this claim' }]);
    expect(finding.cures[0]?.command).toContain('{"op":"add","path":"/spec/volumeName","value":"pv-of-one"}');
    expect(finding.cures[0]?.danger).toBeUndefined();
  });

  test('gets the volume back that holds its uid, not one that is reserved by name: naming that has its own released', async () => {
    const reserved = volume('another', { spec: { claimRef: reservationFor(nameless) } });
    const finding = await explainClaim({
      PersistentVolumeClaim: [nameless],
      PersistentVolume: [reserved, pair.volume],
    });
    expect(finding.cures).toMatchObject([{ does: 'Name volume pv-of-one again, which is for this claim' }]);
  });

  test('is bound anew only with a warning where no volume is for it', async () => {
    const [cure] = (await explainClaim({ PersistentVolumeClaim: [nameless] })).cures;
    expect(cure?.command).toContain(`/metadata/annotations/${BIND_COMPLETED.replace('/', '~1')}`);
    expect(cure?.danger).toMatch(/another volume/);
  });
});

describe('a claim whose volume names another', () => {
  const of = (claimRef: object) => ({ ...pair.volume, spec: { ...pair.volume.spec, claimRef } });

  test('with an older uid, as after a restore, gets it back without a warning', async () => {
    const restored = of({ ...refTo(pair.claim), uid: 'earlier' });
    const finding = await explainClaim({ PersistentVolumeClaim: [lost], PersistentVolume: [restored] });
    expect(finding.cause).toBe('misbound');
    expect(finding.why[0]).toContain('an earlier claim of this name (uid earlier), which does not exist');
    expect(finding.cures).toMatchObject([{ does: 'Give volume pv-of-one back to this claim' }]);
    expect(finding.cures[0]?.danger).toBeUndefined();
    expect(finding.cures[0]?.command).toContain('{"op":"test","path":"/spec/claimRef/uid","value":"earlier"}');
  });

  test('that is gone gets that one’s data only with a warning', async () => {
    const finding = await explainClaim({ PersistentVolumeClaim: [lost], PersistentVolume: [of(refTo(claim('two')))] });
    expect(finding.cures[0]?.danger).toBe('This claim gets the data that ns/two left on the volume.');
  });

  test('that lives takes nothing away without a warning', async () => {
    const two = claim('two', { spec: { volumeName: 'pv-of-one' }, status: { phase: 'Bound' } });
    const finding = await explainClaim({ PersistentVolumeClaim: [lost, two], PersistentVolume: [of(refTo(two))] });
    expect(finding.cures.every(({ danger }) => danger !== undefined)).toBe(true);
  });

  test('or rather this one without its uid: the whole reference is tested before the uid is put back', async () => {
    const wiped = of(reservationFor(pair.claim));
    const finding = await explainClaim({ PersistentVolumeClaim: [lost], PersistentVolume: [wiped] });
    expect(finding.cause).toBe('uid-wiped');
    expect(finding.cures[0]?.command).toContain(
      JSON.stringify({ op: 'test', path: '/spec/claimRef', value: reservationFor(pair.claim) }),
    );
  });
});
