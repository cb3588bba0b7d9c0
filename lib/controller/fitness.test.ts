import { describe, expect, test } from 'vitest';
import { BETA_STORAGE_CLASS } from './annotations.ts';
import { differenceOf, volumeModeMismatch, whyUnfit } from './fitness.ts';
import { claim, volume } from './testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';

const on = { volumeAttributesClass: true };
const off = { volumeAttributesClass: false };
const why = (pv: PersistentVolume, pvc: PersistentVolumeClaim, features = on) => whyUnfit(pv, pvc, features);
const asking = (storage: string) => claim('one', { spec: { resources: { requests: { storage } } } });
const offering = (storage: string) => volume('pv', { spec: { capacity: { storage } } });

const OFF_MESSAGE =
  'volumeAttributesClassName is not supported when the feature-gate VolumeAttributesClass is disabled';

describe('whyUnfit (BEHAVIOUR 3.4)', () => {
  test('the first failure wins, in the order of the rules', () => {
    const worst = volume('pv', {
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      spec: {
        capacity: { storage: '1Mi' },
        storageClassName: 'fast',
        volumeAttributesClassName: 'gold',
        volumeMode: 'Block',
        accessModes: ['ReadOnlyMany'],
      },
    });
    const reasons: (string | undefined)[] = [];
    const fix = (metadata: object, spec: object) => {
      Object.assign(worst.metadata, metadata);
      Object.assign(worst.spec, spec);
      reasons.push(why(worst, claim('one')));
    };
    reasons.push(why(worst, claim('one')));
    delete worst.metadata.deletionTimestamp;
    fix({}, {});
    fix({}, { capacity: { storage: '1Gi' } });
    fix({}, { storageClassName: '' });
    fix({}, { volumeAttributesClassName: '' });
    fix({}, { volumeMode: 'Filesystem' });
    fix({}, { accessModes: ['ReadOnlyMany', 'ReadWriteOnce'] });
    expect(reasons).toEqual([
      'the volume is marked for deletion "pv"',
      'requested PV is too small',
      'storageClassName does not match',
      'volumeAttributesClassName does not match',
      'incompatible volumeMode',
      'incompatible accessMode',
      undefined,
    ]);
  });

  test('sizes are compared in whole bytes, rounded up, without a 64-bit limit', () => {
    expect(why(offering('1Gi'), asking('1073741823500m'))).toBeUndefined();
    expect(why(offering('1'), asking('1.5'))).toBe('requested PV is too small');
    expect(why(offering('100m'), asking('1'))).toBeUndefined();
    expect(why(offering('1Gi'), asking('20E'))).toBe('requested PV is too small');
    expect(why(offering('30E'), asking('20E'))).toBeUndefined();
    expect(why(offering('10e18'), asking('1e19'))).toBeUndefined();
  });

  test('a claim without a request fits any size, a volume without a capacity only that', () => {
    expect(why(offering('1'), claim('one', { spec: { resources: {} } }))).toBeUndefined();
    expect(why(volume('pv', { spec: { capacity: {} } }), asking('1'))).toBe('requested PV is too small');
  });

  test('the beta class annotation wins over the field, on both sides, even when empty', () => {
    const beta = (value: string) => ({
      annotations: { [BETA_STORAGE_CLASS]: value },
      spec: { storageClassName: 'field' },
    });
    expect(why(volume('pv', beta('fast')), claim('one', { spec: { storageClassName: 'fast' } }))).toBeUndefined();
    expect(why(volume('pv', { spec: { storageClassName: 'fast' } }), claim('one', beta('fast')))).toBeUndefined();
    expect(why(volume('pv', beta('')), claim('one'))).toBeUndefined();
    expect(why(volume('pv', beta('fast')), claim('one', { spec: { storageClassName: 'field' } }))).toBe(
      'storageClassName does not match',
    );
  });

  test('gate on: the attributes class must be equal, unset meaning empty', () => {
    const gold = { spec: { volumeAttributesClassName: 'gold' } };
    expect(why(volume('pv', gold), claim('one', gold))).toBeUndefined();
    expect(why(volume('pv', { spec: { volumeAttributesClassName: '' } }), claim('one'))).toBeUndefined();
    expect(why(volume('pv'), claim('one', gold))).toBe('volumeAttributesClassName does not match');
    expect(why(volume('pv', gold), claim('one'))).toBe('volumeAttributesClassName does not match');
  });

  test('gate off: any attributes class on either side is unsupported, equal ones too', () => {
    const gold = { spec: { volumeAttributesClassName: 'gold' } };
    expect(why(volume('pv', gold), claim('one', gold), off)).toBe(OFF_MESSAGE);
    expect(why(volume('pv'), claim('one', gold), off)).toBe(OFF_MESSAGE);
    expect(why(volume('pv', gold), claim('one'), off)).toBe(OFF_MESSAGE);
    expect(why(volume('pv', { spec: { volumeAttributesClassName: '' } }), claim('one'), off)).toBeUndefined();
  });

  test('selector, phase and labels are not looked at', () => {
    const picky = claim('one', { spec: { selector: { matchLabels: { tier: 'gold' } } } });
    expect(why(volume('pv', { status: { phase: 'Failed' } }), picky)).toBeUndefined();
  });

  test('an unset volumeMode is Filesystem', () => {
    const mode = (volumeMode?: string) => (volumeMode === undefined ? {} : { spec: { volumeMode } });
    const mismatch = (pv?: string, pvc?: string) => volumeModeMismatch(volume('pv', mode(pv)), claim('one', mode(pvc)));
    expect(mismatch()).toBe(false);
    expect(mismatch('Filesystem')).toBe(false);
    expect(mismatch(undefined, 'Filesystem')).toBe(false);
    expect(mismatch('Block')).toBe(true);
    expect(mismatch(undefined, 'Block')).toBe(true);
    expect(mismatch('Block', 'Block')).toBe(false);
  });
});

describe('by how much a requested volume does not fit', () => {
  test.each<[string, Partial<PersistentVolume['spec']>]>([
    ['needs 1Gi, has 1Mi', { capacity: { storage: '1Mi' } }],
    ['needs none, has fast', { storageClassName: 'fast' }],
    ['needs none, has gold', { volumeAttributesClassName: 'gold' }],
    ['needs Filesystem, has Block', { volumeMode: 'Block' }],
    ['needs ReadWriteOnce, has ReadOnlyMany+ReadWriteMany', { accessModes: ['ReadOnlyMany', 'ReadWriteMany'] }],
    ['', {}],
  ])('%s', (text, spec) => {
    expect(differenceOf(volume('pv', { spec }), claim('one'), on)).toBe(text);
  });

  test('says every mode that the claim needs', () => {
    const wanting = claim('one', { spec: { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] } });
    expect(differenceOf(volume('pv'), wanting, on)).toBe('needs ReadWriteOnce+ReadOnlyMany, has ReadWriteOnce');
  });

  test('nothing is compared where the server knows no attributes classes', () => {
    expect(differenceOf(volume('pv', { spec: { volumeAttributesClassName: 'gold' } }), claim('one'), off)).toBe('');
  });
});
