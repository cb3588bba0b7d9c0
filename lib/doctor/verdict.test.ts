import { describe, expect, it } from 'vitest';
import type { Report } from './report-schema.ts';
import { exitCodeOf, type Threshold } from './verdict.ts';

const looked = { unread: [], unjudged: [] };
const halfBlind = { unread: [{ kind: 'Pod', why: 'forbidden' }], unjudged: [] };

describe('the exit code', () => {
  it.each<[Report['verdict'], Threshold, number]>([
    ['ok', 'waiting', 0],
    ['waiting', 'waiting', 1],
    ['waiting', 'stuck', 0],
    ['stuck', 'stuck', 1],
    ['broken', 'stuck', 1],
    ['stuck', 'broken', 0],
    ['broken', 'broken', 1],
    ['broken', 'never', 0],
  ])('of a cluster that is %s, with --fail-on %s, is %i', (verdict, failOn, code) => {
    expect(exitCodeOf({ verdict, ...looked }, failOn)).toBe(code);
  });

  it('promises no health where a kind was not read or an object not judged', () => {
    expect(exitCodeOf({ verdict: 'ok', ...halfBlind }, 'stuck')).toBe(4);
    const unjudged = [{ subject: { kind: 'PersistentVolume', name: 'pv-1' }, why: 'x' }] as Report['unjudged'];
    expect(exitCodeOf({ verdict: 'ok', unread: [], unjudged }, 'stuck')).toBe(4);
  });

  it('tells what is stuck all the same, and nothing when nothing shall fail', () => {
    expect(exitCodeOf({ verdict: 'stuck', ...halfBlind }, 'stuck')).toBe(1);
    expect(exitCodeOf({ verdict: 'ok', ...halfBlind }, 'never')).toBe(0);
  });
});
