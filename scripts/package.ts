/** `npm run package`: checks the stage file, builds the bundles, and packages the stack, without an account or a network. */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAll } from './build.ts';
import { runOsls } from './osls.ts';
import { stageOrExit } from './stage-options.ts';

const DIRECTORY = '.serverless';
const DEFAULT_STAGE = 'example';

const HELP = `Usage: npm run package -- [--stage STAGE]

Packages the stack of config/STAGE.yml into ${DIRECTORY}/: a zip per function and the CloudFormation template. No account is
needed, and the zips are the same at every run. Without --stage it is \`${DEFAULT_STAGE}\`: the zips hold no settings, so
they are those of every stage.

Ends with 0, or with 1 when something is wrong, or with 2 when called the wrong way.
`;

const { stage } = stageOrExit(process.argv.slice(2), { help: HELP, defaultStage: DEFAULT_STAGE });
await buildAll();
// Zips of functions that are no more would be taken for new ones.
await rm(DIRECTORY, { recursive: true, force: true });
process.exitCode = await runOsls(['package', '--stage', stage]);
if (process.exitCode === 0) await printZips();

async function printZips(): Promise<void> {
  const zips = (await readdir(DIRECTORY)).filter((name) => name.endsWith('.zip')).sort();
  console.log('    bytes  sha256                                                            zip');
  for (const name of zips) {
    const bytes = await readFile(join(DIRECTORY, name));
    const hash = createHash('sha256').update(bytes).digest('hex');
    console.log(`${String(bytes.length).padStart(9)}  ${hash}  ${name}`);
  }
}
