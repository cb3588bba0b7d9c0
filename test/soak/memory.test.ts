/** Which processes are judged, and on which of their samples. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { countGrowing, growthOf, type MemorySample, readMemory, survivors } from './memory.ts';

const KB = 1024;

/** One sample each 5 seconds, from the first minute to the last one. */
function samples(from: number, to: number, live: (minute: number) => number): MemorySample[] {
  const times = Array.from({ length: (to - from) * 12 }, (_, index) => from + index / 12);
  return times.map((minute) => ({ at: minute * 60_000, live: live(minute) * KB, code: 0, rss: 2 * live(minute) * KB }));
}

test('a process that was started later, or has ended sooner, is not judged', () => {
  const all = [
    { process: 'bridge-1', samples: samples(0, 30, () => 1) },
    { process: 'bridge-2', samples: samples(0, 20, () => 1) },
    { process: 'bridge-3', samples: samples(20, 30, () => 1) },
    { process: 'worker-4', samples: [] },
  ];
  expect(survivors(all).map(({ process }) => process)).toEqual(['bridge-1']);
});

test('what grows at the beginning only is flat; what goes on growing, grows by so many KB a minute', () => {
  const noisy = (minute: number) => ((minute * 12) % 2) * 4;
  const filling = growthOf(
    samples(0, 30, (minute) => Math.min(minute, 10) * 500 + noisy(minute)),
    'live',
    20,
  );
  const leaking = growthOf(
    samples(0, 30, (minute) => minute * 40 + noisy(minute)),
    'live',
    20,
  );
  const outside = growthOf(
    samples(0, 30, (minute) => minute * 40 + noisy(minute)),
    'rss',
    100,
  );

  expect(filling?.verdict).toBe('flat');
  expect(leaking?.verdict).toBe('grows');
  expect(leaking?.line.slope).toBeCloseTo(40, 0);
  expect(outside).toMatchObject({ verdict: 'flat' });
  expect(outside?.line.slope).toBeCloseTo(80, 0);
  expect(growthOf(samples(0, 30, () => 1).slice(0, 2), 'live', 20)).toBeUndefined();
});

test('only what has a limit is judged', () => {
  const processes = [{ process: 'bridge-1', samples: samples(0, 30, (minute) => minute * 40) }];
  expect(countGrowing(processes, { live: 20, rss: 70 })).toBe(2);
  expect(countGrowing(processes, { rss: 70 })).toBe(1);
  expect(countGrowing(processes, { live: 50 })).toBe(0);
});

test('half a line of a process that was killed, and other files, are left out', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pv-soak-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'worker-7'), '{"at":1,"live":2,"code":4,"rss":3}\n{"at":2,"li');
  await writeFile(join(folder, 'worker-7-9.heapsnapshot'), '{}');

  expect(await readMemory(folder)).toEqual([{ process: 'worker-7', samples: [{ at: 1, live: 2, code: 4, rss: 3 }] }]);
});
