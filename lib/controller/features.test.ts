import { describe, expect, test } from 'vitest';
import { featuresOf, isSupported, parseServerVersion } from './features.ts';

describe('features by server version (BEHAVIOUR 1.4, DESIGN D9)', () => {
  test.each([
    [31, false],
    [32, false],
    [33, false],
    [34, true],
    [35, true],
    [36, true],
    [37, true],
  ])('VolumeAttributesClass on 1.%d: %s', (minor, on) => {
    expect(featuresOf({ major: 1, minor }).volumeAttributesClass).toBe(on);
    expect(featuresOf({ major: 1, minor }, { volumeAttributesClass: !on }).volumeAttributesClass).toBe(!on);
    expect(isSupported({ major: 1, minor })).toBe(true);
  });

  test('a major version 2 has what 1.37 has', () => {
    expect(featuresOf({ major: 2, minor: 0 }).volumeAttributesClass).toBe(true);
    expect(isSupported({ major: 2, minor: 0 })).toBe(true);
  });

  test('1.30 is too old', () => {
    expect(isSupported({ major: 1, minor: 30 })).toBe(false);
  });

  test('reads the minors of managed clusters', () => {
    expect(parseServerVersion({ major: '1', minor: '31+' })).toEqual({ major: 1, minor: 31 });
    expect(parseServerVersion({ major: '1', minor: '36' })).toEqual({ major: 1, minor: 36 });
  });

  test.each([[{}], [{ major: '1' }], [{ major: '', minor: '31' }], [{ major: '1', minor: 'x' }]])(
    'refuses %j',
    (version) => {
      expect(() => parseServerVersion(version)).toThrow('no usable major and minor');
    },
  );
});
