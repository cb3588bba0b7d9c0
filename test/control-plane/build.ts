/**
 * Builds the control plane's binary (etcd, kube-apiserver, kube-controller-manager, provisioner) into the user's cache;
 * with `--older` the controller manager of an older minor version instead.
 *
 *     node test/control-plane/build.ts [--older]
 *
 * Without Go it says so and leaves with 0, since all other tests work without it; with CI=true it fails.
 */
import { spawn, spawnSync } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withBuildLock } from './build-lock.ts';
import { type Build, binaryPath, buildArguments, controlPlane, olderManager } from './build-plan.ts';

/** How often a running build tells that it is alive. */
const progressMilliseconds = 10_000;

/** Where the binary is, or why there is none. */
export type ControlPlaneBinary = { readonly path: string } | { readonly missing: string };

/**
 * Finds the binary without building it. `CONTROL_PLANE_BINARY` names one that was built elsewhere.
 *
 * @example
 * const binary = await controlPlaneBinary();
 * describe.skipIf('missing' in binary && !process.env.CI)('on a real control plane', () => {});
 */
export async function controlPlaneBinary(): Promise<ControlPlaneBinary> {
  const override = process.env.CONTROL_PLANE_BINARY;
  if (override) {
    return (await isExecutable(override))
      ? { path: override }
      : { missing: `CONTROL_PLANE_BINARY names ${override}, which is not an executable file` };
  }
  const path = await binaryPath(controlPlane);
  return (await isExecutable(path))
    ? { path }
    : { missing: 'the control plane has not been built: run `node test/control-plane/build.ts` (minutes, once)' };
}

/** Finds the controller manager of an older minor version without building it. */
export async function olderManagerBinary(): Promise<ControlPlaneBinary> {
  const path = await binaryPath(olderManager);
  return (await isExecutable(path))
    ? { path }
    : {
        missing: 'the older controller manager has not been built: `npm run control-plane:build-older` (minutes, once)',
      };
}

/** Builds the binary unless it is there already. `log` gets a line at least every ten seconds. */
export async function buildControlPlane(log: (line: string) => void = console.log): Promise<ControlPlaneBinary> {
  const found = await controlPlaneBinary();
  return 'path' in found || process.env.CONTROL_PLANE_BINARY ? found : await built(controlPlane, log);
}

async function buildOlderManager(log: (line: string) => void = console.log): Promise<ControlPlaneBinary> {
  const found = await olderManagerBinary();
  return 'path' in found ? found : await built(olderManager, log);
}

async function built(build: Build, log: (line: string) => void): Promise<ControlPlaneBinary> {
  if (spawnSync('go', ['version']).error) {
    return { missing: '`go` was not found on PATH; it builds etcd and the Kubernetes API server' };
  }
  const path = await binaryPath(build);
  await mkdir(dirname(path), { recursive: true });
  return withBuildLock(`${path}.lock`, log, async () => {
    // Whoever had the lock before us may have built it.
    if (!(await isExecutable(path))) await compile(build, path, log);
    return { path };
  });
}

/** Compiles next to the target and renames: nobody ever sees half a binary. */
async function compile(build: Build, path: string, log: (line: string) => void): Promise<void> {
  const temporary = await mkdtemp(join(dirname(path), '.building-'));
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  log(
    `building ${basename(path)} on ${availableParallelism()} cores: ` +
      'about 6 minutes on 2 cores the first time, seconds when Go has its packages cached',
  );
  const progress = setInterval(() => log(`still building (${seconds()} s)`), progressMilliseconds);
  try {
    const output = join(temporary, 'control-plane');
    const child = spawn('go', await buildArguments(build, output), {
      cwd: build.directory,
      env: { ...process.env, CGO_ENABLED: '0' },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        code === 0 ? resolve() : reject(new Error(`go build ended with ${signal ?? `exit code ${code}`}`)),
      );
    });
    await rename(output, path);
    log(`built in ${seconds()} s: ${path}`);
  } finally {
    clearInterval(progress);
    await rm(temporary, { recursive: true, force: true });
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function main(): Promise<number> {
  const isOlder = process.argv.includes('--older');
  const binary = await (isOlder ? buildOlderManager() : buildControlPlane());
  if ('path' in binary) {
    console.log(`${isOlder ? 'older controller manager' : 'control plane'}: ${binary.path}`);
    return 0;
  }
  const mustHave = process.env.CI === 'true' || process.env.CONTROL_PLANE_BINARY !== undefined;
  console.error(
    mustHave
      ? `control plane: cannot be built: ${binary.missing}`
      : `control plane: SKIPPED, tests that need it will be skipped too: ${binary.missing}`,
  );
  return mustHave ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main();
}
