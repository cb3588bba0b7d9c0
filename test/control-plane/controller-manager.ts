import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiClient } from './api-client.ts';
import { type ControllerPlace, ManagedProcess } from './managed-process.ts';
import { freePort } from './ports.ts';

/** Which of the built-in controllers run, and how. */
export interface ControllerManagerOptions {
  /** The built-in PersistentVolume controller: the one to compare with, or to do without. */
  readonly binder: boolean;
  /** The controllers that take the protection finalizers of volumes and claims away; on unless said otherwise. */
  readonly protection?: boolean;
  /** The controller that empties deleted namespaces; on unless said otherwise. */
  readonly namespaces?: boolean;
  /** How often the binder looks at everything again; its own default is `15s`. */
  readonly syncPeriod?: string;
  /** Client limits; the defaults are those of the real one, 20 and 30. */
  readonly qps?: number;
  readonly burst?: number;
  /** Who it is at the API server; `admin` unless given. */
  readonly identity?: string;
  /** Another binary than the control plane's, for example one of an older version. */
  readonly binary?: string;
  /** More flags, for example `--enable-hostpath-provisioner`. */
  readonly extraArgs?: readonly string[];
}

/** A controller manager's place. */
export interface ControllerManagerPlace extends ControllerPlace {
  /** Feature gates and emulated version of the API server: the binder's rules depend on them too. */
  readonly versionArgs: readonly string[];
}

/** Starts the real controller manager with the chosen controllers and waits until it is healthy. */
export async function startControllerManager(
  place: ControllerManagerPlace,
  options: ControllerManagerOptions,
): Promise<ManagedProcess> {
  const port = await freePort();
  const certificates = join(place.directory, `${place.name}-certificates`);
  const manager = await ManagedProcess.start({
    binary: options.binary ?? place.binary,
    program: 'kube-controller-manager',
    name: place.name,
    logFile: join(place.directory, `${place.name}.log`),
    args: [
      `--kubeconfig=${place.kubeconfig}`,
      `--controllers=${controllersOf(options).join(',')}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${certificates}`,
      ...(options.syncPeriod === undefined ? [] : [`--pvclaimbinder-sync-period=${options.syncPeriod}`]),
      ...(options.qps === undefined ? [] : [`--kube-api-qps=${options.qps}`]),
      ...(options.burst === undefined ? [] : [`--kube-api-burst=${options.burst}`]),
      ...place.versionArgs,
      ...(options.extraArgs ?? []),
    ],
  });
  return manager.untilReady(async () => {
    const ca = await readFile(join(certificates, 'kube-controller-manager.crt'), 'utf8');
    const client = apiClient(`https://127.0.0.1:${port}`, ca);
    try {
      return (await client.request('GET', '/healthz')).status === 200;
    } finally {
      client.close();
    }
  });
}

function controllersOf({ binder, protection = true, namespaces = true }: ControllerManagerOptions): string[] {
  const controllers = [
    ...(binder ? ['persistentvolume-binder-controller'] : []),
    ...(protection ? ['persistentvolume-protection-controller', 'persistentvolumeclaim-protection-controller'] : []),
    ...(namespaces ? ['namespace-controller'] : []),
  ];
  // An empty list would mean the default: all of them.
  if (controllers.length === 0) throw new Error('a controller manager without controllers was asked for');
  return controllers;
}
