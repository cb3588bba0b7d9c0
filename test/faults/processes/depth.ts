/** Whether anything is left in the queues, past their fault layer. */
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Queues } from '../pipeline.ts';

/** No message waits, and none is hidden because somebody works on it. */
export async function areEmpty({ client, addresses }: Queues): Promise<boolean> {
  const depths = await Promise.all(
    Object.values(addresses).map(async ({ url }) => {
      const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] });
      const { Attributes = {} } = await client.send(command);
      const { ApproximateNumberOfMessages = 0, ApproximateNumberOfMessagesNotVisible = 0 } = Attributes;
      return Number(ApproximateNumberOfMessages) + Number(ApproximateNumberOfMessagesNotVisible);
    }),
  );
  return depths.every((depth) => depth === 0);
}
