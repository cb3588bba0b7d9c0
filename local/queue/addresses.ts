/** Queues that exist already, by URL: their ARNs, and their dead-letter queues by their own redrive policy. */
import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { queueUrlProblem } from '../../lib/addresses.ts';
import { awsError } from '../../lib/aws-error.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { UsageError, type Values } from '../command-line.ts';
import type { QueueAddress, QueueAddresses } from './embedded.ts';

interface Given {
  readonly url: string;
  readonly deadLetterUrl: string | undefined;
}

export type GivenQueues = Readonly<Record<SyncKey['kind'], Given>>;

const URL_OPTIONS = ['volumes-queue-url', 'claims-queue-url'] as const;
const DEAD_LETTER_OPTIONS = ['volumes-dead-letter-url', 'claims-dead-letter-url'] as const;
const FURTHER_OPTIONS = [...DEAD_LETTER_OPTIONS, 'sqs-endpoint'] as const;

/**
 * The queues that the command line names, undefined when it names none. Nothing is contacted.
 * @throws UsageError when one is no URL of a FIFO queue, only one is named, one is named twice, or an option is about
 * queues that are not named.
 */
export function givenQueues(values: Values): GivenQueues | undefined {
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : undefined);
  const [volumes, claims] = URL_OPTIONS.map(text);
  const named = URL_OPTIONS.map((name) => `--${name}`).join(' and ');
  if (volumes === undefined && claims === undefined) {
    const idle = FURTHER_OPTIONS.find((name) => text(name) !== undefined);
    if (idle !== undefined) throw new UsageError(`--${idle} is about queues by URL: it needs ${named}`);
    return undefined;
  }
  if (volumes === undefined || claims === undefined) throw new UsageError(`${named} belong together`);
  for (const name of [...URL_OPTIONS, ...DEAD_LETTER_OPTIONS]) {
    const url = text(name);
    const problem = url === undefined ? undefined : queueUrlProblem(url);
    if (problem !== undefined) throw new UsageError(`--${name}: ${problem}, got ${JSON.stringify(url)}`);
  }
  if (volumes === claims) throw new UsageError(`${named} must be two queues`);
  const deadLetters = DEAD_LETTER_OPTIONS.map(text);
  if (deadLetters.some((url) => url === volumes || url === claims)) {
    throw new UsageError('a dead-letter queue must be another one than the queues of the keys');
  }
  return {
    PersistentVolume: { url: volumes, deadLetterUrl: deadLetters[0] },
    PersistentVolumeClaim: { url: claims, deadLetterUrl: deadLetters[1] },
  };
}

/** A client for queues that are far away: no request of it hangs for ever, as those of the SDK do by default. */
export function clientFor(
  region: string,
  endpoint: string | undefined,
  { connectionTimeout = 5_000, requestTimeout = 15_000 } = {},
): SQSClient {
  return new SQSClient({
    region,
    ...(endpoint !== undefined && { endpoint }),
    requestHandler: { connectionTimeout, requestTimeout, throwOnRequestTimeout: true },
  });
}

/** @throws Error that names the queue which cannot be read, is no FIFO queue, or has no dead-letter queue. */
export async function addressesOf(client: SQSClient, given: GivenQueues): Promise<QueueAddresses> {
  const [PersistentVolume, PersistentVolumeClaim] = await Promise.all([
    addressOf(client, given.PersistentVolume),
    addressOf(client, given.PersistentVolumeClaim),
  ]);
  return { PersistentVolume, PersistentVolumeClaim };
}

async function addressOf(client: SQSClient, { url, deadLetterUrl }: Given): Promise<QueueAddress> {
  const { arn, redrivePolicy } = await fifoQueue(client, url, 'queue');
  if (deadLetterUrl === undefined)
    return { url, arn, deadLetterUrl: await deadLetterUrlOf(client, url, redrivePolicy) };
  await fifoQueue(client, deadLetterUrl, 'dead-letter queue');
  return { url, arn, deadLetterUrl };
}

async function fifoQueue(client: SQSClient, url: string, what: string) {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn', 'RedrivePolicy'] });
  const { Attributes = {} } = await client.send(command).catch((error: unknown) => {
    throw awsError(error, `${what} ${url} cannot be read: `);
  });
  const arn = Attributes['QueueArn'] ?? '';
  if (!arn.endsWith('.fifo')) throw new Error(`${what} ${url} is no FIFO queue`);
  return { arn, redrivePolicy: Attributes['RedrivePolicy'] };
}

async function deadLetterUrlOf(client: SQSClient, url: string, policy: string | undefined): Promise<string> {
  const { deadLetterTargetArn = '' } = JSON.parse(policy || '{}') as { deadLetterTargetArn?: string };
  const name = deadLetterTargetArn.split(':').at(-1) ?? '';
  if (name === '') throw new Error(`queue ${url} has no dead-letter queue: give one, or name its URL`);
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name })).catch((error: unknown) => {
    throw awsError(error, `dead-letter queue ${name} of ${url} cannot be found: `);
  });
  if (QueueUrl === undefined) throw new Error(`dead-letter queue ${name} of ${url} has no URL`);
  return QueueUrl;
}
