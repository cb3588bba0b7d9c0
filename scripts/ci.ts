/** The steps of .ci/run, in order: all of them run, whatever fails before. Closes with `N passed, N failed`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

interface Step {
  readonly name: string;
  readonly script: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** A vitest run, whose tests are counted one by one. */
  readonly counted?: boolean;
  /** Of a vitest run: these folders. Of another script: its arguments. */
  readonly arguments?: readonly string[];
}

const STEPS: readonly Step[] = [
  { name: 'types', script: 'typecheck' },
  { name: 'lint and format', script: 'lint' },
  { name: 'unused code', script: 'unused' },
  { name: 'dependency rules', script: 'check:dependencies' },
  { name: 'licences', script: 'licences' },
  { name: 'known vulnerabilities', script: 'audit:check' },
  { name: 'reference pages', script: 'docs', arguments: ['--check'] },
  { name: 'tests', script: 'test', counted: true },
  { name: 'demo', script: 'demo' },
  { name: 'stack', script: 'lint:stack' },
  { name: 'control plane build', script: 'control-plane:build' },
  { name: 'Lambda emulator build', script: 'emulator:build' },
  { name: 'tests of what is packaged', script: 'test:package', counted: true },
  { name: 'control plane tests', script: 'test:control-plane', counted: true },
  {
    name: 'control plane tests with the built-in controller',
    script: 'test:control-plane',
    environment: { CONTROLLER: 'built-in' },
    counted: true,
    // What is about a controller; the rest has just run.
    arguments: ['integration', 'field', 'dynamic'].map((folder) => `test/control-plane/${folder}`),
  },
  { name: 'observe scored against the built-in controller', script: 'test:observing', counted: true },
  { name: 'built-in and ours compared', script: 'test:differential', arguments: ['--cases', '--seeds', '40'] },
];

interface Result {
  passed: number;
  failed: number;
  skipped: number;
}

const reports = mkdtempSync(join(tmpdir(), 'pv-controller-ci-'));
const total: Result = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
for (const step of STEPS) {
  const started = performance.now();
  console.log(`\n=== ${step.name}`);
  const result = await run(step);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`=== ${step.name}: ${result.failed === 0 ? 'ok' : 'FAILED'} after ${seconds} s`);
  if (result.failed > 0) failures.push(step.name);
  total.passed += result.passed;
  total.failed += result.failed;
  total.skipped += result.skipped;
}
rmSync(reports, { recursive: true, force: true });
if (failures.length > 0) console.log(`\nfailed: ${failures.join(', ')}`);
const skipped = total.skipped === 0 ? '' : `, ${total.skipped} skipped`;
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function run(step: Step): Promise<Result> {
  const report = join(reports, `${step.name.replaceAll(' ', '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const options = ['--', ...(step.arguments ?? []), ...(step.counted ? reporters : [])];
  const code = await exitCodeOf('npm', ['run', '--silent', step.script, ...options], step.environment ?? {});
  if (!step.counted) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  const counts = countsIn(report);
  // A run that broke down before or after its tests has failed, whatever its tests say.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

function countsIn(report: string): Result {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8')) as {
      numPassedTests: number;
      numFailedTests: number;
      numPendingTests: number;
    };
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function exitCodeOf(command: string, args: string[], environment: Readonly<Record<string, string>>): Promise<number> {
  const PATH = `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...environment, PATH },
  });
  return new Promise((settle) => {
    child.once('error', (error) => {
      console.error(error.message);
      settle(127);
    });
    child.once('exit', (code) => settle(code ?? 1));
  });
}
