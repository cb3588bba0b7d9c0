/**
 * `npm run lint:stack`: compiles the stack for every variant of a stage file, and checks each template with cfn-lint and
 * with the rules of infra/lint. `--only NAME` checks one variant.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readBundles } from '../infra/lint/bundles.ts';
import { blindSpots, cfnLint } from '../infra/lint/cfn-lint.ts';
import { compileStack } from '../infra/lint/compile.ts';
import { lint, rulesFor } from '../infra/lint/index.ts';
import { VARIANTS } from '../infra/lint/variants.ts';
import { buildAll } from './build.ts';
import { pythonTools } from './python-tools.ts';

const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)));
/** cfn-lint's own proofs are made with it. */
const PROVEN_WITH = 'smallest';

const { values: options } = parseArgs({ options: { only: { type: 'string' } } });
const names = Object.keys(VARIANTS).filter((name) => options.only === undefined || name === options.only);
if (names.length === 0) {
  console.error(`--only ${options.only}: there are ${Object.keys(VARIANTS).join(', ')}`);
  process.exit(2);
}

const tools = await pythonTools();
const isSkipped = 'missing' in tools;
if (isSkipped) console.error(`cfn-lint: SKIPPED: ${tools.missing}`);

const work = await mkdtemp(join(tmpdir(), 'pv-controller-lint-'));
let problems = 0;
try {
  await buildAll({ directory: join(work, 'dist') });
  const rules = rulesFor({
    bundles: await readBundles(join(work, 'dist')),
    runbook: await readFile(join(ROOT, 'docs', 'runbook.md'), 'utf8').catch(() => ''),
  });
  const waiting = [...names];
  // Most of the time each core compiles one.
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        report(name, await problemsOf(name, rules));
      }
    }),
  );
  const by = `${rules.length} rules ${isSkipped ? 'without' : 'and'} cfn-lint`;
  console.log(`${names.length} variants, ${by}: ${problems} problems`);
} finally {
  await rm(work, { recursive: true, force: true });
}
process.exitCode = problems > 0 || (isSkipped && process.env['CI'] === 'true') ? 1 : 0;

async function problemsOf(name: string, rules: ReturnType<typeof rulesFor>): Promise<string[]> {
  const { template, text } = await compileStack(name, VARIANTS[name] ?? '');
  const own = lint(template, rules).map(({ rule, resource, says }) => `${rule}: ${resource} ${says}`);
  if ('missing' in tools) return own;
  const found = [...own, ...(await cfnLint(tools.bin, work, name, text))];
  return name === PROVEN_WITH ? [...found, ...(await blindSpots(tools.bin, work, template))] : found;
}

function report(name: string, found: readonly string[]): void {
  problems += found.length;
  console.log(`${name}: ${found.length === 0 ? 'ok' : `${found.length} problems`}`);
  for (const line of found) console.log(`  ${line}`);
}
