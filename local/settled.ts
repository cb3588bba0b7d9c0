/** Quiet: nothing queued, nothing in flight, nothing that the bridge still wants to send. */
import { setTimeout } from 'node:timers/promises';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Bridge } from '../lib/bridge/bridge.ts';
import type { QueueAddresses } from './queue/embedded.ts';

const CHECK_MS = 20;
/** Looks in a row that must find everything quiet: a write's own event is still on its way at the first. */
const QUIET_LOOKS = 5;

/**
 * Waits until that was so five times in a row. Never ends while keys keep failing: their messages stay in the queue.
 */
export async function settled(bridge: Bridge, client: SQSClient, addresses: QueueAddresses): Promise<void> {
  for (let quiet = 0; quiet < QUIET_LOOKS; ) {
    await bridge.idle();
    const depths = await Promise.all(Object.values(addresses).map(({ url }) => depthOf(client, url)));
    quiet = depths.every((depth) => depth === 0) ? quiet + 1 : 0;
    await setTimeout(CHECK_MS);
  }
}

/** Messages waiting, hidden and delayed. */
async function depthOf(client: SQSClient, url: string): Promise<number> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
  );
  const count = (name: keyof typeof Attributes) => Number(Attributes[name] ?? 0);
  return (
    count('ApproximateNumberOfMessages') +
    count('ApproximateNumberOfMessagesNotVisible') +
    count('ApproximateNumberOfMessagesDelayed')
  );
}
