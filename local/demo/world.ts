/**
 * Everything that the demo plays with, in one process: a local API server, the real system on it, an external provisioner,
 * a node, a user and an observer. They meet only over HTTP, each with a client of its own.
 */
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import { readConfig } from '../../lib/config.ts';
import { messageOf } from '../../lib/controller/errors.ts';
import { combineHooks } from '../../lib/worker/hooks.ts';
import { type LocalApiServer, startApiServer } from '../api-server/server.ts';
import { nameOf } from '../log-hooks.ts';
import { type System, startSystem } from '../system.ts';
import { Causes } from './causes.ts';
import type { Costs } from './chapter.ts';
import { Meter } from './meter.ts';
import { NodeDisk } from './node-disk.ts';
import { Observer, type Transition } from './observer.ts';
import { CLASS, DRIVER, ExternalProvisioner } from './provisioner.ts';
import { User } from './user.ts';

export const NAMESPACE = 'shop';
const RECYCLER_NAMESPACE = 'pv-recycler';
/** How long a recycler pod runs. */
const POD_MS = 150;

/** Who is told what. */
export interface Listener {
  readonly transition: (transition: Transition) => void;
  /** Somebody other than the controller did something. */
  readonly deed: (who: string, does: string) => void;
  /** Something failed and will be tried again, or should not have happened. */
  readonly trouble: (text: string) => void;
}

export interface World {
  readonly user: User;
  readonly provisioner: ExternalProvisioner;
  readonly node: NodeDisk;
  readonly observer: Observer;
  readonly causes: Causes;
  readonly meter: Meter;
  readonly system: System;
  costs(): Costs;
  /** Deletes the free volumes and the claims without a volume. @returns whether there were any. */
  deleteUnbound(): Promise<boolean>;
  stop(): Promise<void>;
}

export async function startWorld(listener: Listener): Promise<World> {
  const { trouble } = listener;
  const onError = (error: unknown) => trouble(messageOf(error));
  const node = await NodeDisk.create((does) => listener.deed('node', does));
  const server = await startApiServer({
    protection: true,
    kubelet: { namePrefix: 'recycler-for-', runMs: POD_MS, run: (pod) => node.scrub(pod) },
  });
  await prepare(server);

  const connection = { server: server.url };
  const meter = new Meter();
  const causes = new Causes();
  const system = await startSystem({
    connection,
    // Not from the environment: the story is the same everywhere.
    config: readConfig({ PV_MODE: 'enforce', PV_RECYCLER_NAMESPACE: RECYCLER_NAMESPACE }),
    onRequest: meter.onRequest,
    hooks: combineHooks(causes.hooks, {
      onFailed: (key, error, { seconds }) => trouble(`${nameOf(key)}: ${messageOf(error)}; again in ${seconds} s`),
      onContradiction: (key, error) => trouble(`${nameOf(key)}: ${messageOf(error)}`),
      onDeadLetter: (_record, error) => trouble(`sent to the dead-letter queue: ${error.message}`),
      onQueueError: onError,
    }),
    bridgeHooks: { failed: (what, error) => trouble(`bridge: ${what}: ${messageOf(error)}`) },
    onError,
  });
  meter.countMessages(system.queue.client);

  const others = new ApiServerCluster(connection);
  const leaving = new AbortController();
  const provisioner = new ExternalProvisioner(others, (does) => listener.deed('provisioner', does), onError);
  const observer = new Observer(listener.transition);
  // The observer first, so that it is told of a change before the provisioner answers it.
  await observer.start(others, RECYCLER_NAMESPACE, leaving.signal, onError);
  await provisioner.start(leaving.signal);
  await others.create('StorageClass', { metadata: { name: CLASS }, provisioner: DRIVER, reclaimPolicy: 'Delete' });

  return {
    user: new User(others),
    provisioner,
    node,
    observer,
    causes,
    meter,
    system,
    costs: () => {
      const { PersistentVolume, PersistentVolumeClaim } = system.sources;
      return meter.costs(PersistentVolume.stats.received + PersistentVolumeClaim.stats.received);
    },
    deleteUnbound: async () => {
      const volumes = await others.list('PersistentVolume');
      const claims = await others.list('PersistentVolumeClaim');
      const free = volumes.filter(({ spec }) => spec.claimRef === undefined);
      const waiting = claims.filter(({ spec }) => !spec.volumeName);
      // The claims first: a volume that is still there must not be given to one of them.
      await Promise.all(waiting.map((claim) => others.delete('PersistentVolumeClaim', claim)));
      await Promise.all(free.map((volume) => others.delete('PersistentVolume', volume)));
      return free.length + waiting.length > 0;
    },
    stop: async () => {
      leaving.abort();
      await system.stop();
      others.close();
      await server.stop();
    },
  };
}

/** Its namespaces, before anything else looks at it. */
async function prepare(server: LocalApiServer): Promise<void> {
  for (const name of [NAMESPACE, RECYCLER_NAMESPACE]) {
    const response = await fetch(`${server.url}/api/v1/namespaces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    });
    if (response.status !== 201) throw new Error(`namespace ${name}: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
  }
}
