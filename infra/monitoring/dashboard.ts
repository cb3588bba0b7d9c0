/** The dashboard: six sections, from "is it working" to "what is stuck". Two bridges send each gauge: Maximum counts. */
import type { MetricName } from '../../lib/observability/catalogue.ts';
import { NAMESPACE } from '../../lib/observability/catalogue.ts';
import { functionMetric, type Metric, ownMetric, queueMetric, type Statistic } from './metric.ts';
import { functionsOf, type MonitoringOptions, QUEUES, type Resource, type Value } from './options.ts';
import { type Body, bodyText, type Section, widgetsOf } from './widgets.ts';

/** @param alarms logical ids of the alarms that the first section shows. */
export function dashboardResource(options: MonitoringOptions, alarms: readonly string[]): Resource {
  return {
    Type: 'AWS::CloudWatch::Dashboard',
    Properties: {
      DashboardName: `${options.service}-${options.stage}`,
      DashboardBody: bodyText(dashboardBody(options, alarms)),
    },
  };
}

/** The body as an object; its texts may be CloudFormation functions. */
export function dashboardBody(options: MonitoringOptions, alarms: readonly string[]): Body {
  const sections = [
    working(options, alarms),
    queues(),
    workers(options),
    bridge(options),
    stuck(options),
    builtIn(options),
  ];
  return { widgets: widgetsOf(sections) };
}

type Line = { readonly metric: Metric; readonly statistic: Statistic; readonly label?: string };

/** Lines of our own metrics, under their own names. */
function own({ stage }: MonitoringOptions, statistic: Statistic, ...names: MetricName[]): Line[] {
  return names.map((name) => ({ metric: ownMetric(name, stage), statistic, label: name }));
}

function graph(title: string, lines: readonly Line[], more: Readonly<Record<string, unknown>> = {}) {
  const metrics = lines.map(({ metric: { namespace, name, dimensions }, statistic, label }) => {
    const rendering = { stat: statistic, ...(label !== undefined && { label }) };
    return [namespace, name, ...Object.entries(dimensions).flat(), rendering] as (Value | object)[];
  });
  const properties = { title, view: 'timeSeries', region: { Ref: 'AWS::Region' }, period: 60, metrics, ...more };
  return { type: 'metric', properties };
}

function working(options: MonitoringOptions, alarms: readonly string[]): Section {
  const arns = alarms.map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
  return {
    title: 'Is it working',
    text: 'Every minute a bridge that works sends a heartbeat. Keys come in through it and go out synced.',
    widgets: [
      { type: 'alarm', properties: { title: 'Alarms', alarms: arns } },
      graph('Heartbeats of the bridges', own(options, 'Sum', 'BridgeHeartbeat')),
      graph('Keys', own(options, 'Sum', 'KeysSent', 'KeysSynced', 'SyncFailures')),
    ],
  };
}

function queues(): Section {
  const lines = (name: Parameters<typeof queueMetric>[0], of: 'queue' | 'deadLetters'): Line[] =>
    QUEUES.map((one) => ({ metric: queueMetric(name, one[of]), statistic: 'Maximum', label: one.title }));
  return {
    title: 'Queues',
    text: 'A message is a key to look at. One that fails comes back after a while, up to 1,000 times.',
    widgets: [
      graph('Age of the oldest message (s)', lines('ApproximateAgeOfOldestMessage', 'queue')),
      graph('Messages that wait', lines('ApproximateNumberOfMessagesVisible', 'queue')),
      graph('Messages in work', lines('ApproximateNumberOfMessagesNotVisible', 'queue')),
      graph('Dead letters', lines('ApproximateNumberOfMessagesVisible', 'deadLetters')),
    ],
  };
}

function workers(options: MonitoringOptions): Section {
  const functions = functionsOf(options);
  const perFunction = (name: Parameters<typeof functionMetric>[0], statistic: Statistic): Line[] =>
    functions.map((one) => ({ metric: functionMetric(name, one.name), statistic, label: one.title }));
  const duration = (statistic: Statistic): Line => {
    return { metric: ownMetric('SyncDuration', options.stage), statistic, label: statistic };
  };
  const coldStarts = functions.map(({ name, title }): Line => {
    return { metric: ownMetric('ColdStart', options.stage, { function_name: name }), statistic: 'Sum', label: title };
  });
  return {
    title: 'Workers and functions',
    text: 'Conflicts and throttling are everyday business. Verdicts are those of observe mode.',
    widgets: [
      graph('Duration of a sync (ms)', [duration('p50'), duration('p99')]),
      graph('Tried again', own(options, 'Sum', 'SyncFailures', 'Conflicts', 'Throttled', 'KeysHandedBack')),
      graph(
        'Told',
        own(options, 'Sum', 'Verdicts', 'Postponed', 'Contradictions', 'Flips', 'DeadLetters', 'QueueErrors'),
      ),
      graph('Errors', perFunction('Errors', 'Sum')),
      graph('Throttles', perFunction('Throttles', 'Sum')),
      graph('Invocations at once', perFunction('ConcurrentExecutions', 'Maximum')),
      graph('Duration of an invocation, p99 (ms)', perFunction('Duration', 'p99')),
      graph('Cold starts', coldStarts),
      graph('Keys of a scheduled resync', own(options, 'Sum', 'ResyncKeys')),
      graph('Audit records that the bus has not', own(options, 'Sum', 'AuditRecordsLost')),
    ],
  };
}

function bridge(options: MonitoringOptions): Section {
  const lag = (statistic: Statistic): Line => {
    return { metric: ownMetric('BridgeLag', options.stage), statistic, label: statistic };
  };
  return {
    title: 'Bridge',
    text: 'Most changes need no sync and are filtered. Two bridges see each change; the queue keeps one message.',
    widgets: [
      graph('Changes and keys', own(options, 'Sum', 'EventsSeen', 'KeysFiltered', 'KeysSent', 'ClaimsWoken')),
      graph('From a change to its messages (ms)', [lag('p50'), lag('p99')]),
      graph('Lists and errors', own(options, 'Sum', 'Lists', 'BridgeErrors')),
    ],
  };
}

function stuck(options: MonitoringOptions): Section {
  return {
    title: 'What is stuck',
    text: `For more than ${options.config.monitoring.stuckMinutes} minutes in a state that should not last. Lost claims are counted at once.`,
    widgets: [
      graph(
        'Volumes',
        own(options, 'Maximum', 'VolumesStuckReleased', 'VolumesStuckFailed', 'VolumesStuckTerminating'),
      ),
      graph('Claims', own(options, 'Maximum', 'ClaimsStuckPending', 'ClaimsLost')),
    ],
  };
}

function builtIn(options: MonitoringOptions): Section {
  const times = (name: MetricName) =>
    graph(`${name} (s)`, [
      { metric: ownMetric(name, options.stage), statistic: 'p50', label: 'p50' },
      { metric: ownMetric(name, options.stage), statistic: 'p99', label: 'p99' },
    ]);
  const perPair = (name: MetricName) => {
    const dimensions = 'namespace,service,stage,storage_class,volume_attributes_class';
    const where = `{${NAMESPACE},${dimensions}} MetricName="${name}" stage="${options.stage}"`;
    const metrics = [[{ expression: `SEARCH('${where}', 'Maximum', 300)`, id: 'e1' }]];
    return graph(`${name} by namespace and class`, [], { metrics });
  };
  const { detail } = options.config.monitoring;
  return {
    title: 'As the built-in controller has it',
    text: 'Its own series, under their names. Two bridges send each gauge and each time; a resync sends the gauges once more.',
    widgets: [
      graph(
        'Volumes',
        own(
          options,
          'Maximum',
          'pv_collector_total_pv_count',
          'pv_collector_bound_pv_count',
          'pv_collector_unbound_pv_count',
        ),
      ),
      graph('Claims', own(options, 'Maximum', 'pv_collector_bound_pvc_count', 'pv_collector_unbound_pvc_count')),
      times('volume_operation_total_seconds'),
      graph('Failed operations', own(options, 'Sum', 'volume_operation_total_errors', 'volume_operation_errors_total')),
      graph(
        'Default class given later',
        own(options, 'Sum', 'retroactive_storageclass_total', 'retroactive_storageclass_errors_total'),
      ),
      ...(detail ? [perPair('pv_collector_bound_pvc_count'), perPair('pv_collector_unbound_pvc_count')] : []),
    ],
  };
}
