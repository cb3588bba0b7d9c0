/** The dependency rules, and proof that they were applied to something: without TypeScript 6 the tool reads 0 modules. */
import { spawnSync } from 'node:child_process';

const MIN_MODULES = 60;
const run = spawnSync(
  'depcruise',
  [
    '--config',
    '.dependency-cruiser.json',
    '--output-type',
    'json',
    'lib',
    'cli',
    'functions',
    'bridge',
    'infra',
    'local',
  ],
  {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  },
);
if (run.error) throw run.error;
if (run.stdout === '') throw new Error(`dependency-cruiser printed nothing: ${run.stderr}`);
const { summary } = JSON.parse(run.stdout) as {
  summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] };
};
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
if (summary.totalCruised < MIN_MODULES)
  console.error(`only ${summary.totalCruised} modules read, expected ${MIN_MODULES}`);
console.log(`dependencies: ${summary.totalCruised} modules, ${summary.violations.length} violations`);
process.exitCode = summary.violations.length > 0 || summary.totalCruised < MIN_MODULES ? 1 : 0;
