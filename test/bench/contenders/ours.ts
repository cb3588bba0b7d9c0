/** This system as three processes: what stands for SQS, the bridge, and the workers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { callsPerEnvironment } from '../../../lib/cluster/rate-limit-budget.ts';
import { depthOf } from '../../backlog/queue-depth.ts';
import type { Route } from '../plane/plane.ts';
import { Child } from '../processes/child.ts';
import { queueClient } from '../processes/queue-client.ts';
import type { ProcessCounts, QueueProcess } from '../processes/settings.ts';
import type { Contender, RunningContender } from './contender.ts';

export interface OursOptions {
  /** Of each of the two functions: calls at one time, and so environments at one time. */
  readonly concurrency: number;
  /**
   * `deployed`: each call has an environment of its own, with its own connections and volume pool, and the limit of calls
   * per second that the stack sets. `unlimited`: the same without that limit. `local`: as `npm start` has it, one
   * environment for each function, shared by its calls.
   */
  readonly as: 'deployed' | 'unlimited' | 'local';
  /** More settings of the system, by environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Where the program is, and options of Node for all processes but the queues'. */
export interface OursProgram {
  readonly file: string;
  readonly nodeOptions?: readonly string[];
}

export interface OursRunning extends RunningContender {
  readonly bridge: Child;
  readonly workers: Child;
  /** From the start of the bridge's process until it had listed and looked at everything. */
  readonly bridgeStartMs: number;
  /** Has every key looked at once. Resolves when the queues have them. */
  resync(): Promise<void>;
}

/** Node's option in infra/container/Dockerfile, and half of the Deployment's memory limit, which is what Node takes. */
const asItsContainer = ['--max-semi-space-size=2', '--max-old-space-size=256'];

const quietLookMs = 20;
/** Looks in a row that must find everything quiet: the event of a write is still on its way at the first. */
const quietLooks = 5;

const about = {
  deployed:
    'calls of each function at one time, an environment for each, with the limit of calls per second of a stage',
  unlimited: 'calls of each function at one time, an environment for each, no limit of calls per second',
  local: 'pollers per function that share one environment, as in `npm start`',
};

export function ours(program: OursProgram, options: OursOptions): Contender {
  const { concurrency, as } = options;
  return {
    name: `ours-${as === 'unlimited' ? '' : `${as}-`}${concurrency}`,
    kind: 'ours',
    about: `this system, ${concurrency} ${about[as]}`,
    start: (_, route) => startOurs(program, options, route),
  };
}

/** Starts the processes one after the other, and waits until the bridge follows everything. */
export async function startOurs(program: OursProgram, options: OursOptions, route: Route): Promise<OursRunning> {
  const { concurrency, as } = options;
  const { file, nodeOptions = [] } = program;
  const started: Child[] = [];
  const start = async (settings: ConstructorParameters<typeof Child>[0]['settings']) => {
    const options = settings.role === 'bridge' ? [...asItsContainer, ...nodeOptions] : nodeOptions;
    const child = new Child({ file, settings, nodeOptions: settings.role === 'queue' ? [] : options });
    started.push(child);
    return { child, said: await child.ready };
  };
  try {
    const queues = await start({ role: 'queue' });
    const queue = queues.said as QueueProcess;
    const limit = as === 'deployed' ? { PV_API_CALLS_PER_SECOND: String(callsPerEnvironment(concurrency)) } : {};
    const settings = { PV_MODE: 'enforce', ...limit, ...options.settings };
    const { child: workers } = await start({
      role: 'workers',
      queue,
      settings,
      access: {
        PersistentVolume: route.access('volume-worker'),
        PersistentVolumeClaim: route.access('claim-worker'),
      },
      concurrency,
      ownEnvironments: as !== 'local',
    });
    const startedAt = performance.now();
    const { child: bridge } = await start({ role: 'bridge', queue, settings, access: route.access('bridge') });
    return { ...runningOf(queues.child, bridge, workers, queue), bridgeStartMs: performance.now() - startedAt };
  } catch (error) {
    for (const child of started) child.signal('SIGKILL');
    throw error;
  }
}

function runningOf(queues: Child, bridge: Child, workers: Child, queue: QueueProcess) {
  const client = queueClient(queue.endpoint);
  return {
    bridge,
    workers,
    pids: { bridge: bridge.pid, workers: workers.pid, queue: queues.pid },
    messages: async () => {
      const [fromBridge, ofWorkers] = await Promise.all([
        bridge.ask<ProcessCounts>('counts'),
        workers.ask<ProcessCounts>('counts'),
      ]);
      return { sent: fromBridge.sent + ofWorkers.sent, received: ofWorkers.received };
    },
    settled: () => untilQuiet(bridge, client, queue),
    pause: () => signalAll([bridge, workers], 'SIGSTOP'),
    resume: () => signalAll([bridge, workers], 'SIGCONT'),
    resync: () => bridge.ask<void>('resync'),
    stop: async () => {
      await bridge.stop();
      await workers.stop();
      client.destroy();
      await queues.stop();
    },
  };
}

async function untilQuiet(bridge: Child, client: SQSClient, { addresses }: QueueProcess): Promise<void> {
  for (let quiet = 0; quiet < quietLooks; ) {
    await bridge.ask('idle');
    const depths = await Promise.all(Object.values(addresses).map(({ url }) => depthOf(client, url)));
    quiet = depths.every((depth) => depth === 0) ? quiet + 1 : 0;
    await sleep(quietLookMs);
  }
}

function signalAll(children: readonly Child[], name: NodeJS.Signals): void {
  for (const child of children) child.signal(name);
}
