/**
 * cfn-lint, ministack and botocore, in a virtual environment of their own in the user's cache, made at first use.
 *
 *     node scripts/python-tools.ts
 *
 * prints where they are.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { withBuildLock } from '../test/control-plane/build-lock.ts';

/** The folder of `python`, `cfn-lint` and `ministack`, or why there is none. */
export type PythonTools = { readonly bin: string } | { readonly missing: string };

const REQUIREMENTS = fileURLToPath(new URL('python-requirements.txt', import.meta.url));
const INSTALL_TIMEOUT_MS = 10 * 60_000;

const run = promisify(execFile);

/**
 * Finds the tools, or installs them (once, about a minute, from the package index that pip is set up for).
 * Two processes that ask at the same time get the same folder, and never half of it.
 * @param log gets a line when something takes time.
 *
 * @example
 * const tools = await pythonTools();
 * if ('missing' in tools) console.error(`cfn-lint: SKIPPED: ${tools.missing}`);
 */
export async function pythonTools(log: (line: string) => void = console.error): Promise<PythonTools> {
  const directory = await toolsDirectory();
  const bin = join(directory, 'bin');
  if (await exists(bin)) return { bin };
  try {
    await run('python3', ['--version']);
  } catch (error) {
    return { missing: `python3 does not run: ${reasonOf(error)}` };
  }
  await mkdir(dirname(directory), { recursive: true });
  return withBuildLock(`${directory}.lock`, log, async () => {
    // Whoever had the lock before us may have installed them.
    if (await exists(bin)) return { bin };
    log('installing cfn-lint, ministack and botocore for the checks (once, about a minute)');
    try {
      await install(directory);
      return { bin };
    } catch (error) {
      return { missing: `pip could not install ${REQUIREMENTS}: ${reasonOf(error)}` };
    }
  });
}

/** Named by what it holds: other requirements get another folder. */
async function toolsDirectory(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(REQUIREMENTS));
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'serverless-pv-controller', `python-${hash.digest('hex').slice(0, 16)}`);
}

/** A virtual environment cannot be moved: a finished one gets its name by a link. */
async function install(directory: string): Promise<void> {
  const made = await mkdtemp(`${directory}-`);
  try {
    await run('python3', ['-m', 'venv', made]);
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
    await run(join(made, 'bin', 'python'), ['-m', 'pip', 'install', ...quiet, '--requirement', REQUIREMENTS], {
      timeout: INSTALL_TIMEOUT_MS,
    });
    const link = `${made}.link`;
    await symlink(made, link);
    await rename(link, directory);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw error;
  }
}

/** The last lines that a program printed: the first ones are seldom why it failed. */
function reasonOf(error: unknown): string {
  const { stderr = '', stdout = '', message } = error as Error & { stderr?: string; stdout?: string };
  const said = (stderr.trim() || stdout.trim() || message).split('\n');
  return said.slice(-3).join(' ').trim();
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const tools = await pythonTools();
  if ('bin' in tools) console.log(tools.bin);
  else console.error(`python tools: ${tools.missing}`);
  process.exitCode = 'bin' in tools ? 0 : 1;
}
