/** Workers and bridges in processes of their own: they can be stopped (SIGSTOP) in the middle of their work, or killed. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { groupId } from '../../lib/queue/ids.ts';
import { formatMessage, type SyncMessage } from '../../lib/queue/message.ts';
import type { WorkerProcessSettings } from './worker-process.ts';
import { eventually } from './world.ts';

const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

export interface StoppableWorker {
  /** Lets it work on one message, and answers what the function returned. */
  handle(message: SyncMessage): Promise<SQSBatchResponse>;
  /** Resolves when not one more instruction of it is executed. */
  suspend(): Promise<void>;
  resume(): void;
  /** At once, by SIGKILL. */
  stop(): Promise<void>;
}

type Settings = Omit<WorkerProcessSettings, 'role'>;

/** A bridge that has looked at everything once. */
export async function startBridgeProcess(settings: Settings): Promise<Pick<StoppableWorker, 'stop'>> {
  const child = await start({ role: 'bridge', ...settings });
  return { stop: () => kill(child) };
}

export async function startWorkerProcess(settings: Settings): Promise<StoppableWorker> {
  const child = await start({ role: 'worker', ...settings });
  const { pid } = child;
  return {
    async handle(message) {
      const answer = answerOf(child);
      child.send({ kind: message.kind, event: eventOf(message) });
      return (await answer) as SQSBatchResponse;
    },
    async suspend() {
      child.kill('SIGSTOP');
      await eventually('a stopped process', async () => {
        const [, state] = /\) (\w) /.exec(await readFile(`/proc/${pid}/stat`, 'utf8')) ?? [];
        return state === 'T';
      });
    },
    resume: () => void child.kill('SIGCONT'),
    stop: () => kill(child),
  };
}

async function start(settings: WorkerProcessSettings): Promise<ChildProcess> {
  const child = fork(program, { env: { ...process.env, WORKER: JSON.stringify(settings) }, execArgv: [] });
  // A message to a process that was just killed (EPIPE); its end is told by its exit.
  child.on('error', () => {});
  await answerOf(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = endOf(child);
  child.kill('SIGKILL');
  await ended;
}

/** Unlike `once` of node:events, no error comes between. Resolves at once for a process that has ended before. */
function endOf(child: ChildProcess, signal?: AbortSignal): Promise<number | NodeJS.Signals | null> {
  const { exitCode, signalCode } = child;
  if (exitCode !== null || signalCode !== null) return Promise.resolve(signalCode ?? exitCode);
  return new Promise((resolve) => {
    const onExit = (code: number | null, killedBy: NodeJS.Signals | null) => resolve(killedBy ?? code);
    child.once('exit', onExit);
    signal?.addEventListener('abort', () => child.off('exit', onExit), { once: true });
  });
}

function messageFrom(child: ChildProcess, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    child.once('message', resolve);
    signal.addEventListener('abort', () => child.off('message', resolve), { once: true });
  });
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const ending = new AbortController();
  const died = endOf(child, ending.signal).then((end) => {
    throw new Error(`the worker process ended with ${end}`);
  });
  try {
    return await Promise.race([messageFrom(child, ending.signal), died]);
  } finally {
    ending.abort();
  }
}

/** An event with one message, as Lambda would hand it over; its receipt is known to no queue. */
export function eventOf(message: SyncMessage): SQSEvent {
  const now = String(Date.now());
  const record = {
    messageId: 'message-1',
    receiptHandle: 'receipt-1',
    body: formatMessage(message),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: now,
      SenderId: 'test',
      ApproximateFirstReceiveTimestamp: now,
      MessageGroupId: groupId(message),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:test.fifo',
    awsRegion: 'us-east-1',
  };
  return { Records: [record] };
}
