/** Queues that exist already, by URL: their ARNs, and their dead-letter queues by their own redrive policy. */
import { GetQueueAttributesCommand, GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { messageOf } from '../../lib/controller/errors.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import type { QueueAddress, QueueAddresses } from './embedded.ts';

interface Given {
  readonly url: string;
  readonly deadLetterUrl: string | undefined;
}

/** @throws Error that names the queue which cannot be read, is no FIFO queue, or has no dead-letter queue. */
export async function addressesOf(
  client: SQSClient,
  given: Readonly<Record<SyncKey['kind'], Given>>,
): Promise<QueueAddresses> {
  const [PersistentVolume, PersistentVolumeClaim] = await Promise.all([
    addressOf(client, given.PersistentVolume),
    addressOf(client, given.PersistentVolumeClaim),
  ]);
  return { PersistentVolume, PersistentVolumeClaim };
}

async function addressOf(client: SQSClient, { url, deadLetterUrl }: Given): Promise<QueueAddress> {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn', 'RedrivePolicy'] });
  const { Attributes = {} } = await client.send(command).catch((error: unknown) => {
    throw new Error(`queue ${url} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const arn = Attributes['QueueArn'] ?? '';
  if (!arn.endsWith('.fifo')) throw new Error(`queue ${url} is no FIFO queue`);
  return {
    url,
    arn,
    deadLetterUrl: deadLetterUrl ?? (await deadLetterUrlOf(client, url, Attributes['RedrivePolicy'])),
  };
}

async function deadLetterUrlOf(client: SQSClient, url: string, policy: string | undefined): Promise<string> {
  const { deadLetterTargetArn = '' } = JSON.parse(policy ?? '{}') as { deadLetterTargetArn?: string };
  const name = deadLetterTargetArn.split(':').at(-1) ?? '';
  if (name === '') throw new Error(`queue ${url} has no dead-letter queue: give one, or name its URL`);
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
  if (QueueUrl === undefined) throw new Error(`dead-letter queue ${name} of ${url} has no URL`);
  return QueueUrl;
}
