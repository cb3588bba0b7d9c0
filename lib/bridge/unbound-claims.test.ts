import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../controller/types.ts';
import { claim } from './testing/objects.ts';
import { UnboundClaims } from './unbound-claims.ts';

/** A claim that can be counted, and counts how often its age was asked for. */
class Counted {
  static asked = 0;
  readonly spec: PersistentVolumeClaim['spec'];
  readonly metadata: PersistentVolumeClaim['metadata'];

  constructor(name: string, created: string, storageClassName: string) {
    this.spec = { ...claim(name).spec, storageClassName };
    const metadata = { namespace: 'ns', name };
    Object.defineProperty(metadata, 'creationTimestamp', {
      get() {
        Counted.asked++;
        return created;
      },
    });
    this.metadata = metadata;
  }
}

const pending = (name: string, created = '2026-01', storageClassName = 'fast') =>
  new Counted(name, created, storageClassName);
const names = (claims: UnboundClaims, name = 'fast') =>
  Array.from(claims.ofClass(name), ({ metadata }) => metadata.name);

/** As many claims as wanted, older ones first: 100, 101, … */
function filled(count: number): { claims: UnboundClaims; held: Counted[] } {
  const claims = new UnboundClaims();
  const held = Array.from({ length: count }, (_, index) => pending(String(100 + index), `2026-${100 + index}`));
  for (const each of held) claims.add(each);
  return { claims, held };
}

/** What reading all claims costs. */
function askedFor(read: () => unknown): number {
  Counted.asked = 0;
  read();
  return Counted.asked;
}

describe('the unbound claims of a class', () => {
  it.each([[['a', 'b', 'c']], [['c', 'b', 'a']], [['b', 'c', 'a']]])(
    'of the same age come by their names, added as %j',
    (order) => {
      const claims = new UnboundClaims();
      for (const name of order) claims.add(pending(name));
      expect(names(claims)).toEqual(['a', 'b', 'c']);
    },
  );

  it('move to the place of their new age when another claim took their name', () => {
    const { claims, held } = filled(3);
    expect(names(claims)).toEqual(['100', '101', '102']);
    const [first] = held;
    if (first !== undefined) claims.replace(first, pending('100', '2026-200'));
    expect(names(claims)).toEqual(['101', '102', '100']);
  });

  it('are those of now, not of before, after one was replaced in its place', () => {
    const { claims, held } = filled(2);
    names(claims);
    const [first] = held;
    const newer = pending('100', '2026-100');
    if (first !== undefined) claims.replace(first, newer);
    expect([...claims.ofClass('fast')]).toEqual([newer, held[1]]);
    expect([...claims.ofClass('fast')][0]).toBe(newer);
  });

  it('move to another class', () => {
    const { claims, held } = filled(2);
    const [first] = held;
    if (first !== undefined) claims.replace(first, pending('100', '2026-100', 'slow'));
    expect([names(claims), names(claims, 'slow')]).toEqual([['101'], ['100']]);
  });

  it('do without one that was never among them', () => {
    const { claims } = filled(1);
    claims.delete(pending('stranger'));
    claims.delete(pending('stranger', '2026-01', 'slow'));
    claims.replace(pending('guest', '2026-200'), pending('guest', '2026-200'));
    expect(names(claims)).toEqual(['100', 'guest']);
  });
});

describe('reading them again', () => {
  it('does not sort them while claims go, change in their places or come at the end', () => {
    const { claims, held } = filled(100);
    expect(askedFor(() => names(claims))).toBeGreaterThan(100);
    expect(askedFor(() => names(claims))).toBe(0);
    const [first, second] = held;
    if (first === undefined || second === undefined) throw new Error('too few claims');
    claims.delete(first);
    claims.replace(second, pending('101', '2026-101'));
    claims.add(pending('200', '2026-200'));
    expect(askedFor(() => names(claims))).toBe(0);
    expect(names(claims)).toEqual([...held.slice(1).map(({ metadata }) => metadata.name), '200']);
  });

  it('sorts them when most are gone, and then holds those no more', () => {
    const { claims, held } = filled(50);
    names(claims);
    // Twice the claims that are left, and sixteen.
    const delayed = held.splice(0, 33);
    for (const each of delayed) claims.delete(each);
    expect(askedFor(() => names(claims))).toBe(0);
    const [last] = held.splice(0, 1);
    if (last !== undefined) claims.delete(last);
    expect(askedFor(() => names(claims))).toBeGreaterThan(0);
    expect(names(claims)).toEqual(held.map(({ metadata }) => metadata.name));
  });
});

describe('their memory', () => {
  it('holds no claim that is gone', () => {
    const { claims, held } = filled(1_000);
    const before = queryObjects(Counted, { format: 'count' });
    for (const each of held.splice(1)) claims.delete(each);
    names(claims);
    expect(before - queryObjects(Counted, { format: 'count' })).toBeGreaterThan(990);
    expect(names(claims)).toEqual(['100']);
  });

  it('holds no class without claims', () => {
    const claims = new UnboundClaims();
    const before = queryObjects(Map, { format: 'count' });
    for (let index = 0; index < 1_000; index++) {
      const only = pending('one', '2026-01', `class-${index}`);
      claims.add(only);
      claims.delete(only);
    }
    expect(queryObjects(Map, { format: 'count' }) - before).toBeLessThan(100);
    expect(names(claims, 'class-1')).toEqual([]);
  });
});
