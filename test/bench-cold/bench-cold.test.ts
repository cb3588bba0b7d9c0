/** The parts of the bench that do not measure: what is told of a series, goals, and how it is called. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { coldImports } from './cold-import.ts';
import { figuresOf } from './figures.ts';
import { type ColdReport, type FunctionReport, textOf } from './report.ts';
import { spreadOf } from './statistics.ts';

const KIB = 1024;
const spread = (median: number) => ({ median, min: median, max: median, runs: 1 });
const times = (ms: number) => ({ elapsedMs: spread(ms), cpuMs: spread(ms / 2), readsPerKey: spread(2) });

function reportOf(name: FunctionReport['name'], bundleKib: number, importMs: number): FunctionReport {
  return {
    name,
    memoryMb: 512,
    bundleBytes: bundleKib * KIB,
    zipBytes: KIB,
    importMs: spread(importMs),
    importCpuMs: spread(importMs),
  };
}

function withEmulator(name: FunctionReport['name'], ms: number): FunctionReport {
  const warm = { change: times(ms), settled: times(2 * ms), maxRssMb: ms };
  return { ...reportOf(name, 300, 100), emulated: { initMs: spread(ms), firstMs: spread(ms), warm } };
}

const report = (...functions: readonly FunctionReport[]): ColdReport => ({
  machine: 'a machine',
  runs: 1,
  latencyMs: 10,
  functions,
});

test.each([
  [[3], 3],
  [[5, 1, 3], 3],
  [[4, 1, 3, 2], 2.5],
])('of %j the median is %d', (values, median) => {
  expect(spreadOf(values)).toEqual({
    median,
    min: Math.min(...values),
    max: Math.max(...values),
    runs: values.length,
  });
});

test('of nothing nothing is told', () => {
  expect(() => spreadOf([])).toThrow('nothing was measured');
});

test.each([
  ['volumeWorker', 300, 120, ['met: at most 300 KiB', 'met: at most 120 ms']],
  ['claimWorker', 300.1, 121, ['NOT MET: at most 300 KiB', 'NOT MET: at most 120 ms']],
] as const)('%s of %d KiB, imported in %d ms: %j', (name, kib, ms, goals) => {
  const text = textOf(report(reportOf(name, kib, ms)));
  for (const goal of goals) expect(text).toContain(`  ${goal}`);
});

test('goals are of the workers alone', () => {
  expect(textOf(report(reportOf('bridge', 1_000, 1_000)))).not.toMatch(/met:/i);
});

test('the cost page gets the slower worker’s settled keys and start, and the claim worker’s binds', () => {
  const { changeMs, changeCpuMs, settledMs, coldMs, workerPeakMb } = figuresOf(
    report(withEmulator('volumeWorker', 50), withEmulator('claimWorker', 40)),
  );

  expect([changeMs, changeCpuMs, settledMs, coldMs, workerPeakMb].map((figure) => figure?.value)).toEqual([
    40, 20, 100, 100, 50,
  ]);
});

test('and nothing from a report without the emulator', () => {
  const bare = report(reportOf('volumeWorker', 300, 100), reportOf('claimWorker', 300, 100));
  expect(() => figuresOf(bare)).toThrow('claimWorker was not measured under the emulator');
});

test('each file is imported in processes of its own, as often as asked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cold-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [good, bad] = [join(folder, 'good.mjs'), join(folder, 'bad.mjs')];
  // A second import in the same process would throw.
  writeFileSync(good, 'if (globalThis.seen) throw new Error("twice"); globalThis.seen = true;');
  writeFileSync(bad, 'throw new Error("no good");');
  let runs = 0;

  const { one, other } = await coldImports({ one: good, other: good }, 2, () => (runs += 1));

  expect(runs).toBe(4);
  for (const time of [one, other]) expect(time?.elapsedMs.runs).toBe(2);
  await expect(coldImports({ bad }, 1)).rejects.toThrow(/bad\.mjs cannot be imported: [\s\S]*no good/);
});

test.each([
  ['bench.ts', ['--help'], 0, '--latency MS'],
  ['bench.ts', ['--runs', '0'], 2, '--runs must be a whole number of 1 or more, got "0"'],
  ['events-bench.ts', ['--help'], 0, '--record'],
  ['events-bench.ts', ['--n', 'many'], 2, '--n must be a whole number of 1 or more, got "many"'],
])(
  '%s %j ends with %i',
  async (program, args, code, text) => {
    const { ended, output } = await new Promise<{ ended: number; output: string }>((resolve) => {
      execFile(process.execPath, [join(import.meta.dirname, program), ...args], (error, stdout, stderr) =>
        resolve({ ended: error === null ? 0 : Number(error.code), output: stdout + stderr }),
      );
    });
    expect(output).toContain(text);
    expect(ended).toBe(code);
  },
  60_000,
);
