/** Saved Logs Insights queries. Their fields are those of the lines that lib/observability and Powertools write. */
import { functionsOf, type MonitoringOptions, type Resource, type Value } from './options.ts';

/** A query, and whose lines it is about. */
interface Query {
  readonly id: string;
  /** As it stands in the console, under the service's and the stage's folder. */
  readonly name: string;
  readonly of: readonly ('workers' | 'bridge' | 'resync')[];
  /** One command a line. */
  readonly commands: readonly string[];
}

export const QUERIES: readonly Query[] = [
  {
    id: 'VolumeHistoryQuery',
    name: 'What happened to this volume',
    of: ['workers', 'bridge'],
    commands: [
      'fields @timestamp, level, message, audit.name, audit.from, audit.to, audit.who, audit.manager, audit.reason, key, error',
      'filter correlation_id = "PUT-THE-UID-OF-THE-VOLUME-HERE"',
      'sort @timestamp asc',
      'limit 1000',
    ],
  },
  {
    // Syncs of more than a second are logged at INFO, all others at DEBUG.
    id: 'SlowestSyncsQuery',
    name: 'Slowest syncs',
    of: ['workers'],
    commands: [
      'filter message = "synced"',
      'fields @timestamp, ms, key, correlation_id, messages',
      'sort ms desc',
      'limit 100',
    ],
  },
  {
    id: 'FailuresQuery',
    name: 'Failures by message',
    of: ['workers', 'bridge', 'resync'],
    commands: [
      'filter level in ["ERROR", "WARN"]',
      'stats count(*) as lines, latest(@timestamp) as last by level, message, error',
      'sort lines desc',
    ],
  },
  {
    // A conflict is a debug line; its metric is always sent, as a list of ones where an invocation had several.
    id: 'ConflictsQuery',
    name: 'Conflicts per minute',
    of: ['workers'],
    commands: [
      'parse @message /"Conflicts":\\[?(?<ones>1(?:,1)*)/',
      'filter ispresent(ones)',
      'stats sum((strlen(ones) + 1) / 2) as conflicts by bin(1m)',
    ],
  },
  {
    id: 'DeadLettersQuery',
    name: 'Dead letters',
    of: ['workers'],
    commands: [
      'filter message = "message sent to the dead-letter queue"',
      'fields @timestamp, messageId, error',
      'sort @timestamp desc',
    ],
  },
  {
    id: 'ColdStartsQuery',
    name: 'Cold starts',
    of: ['workers', 'bridge', 'resync'],
    commands: ['filter ispresent(ColdStart)', 'stats sum(ColdStart) as starts by function_name, bin(1h)'],
  },
];

/** The template's resource of a query. */
export function queryResource({ name, of, commands }: Query, options: MonitoringOptions): Resource {
  const groups = logGroupsOf(options);
  return {
    Type: 'AWS::Logs::QueryDefinition',
    Properties: {
      Name: `${options.service}-${options.stage}/${name}`,
      QueryString: commands.join('\n| '),
      LogGroupNames: of.flatMap((sender) => groups[sender]),
    },
  };
}

function logGroupsOf(options: MonitoringOptions): Record<Query['of'][number], Value[]> {
  const { service, stage, bridgeLogGroup = `/aws/lambda/${service}-${stage}-bridge` } = options;
  const groupsOf = (...ids: string[]) =>
    functionsOf(options).flatMap(({ id, name }) => (ids.includes(id) ? [`/aws/lambda/${name}`] : []));
  return { workers: groupsOf('VolumeWorker', 'ClaimWorker'), bridge: [bridgeLogGroup], resync: groupsOf('Resync') };
}
