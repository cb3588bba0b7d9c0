/** SQS on one machine: fauxqs in this process, and the two queues of the system on it or on any other SQS. */
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueNameExists,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import type { SyncKey } from '../../lib/controller/types.ts';

export interface EmbeddedQueue {
  /** `http://127.0.0.1:<port>`, for other clients of it. Always pass it: a queue's URL names another host. */
  readonly endpoint: string;
  readonly client: SQSClient;
  /** Ends the server, its messages and the client. Stop all pollers first. */
  close(): Promise<void>;
}

/** Starts an SQS that lives as long as this process, on a free port of 127.0.0.1. */
export async function startEmbeddedQueue(): Promise<EmbeddedQueue> {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const client = new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const close = async () => {
    client.destroy();
    await app.close();
  };
  return { endpoint, client, close };
}

export interface QueueAddress {
  readonly url: string;
  readonly arn: string;
  readonly deadLetterUrl: string;
}

/** By the kind of the keys in them. */
export type QueueAddresses = Readonly<Record<SyncKey['kind'], QueueAddress>>;

export interface QueueSettings {
  /** 6 × the function's time-out, as Lambda demands of its event sources. */
  readonly visibilityTimeoutSeconds: number;
  /** Receives after which SQS itself moves a message to the dead-letter queue. Default 1,000: see DESIGN D10. */
  readonly maxReceiveCount?: number;
  /** Put before the names, for several systems on one endpoint. */
  readonly prefix?: string;
}

/**
 * Creates `volumes.fifo` and `claims.fifo`, each with its dead-letter queue (`…-dead-letters.fifo`), on whatever SQS the
 * client speaks to. Queues that exist are kept, with their messages, and get these settings.
 */
export async function createQueues(client: SQSClient, settings: QueueSettings): Promise<QueueAddresses> {
  const { prefix = '' } = settings;
  const [volumes, claims] = await Promise.all([
    createPair(client, `${prefix}volumes`, settings),
    createPair(client, `${prefix}claims`, settings),
  ]);
  return { PersistentVolume: volumes, PersistentVolumeClaim: claims };
}

async function createPair(
  client: SQSClient,
  name: string,
  { visibilityTimeoutSeconds, maxReceiveCount = 1_000 }: QueueSettings,
): Promise<QueueAddress> {
  const dead = await createQueue(client, `${name}-dead-letters.fifo`, { MessageRetentionPeriod: '1209600' });
  const main = await createQueue(client, `${name}.fifo`, {
    VisibilityTimeout: String(visibilityTimeoutSeconds),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount }),
  });
  return { ...main, deadLetterUrl: dead.url };
}

async function createQueue(client: SQSClient, name: string, settings: Record<string, string>) {
  // What cannot be set later on every emulator is set here; the rest below, so that it reaches a queue that exists.
  const fixed = { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };
  const url = await createOrFind(client, name, fixed);
  await client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: settings }));
  const answer = await client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }));
  const arn = answer.Attributes?.['QueueArn'];
  if (arn === undefined) throw new Error(`queue ${name} has no ARN`);
  return { url, arn };
}

async function createOrFind(client: SQSClient, name: string, attributes: Record<string, string>): Promise<string> {
  try {
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
    if (QueueUrl !== undefined) return QueueUrl;
  } catch (error) {
    if (!(error instanceof QueueNameExists)) throw error;
  }
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
  if (QueueUrl === undefined) throw new Error(`queue ${name} has no URL`);
  return QueueUrl;
}
