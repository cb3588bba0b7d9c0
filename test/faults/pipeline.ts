/** The system under test: all of it in this process, with a fault layer before the API server and one before the queues. */
import { readFile } from 'node:fs/promises';
import { PurgeQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { readConfig } from '../../lib/config.ts';
import { inTreePlugins } from '../../lib/plugins/in-tree.ts';
import type { KeyHooks } from '../../lib/worker/hooks.ts';
import { hostDisk } from '../../local/host-disk.ts';
import { createQueues, type QueueAddresses, startEmbeddedQueue } from '../../local/queue/embedded.ts';
import { type System, startSystem } from '../../local/system.ts';
import type { ControlPlane } from '../control-plane/harness.ts';
import { recyclerNamespace } from '../control-plane/permissions.ts';
import { changesBetween, untilQuiet, versionsOf } from '../control-plane/settling.ts';
import { type FaultProxy, startFaultProxy } from './layer/proxy.ts';
import { bridgeSettings, queueClient, settingsWith, VISIBILITY_SECONDS } from './settings.ts';

export interface Queues {
  /** A fault layer before it. */
  readonly proxy: FaultProxy;
  readonly addresses: QueueAddresses;
  /** Past the fault layer. */
  readonly client: SQSClient;
  readonly endpoint: string;
  purge(name: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startQueues(visibilityTimeoutSeconds = VISIBILITY_SECONDS): Promise<Queues> {
  const queue = await startEmbeddedQueue();
  const addresses = await createQueues(queue.client, { visibilityTimeoutSeconds });
  const proxy = await startFaultProxy(queue.endpoint);
  return {
    proxy,
    addresses,
    client: queue.client,
    endpoint: queue.endpoint,
    purge: async (name) => {
      const { url } = Object.values(addresses).find((each) => each.url.endsWith(`/${name}`)) ?? {};
      await queue.client.send(new PurgeQueueCommand({ QueueUrl: url }));
    },
    stop: async () => {
      await proxy.stop();
      await queue.close();
    },
  };
}

export async function startApiProxy(plane: ControlPlane): Promise<FaultProxy> {
  return await startFaultProxy(plane.url, await readFile(plane.caFile, 'utf8'));
}

export interface Pipeline {
  readonly system: System;
  readonly api: FaultProxy;
  readonly queues: Queues;
  /** Ends all faults and waits until nothing is left to do. */
  heal(): Promise<void>;
  /** Has everything looked at once more, and tells what that has changed. */
  fullResyncWrites(): Promise<string[]>;
  stop(): Promise<void>;
}

export interface PipelineOptions {
  /** Told what each sync found out. */
  readonly hooks?: KeyHooks;
  /** How long a worker has a key for itself. */
  readonly visibilitySeconds?: number;
}

/** @param prepare lets the faults begin before anything else does. */
export async function startPipeline(
  plane: ControlPlane,
  settings: Readonly<Record<string, string>>,
  prepare: (api: FaultProxy, queues: Queues) => void,
  { hooks = {}, visibilitySeconds }: PipelineOptions = {},
): Promise<Pipeline> {
  const [api, queues] = [await startApiProxy(plane), await startQueues(visibilitySeconds)];
  prepare(api, queues);
  const client = queueClient(queues.proxy.url);
  const config = readConfig(settingsWith(settings));
  const as = (name: string) => ({ server: api.url, token: async () => plane.token(name) });
  const system = await untilStarted(() =>
    startSystem({
      connection: { bridge: as('bridge'), volumeWorker: as('volume-worker'), claimWorker: as('claim-worker') },
      config,
      queue: { client, addresses: queues.addresses },
      plugins: (cluster) => inTreePlugins(cluster, config, hostDisk),
      bridgeSettings,
      hooks,
    }),
  );
  const look = () => versionsOf(plane.client(), recyclerNamespace);
  const settle = () => untilQuiet(look, () => system.settled());
  return {
    system,
    api,
    queues,
    heal: async () => {
      await Promise.all([api.heal(), queues.proxy.heal()]);
      await settle();
    },
    fullResyncWrites: async () => {
      const before = await look();
      const handled = handledBy(system);
      await system.bridge.resyncAll();
      await system.settled();
      const keys = [...before.keys()].filter((object) => !object.startsWith('pod ')).length;
      // Without this, a resync that sent nothing would prove anything.
      if (handledBy(system) < handled + keys) throw new Error(`a full resync did not reach all ${keys} objects`);
      return changesBetween(before, await look());
    },
    stop: async () => {
      await system.stop();
      client.destroy();
      await Promise.all([api.stop(), queues.stop()]);
    },
  };
}

/** A bridge that cannot read the server's version ends; whoever runs it starts it again. */
async function untilStarted(start: () => Promise<System>): Promise<System> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

function handledBy({ sources }: System): number {
  return sources.PersistentVolume.stats.deleted + sources.PersistentVolumeClaim.stats.deleted;
}
