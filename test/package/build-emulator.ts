/**
 * Builds Lambda's Runtime Interface Emulator into the user's cache, from the Go module in emulator/.
 *
 *     node test/package/build-emulator.ts
 *
 * Without Go it says so and leaves with 0, as the tests that need it are skipped then; with CI=true it fails.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { withBuildLock } from '../control-plane/build-lock.ts';

/** Where the emulator is, or why there is none. */
export type EmulatorBinary = { readonly path: string } | { readonly missing: string };

const moduleDirectory = fileURLToPath(new URL('./emulator', import.meta.url));
const command = 'github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie';
const buildArguments = ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w'];
const run = promisify(execFile);

/** Finds the emulator without building it. */
export async function emulatorBinary(): Promise<EmulatorBinary> {
  const path = await binaryPath();
  return (await isExecutable(path))
    ? { path }
    : { missing: 'Lambda’s emulator has not been built: run `npm run emulator:build` (half a minute, once)' };
}

/**
 * Builds the emulator unless it is there already.
 * @param log gets a line when something takes time.
 * @throws Error with Go's own words when the build fails.
 */
export async function buildEmulator(log: (line: string) => void = console.log): Promise<EmulatorBinary> {
  const found = await emulatorBinary();
  if ('path' in found) return found;
  try {
    await run('go', ['version']);
  } catch {
    return { missing: '`go` was not found on PATH; it builds Lambda’s Runtime Interface Emulator' };
  }
  const path = await binaryPath();
  await mkdir(dirname(path), { recursive: true });
  return withBuildLock(`${path}.lock`, log, async () => {
    // Whoever had the lock before us may have built it.
    if (!(await isExecutable(path))) await compile(path, log);
    return { path };
  });
}

/** Compiles next to the target and renames: nobody ever sees half a binary. */
async function compile(path: string, log: (line: string) => void): Promise<void> {
  const temporary = await mkdtemp(join(dirname(path), '.building-'));
  const started = performance.now();
  log('building Lambda’s emulator: about half a minute the first time');
  try {
    const output = join(temporary, 'emulator');
    const env = { ...process.env, CGO_ENABLED: '0' };
    await run('go', [...buildArguments, '-o', output, command], { cwd: moduleDirectory, env });
    await rename(output, path);
    log(`built in ${Math.round((performance.now() - started) / 1000)} s: ${path}`);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Where the binary of the present module belongs: another version, another name. */
async function binaryPath(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${buildArguments.join(' ')}\0`);
  for (const name of ['go.mod', 'go.sum']) hash.update(await readFile(join(moduleDirectory, name)));
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'serverless-pv-controller', `emulator-${hash.digest('hex').slice(0, 16)}`);
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const emulator = await buildEmulator();
  if ('path' in emulator) console.log(`emulator: ${emulator.path}`);
  else if (process.env['CI'] === 'true') {
    console.error(`emulator: cannot be built: ${emulator.missing}`);
    process.exitCode = 1;
  } else console.error(`emulator: SKIPPED, tests that need it will be skipped too: ${emulator.missing}`);
}
