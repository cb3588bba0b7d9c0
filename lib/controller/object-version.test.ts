import { describe, expect, test } from 'vitest';
import { isCurrent } from './object-version.ts';

const current = (held: string | undefined, received: string) => isCurrent(held, received, 'volume "pv"');

describe('the version rule (BEHAVIOUR 2.3)', () => {
  test('where nothing is held, anything is stored, its version unread', () => {
    expect(current(undefined, 'nonsense')).toBe(true);
  });

  test('equal and newer replace, older does not; numbers are compared, not strings', () => {
    expect(current('2', '2')).toBe(true);
    expect(current('2', '10')).toBe(true);
    expect(current('10', '2')).toBe(false);
    expect(current('9223372036854775806', '9223372036854775807')).toBe(true);
    expect(current('9223372036854775807', '9223372036854775806')).toBe(false);
  });

  test.each(['', 'a', '1.5', '0x1', '1_0', ' 1', '9223372036854775808', '-9223372036854775809'])(
    '%j is an error on either side',
    (bad) => {
      expect(() => current('1', bad)).toThrow(`error parsing ResourceVersion "${bad}" of volume "pv"`);
      expect(() => current(bad, '1')).toThrow('error parsing');
    },
  );

  test('an error says what is wrong with the version', () => {
    expect(() => current('1', 'a')).toThrow(/parsing "a": invalid syntax$/);
    expect(() => current('1', '9223372036854775808')).toThrow(/parsing "9223372036854775808": value out of range$/);
  });

  test('the limits of 64 bits are versions', () => {
    expect(current('-9223372036854775808', '+1')).toBe(true);
  });
});
