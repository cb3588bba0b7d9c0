/** The two queues of a redrive: what the command line says of them, and whether they belong together. */
import { GetQueueAttributesCommand, type QueueAttributeName, type SQSClient } from '@aws-sdk/client-sqs';
import { endpointProblem, queueUrlProblem } from '../../lib/addresses.ts';
import { awsError } from '../../lib/aws-error.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { type Options, UsageError, type Values } from '../command-line.ts';

export const OPTIONS: Options = {
  from: { type: 'string', value: 'URL', help: 'the dead-letter queue; needed' },
  to: { type: 'string', value: 'URL', help: 'the queue that its messages came from; needed' },
  yes: { type: 'boolean', help: 'send the keys and delete the dead letters; without it, they are only shown' },
  limit: { type: 'string', value: 'N', help: 'look at so many dead letters; default: all' },
  kind: { type: 'string', value: 'KIND', help: 'volumes or claims; default: as the name of --to says' },
  region: { type: 'string', value: 'REGION', help: 'default: as --from says, else AWS_REGION, else us-east-1' },
  endpoint: { type: 'string', value: 'URL', help: 'where the queues are, if not at their own host' },
  json: { type: 'boolean', help: 'print one JSON document instead of lines' },
};

/** What the command line names. */
export interface Route {
  readonly from: string;
  readonly to: string;
  /** Of the keys in the queue `to`. */
  readonly kind: SyncKey['kind'];
  readonly region: string;
  readonly endpoint: string | undefined;
  /** Most letters to look at. */
  readonly limit: number;
}

const KINDS: Readonly<Record<string, SyncKey['kind']>> = {
  volumes: 'PersistentVolume',
  claims: 'PersistentVolumeClaim',
};

/** Nothing is contacted. @throws UsageError that names the option, its value and what to write instead. */
export function routeOf(values: Values, environment = process.env): Route {
  const from = queueUrlOf(values, 'from');
  const to = queueUrlOf(values, 'to');
  if (from === to)
    throw new UsageError('--from and --to must be two queues: the dead letters, and where they came from');
  const endpoint = textOf(values, 'endpoint');
  const problem = endpoint === undefined ? undefined : endpointProblem(endpoint);
  if (problem !== undefined) throw new UsageError(`--endpoint: ${problem}, got ${JSON.stringify(endpoint)}`);
  const region = textOf(values, 'region') ?? regionOf(from) ?? environment['AWS_REGION'] ?? 'us-east-1';
  return { from, to, kind: kindOf(textOf(values, 'kind'), to), region, endpoint, limit: limitOf(values['limit']) };
}

function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

function queueUrlOf(values: Values, name: 'from' | 'to'): string {
  const url = textOf(values, name);
  if (url === undefined)
    throw new UsageError(
      `--${name} URL is needed: ${name === 'from' ? 'the dead-letter queue' : 'the queue that they go to'}`,
    );
  const problem = queueUrlProblem(url);
  if (problem !== undefined) throw new UsageError(`--${name}: ${problem}, got ${JSON.stringify(url)}`);
  return url;
}

/** A queue's URL says where it is: asking elsewhere would find no such queue. */
function regionOf(queueUrl: string): string | undefined {
  return /^sqs\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(new URL(queueUrl).hostname)?.[1];
}

/** A key in the other queue would be a dead letter again, so a name that could mean both is no guess's business. */
function kindOf(given: string | undefined, to: string): SyncKey['kind'] {
  const choices = Object.keys(KINDS);
  if (given !== undefined) {
    const kind = KINDS[given];
    if (kind === undefined)
      throw new UsageError(`--kind must be ${choices.join(' or ')}, got ${JSON.stringify(given)}`);
    return kind;
  }
  const name = to.split('/').at(-1) ?? '';
  const [first, ...others] = choices.filter((choice) => name.includes(choice));
  const kind = first === undefined || others.length > 0 ? undefined : KINDS[first];
  if (kind === undefined)
    throw new UsageError(
      `the name ${name} does not say which keys the queue takes: add --kind volumes or --kind claims`,
    );
  return kind;
}

function limitOf(value: string | boolean | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (typeof value === 'string' && /^[1-9][0-9]{0,8}$/.test(value)) return Number(value);
  throw new UsageError(`--limit must be a whole number of 1 or more, got ${JSON.stringify(value)}`);
}

/**
 * Makes sure that the dead letters of `to` go to `from`.
 * @returns messages in the dead-letter queue, the hidden ones too. SQS says it about, not exactly.
 * @throws Error that names the queue which cannot be read, or the one that was probably meant.
 */
export async function checkQueues(client: SQSClient, { from, to }: Pick<Route, 'from' | 'to'>): Promise<number> {
  const [letters, queue] = await Promise.all([
    attributesOf(client, '--from', from, [
      'QueueArn',
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
    ]),
    attributesOf(client, '--to', to, ['QueueArn', 'RedrivePolicy']),
  ]);
  const { deadLetterTargetArn } = JSON.parse(queue['RedrivePolicy'] || '{}') as { deadLetterTargetArn?: string };
  if (deadLetterTargetArn !== undefined && deadLetterTargetArn !== letters['QueueArn']) {
    throw new Error(`the dead letters of --to are in ${deadLetterTargetArn}, not in ${letters['QueueArn']} (--from)`);
  }
  const count = (name: string) => Number(letters[name] ?? 0);
  return count('ApproximateNumberOfMessages') + count('ApproximateNumberOfMessagesNotVisible');
}

async function attributesOf(
  client: SQSClient,
  option: string,
  url: string,
  names: QueueAttributeName[],
): Promise<Record<string, string>> {
  try {
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: names }),
    );
    return Attributes as Record<string, string>;
  } catch (error) {
    throw new Error(`${option} ${url} cannot be read: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  const { name = '', code = '' } = error as { name?: string; code?: string };
  // Where both of a host's addresses refuse, the error has a code and no text.
  const text = awsError(error).message || code || name;
  if (name === 'CredentialsProviderError') {
    return `${text}. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`;
  }
  if (/AccessDenied/.test(name)) {
    return `${text}. The queues let nobody in but the role queues.operatorRoleArn: docs/runbook.md#dead-letters`;
  }
  return text;
}
