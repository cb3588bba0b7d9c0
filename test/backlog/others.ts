/** That a backlog of ours is no trouble for others: what the API server says of its priority levels, and a neighbour's calls. */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { callsPerEnvironment } from '../../lib/cluster/rate-limit-budget.ts';
import { between, type Level, type Levels, linesOf } from './flow-control.ts';
import type { Calls } from './neighbour-process.ts';
import type { Others } from './place.ts';

export interface WhatOthersSaw {
  readonly level: Others['level'];
  /** From the start of the workers to their end. */
  readonly levels: Levels;
  /** The neighbour's, in that time. */
  readonly calls: Calls;
}

/** How long the neighbour is watched before, for comparison. */
const BEFORE_MS = 5_000;

/** Watches from now on. @returns ends it, and prints what was seen. */
export async function watchOthers({
  neighbour,
  level,
  levels,
}: Others): Promise<(elapsedMs: number) => Promise<WhatOthersSaw>> {
  await neighbour.take();
  await setTimeout(BEFORE_MS);
  const quiet = await neighbour.take();
  const before = await levels();
  return async (elapsedMs) => {
    const calls = await neighbour.take();
    const during = between(before, await levels());
    console.log(
      [
        `neighbour before: ${textOf(quiet)}`,
        `neighbour meanwhile: ${textOf(calls)}`,
        ...linesOf(during, elapsedMs),
      ].join('\n'),
    );
    return { level, levels: during, calls };
  };
}

function textOf({ latencies, refused }: Calls): string {
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1);
  const refusals = Object.keys(refused).length === 0 ? 'none refused' : `refused ${JSON.stringify(refused)}`;
  return `${sorted.length} calls, ${refusals}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

/** @param ourCalls as the workers have counted them. */
export function describeOthers(others: () => WhatOthersSaw, ourCalls: () => number): void {
  const levelOf = (name: string): Level => {
    const level = others().levels.get(name);
    if (level === undefined) throw new Error(`the API server says nothing of ${name}`);
    return level;
  };
  const ours = () => levelOf(others().level);

  describe('what the API server says', () => {
    test('it gives us the seats that the default limit rests on', () => {
      const environments = 24;
      const secondsPerCall = 0.025;
      expect(ours().seats).toBeGreaterThanOrEqual(callsPerEnvironment(10) * environments * secondsPerCall);
    });

    test('it has counted the calls that we have counted, and refused none', () => {
      const neighbours = others().level === 'global-default' ? others().calls.latencies.length : 0;
      // The neighbour's calls are counted at the two ends of the stretch, a few more or less.
      expect(Math.abs(ours().dispatched - ourCalls() - neighbours)).toBeLessThanOrEqual(neighbours === 0 ? 0 : 10);
      expect(ours().rejected).toBe(0);
    });

    test('of all calls of all levels, under 1 % were refused', () => {
      const all = [...others().levels.values()];
      const sum = (of: (level: Level) => number) => all.reduce((total, level) => total + of(level), 0);
      expect(sum(({ rejected }) => rejected) * 100).toBeLessThan(sum(({ dispatched }) => dispatched));
    });
  });

  describe('a neighbour, an ordinary user', () => {
    test('worked all the while, and each of its calls succeeded', () => {
      const { latencies, refused } = others().calls;
      expect(latencies.length).toBeGreaterThan(20);
      expect(refused).toEqual({});
    });

    test('was refused nothing in its priority level', () => {
      expect(levelOf('global-default').dispatched).toBeGreaterThan(20);
      expect(levelOf('global-default').rejected).toBe(0);
    });
  });
}
