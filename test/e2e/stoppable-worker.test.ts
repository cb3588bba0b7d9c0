/** That the end of a worker process is told as its end, by whatever it is noticed first. */
import { expect, test } from 'vitest';
import type { QueueAddresses } from '../../local/queue/embedded.ts';
import { type StoppableWorker, startWorkerProcess } from './stoppable-worker.ts';

/** Nobody is there: a worker asks only when it has a message. */
const NOWHERE = 'http://127.0.0.1:9';
const queue = { url: `${NOWHERE}/keys.fifo`, arn: 'arn:aws:sqs:us-east-1:0:keys.fifo', deadLetterUrl: NOWHERE };
const addresses: QueueAddresses = { PersistentVolume: queue, PersistentVolumeClaim: queue };
const message = { v: 1, kind: 'PersistentVolume', name: 'pv-1', reason: 'added' } as const;

function start(): Promise<StoppableWorker> {
  return startWorkerProcess({ server: NOWHERE, queueEndpoint: NOWHERE, addresses, settings: { PV_MODE: 'enforce' } });
}

test('a message to a worker that was killed is refused with how it ended, and a second stop is none', async () => {
  const worker = await start();
  await worker.stop();

  await expect(worker.handle(message)).rejects.toThrow('the worker process ended with SIGKILL');
  await worker.stop();
});

test('killed with a message in its hands, it answers how it ended', async () => {
  const worker = await start();
  await worker.suspend();
  const answer = worker.handle(message);
  answer.catch(() => {});
  await worker.stop();

  await expect(answer).rejects.toThrow('the worker process ended with SIGKILL');
});
