import { describe, expect, test } from 'vitest';
import { BETA_DEFAULT_CLASS, BETA_STORAGE_CLASS, DEFAULT_CLASS } from './annotations.ts';
import { defaultClassOf, hasClass } from './default-class.ts';
import { claim, storageClass } from './testing/objects.ts';

function candidate(
  name: string,
  creationTimestamp: string,
  mark: Record<string, string> = { [DEFAULT_CLASS]: 'true' },
) {
  return storageClass(name, { metadata: { name, creationTimestamp, annotations: mark } });
}

const nameOf = (...classes: ReturnType<typeof candidate>[]) => defaultClassOf(classes)?.metadata.name;

describe('the default class (BEHAVIOUR 10)', () => {
  test('is the newest, ties by name ascending', () => {
    const old = candidate('a', '2025-01-01T00:00:00Z');
    const newest = candidate('c', '2026-01-01T00:00:00Z');
    const sameAge = candidate('b', '2026-01-01T00:00:00Z');
    expect(nameOf(old, newest)).toBe('c');
    expect(nameOf(newest, old)).toBe('c');
    expect(nameOf(old, newest, sameAge)).toBe('b');
    expect(nameOf(sameAge, newest, old)).toBe('b');
  });

  test('is marked by the annotation or its beta key, with exactly "true"', () => {
    expect(nameOf(candidate('a', '', { [BETA_DEFAULT_CLASS]: 'true' }))).toBe('a');
    expect(nameOf(candidate('a', '', { [DEFAULT_CLASS]: 'false', [BETA_DEFAULT_CLASS]: 'true' }))).toBe('a');
    expect(nameOf(candidate('a', '', { [DEFAULT_CLASS]: 'True' }))).toBeUndefined();
    expect(nameOf(candidate('a', '', {}))).toBeUndefined();
    expect(nameOf()).toBeUndefined();
  });

  test('only a claim without annotation and field has no class; an empty string is one', () => {
    expect(hasClass(claim('one'))).toBe(false);
    expect(hasClass(claim('one', { spec: { storageClassName: '' } }))).toBe(true);
    expect(hasClass(claim('one', { spec: { storageClassName: 'fast' } }))).toBe(true);
    expect(hasClass(claim('one', { annotations: { [BETA_STORAGE_CLASS]: '' } }))).toBe(true);
  });
});
