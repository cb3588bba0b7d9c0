/** How much is in a queue. */
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Messages of a queue, those too that are hidden because somebody works on them. */
export async function depthOf(client: SQSClient, url: string): Promise<number> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
  );
  return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
}

/** Waits until nothing is in any of these queues, twice in a row: a sync may be about to send. */
export async function untilEmpty(client: SQSClient, urls: readonly string[]): Promise<void> {
  for (let empty = 0; empty < 2; ) {
    const depths = await Promise.all(urls.map((url) => depthOf(client, url)));
    empty = depths.every((depth) => depth === 0) ? empty + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
