/** What is kept, and for how long: a queue and its dead letters point at each other, and nothing outlives the stack. */
import { listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

/** DESIGN D10: an API server that is away for an hour is no poison. */
const LEAST_RECEIVES = 1000;
const DAY = 86_400;
/** Over a long weekend, in which nobody looks. */
const QUEUE_DAYS = 4;
/** As long as SQS can: dead letters wait for an operator. */
const DEAD_LETTER_DAYS = 14;
/** What SQS takes for a queue that does not say. */
const DEFAULT_RETENTION = 4 * DAY;

type Properties = Readonly<Record<string, unknown>>;

export const DEAD_LETTERS: Rule = {
  name: 'dead letters',
  check: (template) =>
    ofType(template, 'AWS::SQS::Queue').flatMap(({ id, properties }) => {
      const isWorked = properties['RedrivePolicy'] !== undefined;
      const found = isWorked ? redrive(template, properties) : takesFromOne(properties);
      const days = isWorked ? QUEUE_DAYS : DEAD_LETTER_DAYS;
      const seconds = Number(properties['MessageRetentionPeriod'] ?? DEFAULT_RETENTION);
      if (!(seconds >= days * DAY))
        found.push(`keeps messages for ${seconds} s: ${days} days (${days * DAY}) at least`);
      return found.map((says) => ({ resource: id, says }));
    }),
};

function redrive(template: Template, properties: Properties): string[] {
  const { deadLetterTargetArn, maxReceiveCount } = properties['RedrivePolicy'] as Properties;
  const found: string[] = [];
  if (!(Number(maxReceiveCount) >= LEAST_RECEIVES)) {
    found.push(`gives a message up after ${maxReceiveCount} receives: set maxReceiveCount: ${LEAST_RECEIVES} (D10)`);
  }
  const target = targetOf(deadLetterTargetArn, 'Arn') ?? '';
  const sources = sourcesOf(template.Resources[target]?.Properties ?? {});
  if (!sources.some((arn) => arn.endsWith(`:${properties['QueueName']}`))) {
    found.push(`has its dead letters in ${target}, whose RedriveAllowPolicy does not name it`);
  }
  // Whatever has the same content within five minutes would be dropped, though it has another cause (DESIGN D2).
  if (properties['ContentBasedDeduplication'] === true) {
    found.push('tells messages apart by their content: set ContentBasedDeduplication: false');
  }
  return found;
}

function takesFromOne(properties: Properties): string[] {
  const { redrivePermission } = (properties['RedriveAllowPolicy'] ?? {}) as Properties;
  const isByQueue = redrivePermission === 'byQueue' && sourcesOf(properties).length === 1;
  return isByQueue ? [] : ['takes dead letters of more than one queue: set redrivePermission: byQueue, and one source'];
}

/** ARNs as they stand in their `Fn::Sub`. */
function sourcesOf(properties: Properties): string[] {
  const { sourceQueueArns } = (properties['RedriveAllowPolicy'] ?? {}) as {
    sourceQueueArns?: { 'Fn::Sub'?: string }[];
  };
  return listOf(sourceQueueArns).map((arn) => String(arn['Fn::Sub'] ?? arn));
}

export const NOTHING_LEFT_BEHIND: Rule = {
  name: 'nothing left behind',
  check: ({ Resources }) =>
    Object.entries(Resources).flatMap(([resource, body]) =>
      ['DeletionPolicy', 'UpdateReplacePolicy']
        .filter((policy) => ![undefined, 'Delete'].includes(body[policy] as string | undefined))
        .map((policy) => ({ resource, says: `stays when the stack goes (${policy}: ${body[policy]}): set Delete` })),
    ),
};
