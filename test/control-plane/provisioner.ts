import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ControllerPlace, ManagedProcess } from './managed-process.ts';

/** What a provisioner is to be like; all but the name has a default. */
export interface ProvisionerOptions {
  /** What storage classes call it, for example `external.example.com`; a name with a slash cannot have source `csi`. */
  readonly name: string;
  /** Where its disks, failure switches and call log are: below the control plane's directory unless given. */
  readonly controlDir?: string;
  /** The library's own finalizer on volumes, which CSI drivers switch on; on unless said otherwise. */
  readonly finalizer?: boolean;
  /** The kind of volume that it makes; `csi` unless given. */
  readonly source?: 'csi' | 'hostPath';
  /** Who it is at the API server; `admin` unless given. */
  readonly identity?: string;
  readonly extraArgs?: readonly string[];
}

/** One call of the library to the storage system. */
export interface ProvisionerCall {
  readonly time: string;
  readonly operation: 'provision' | 'delete';
  readonly volume: string;
  readonly error?: string;
}

/** A running external provisioner and the storage system that it stands for. */
export interface Provisioner {
  readonly process: ManagedProcess;
  readonly controlDir: string;
  /** Makes each Provision fail from now on (with this text, if one is given), or work again. */
  setFailProvision(fail: boolean | string): Promise<void>;
  /** Makes each Delete fail from now on (with this text, if one is given), or work again. */
  setFailDelete(fail: boolean | string): Promise<void>;
  /** All calls so far, failed ones too. */
  calls(): Promise<ProvisionerCall[]>;
  /** Names of the volumes whose disk exists: data that is gone is missing here. */
  disks(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts a provisioner and waits until it follows claims and volumes. */
export async function startProvisioner(place: ControllerPlace, options: ProvisionerOptions): Promise<Provisioner> {
  const controlDir = options.controlDir ?? join(place.directory, place.name);
  await mkdir(join(controlDir, 'disks'), { recursive: true });
  const running = await ManagedProcess.start({
    binary: place.binary,
    program: 'provisioner',
    name: place.name,
    logFile: join(place.directory, `${place.name}.log`),
    args: [
      `--kubeconfig=${place.kubeconfig}`,
      `--provisioner-name=${options.name}`,
      `--control-dir=${controlDir}`,
      `--finalizer=${options.finalizer ?? true}`,
      `--source=${options.source ?? 'csi'}`,
      ...(options.extraArgs ?? []),
    ],
  });
  // The library has no health endpoint; it says this when its caches are filled and its workers run.
  await running.untilReady(async () => (await readFile(running.logFile, 'utf8')).includes('Started provisioner'));
  return handleOf(running, controlDir);
}

function handleOf(running: ManagedProcess, controlDir: string): Provisioner {
  const setSwitch = async (operation: ProvisionerCall['operation'], fail: boolean | string) => {
    const file = join(controlDir, `fail-${operation}`);
    if (fail === false) await rm(file, { force: true });
    else await writeFile(file, fail === true ? '' : fail);
  };
  return {
    process: running,
    controlDir,
    setFailProvision: (fail) => setSwitch('provision', fail),
    setFailDelete: (fail) => setSwitch('delete', fail),
    calls: () => readCalls(join(controlDir, 'calls.log')),
    disks: async () => (await readdir(join(controlDir, 'disks'))).sort(),
    stop: () => running.stop(),
  };
}

async function readCalls(file: string): Promise<ProvisionerCall[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  // What follows the last line end is a line that is being written.
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  return complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ProvisionerCall);
}
