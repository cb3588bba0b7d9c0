/** What stands for SQS. */
import { createQueues, startEmbeddedQueue } from '../../../local/queue/embedded.ts';
import type { Part, QueueProcess } from './settings.ts';

export async function startQueue(): Promise<Part> {
  const { endpoint, client, close } = await startEmbeddedQueue();
  const addresses = await createQueues(client, { visibilityTimeoutSeconds: 180 });
  const ready: QueueProcess = { endpoint, addresses };
  return { ready, stop: close };
}
