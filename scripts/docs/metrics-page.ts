/** docs/metrics.md: what the code sends, and the alarms that watch it. */
import { alarmsOf } from '../../infra/monitoring/alarms.ts';
import { monitoringResources } from '../../infra/monitoring/index.ts';
import type { MonitoringOptions } from '../../infra/monitoring/options.ts';
import { QUERIES } from '../../infra/monitoring/queries.ts';
import { SERVICE } from '../../infra/names.ts';
import { STAGE_SCHEMA } from '../../infra/stage-schema.ts';
import { METRICS, type Metric, NAMESPACE } from '../../lib/observability/catalogue.ts';
import { MAX_DETAILS } from '../../lib/observability/counts.ts';
import { code, generatedFrom, table } from './markdown.ts';

const SENDERS: Readonly<Record<Metric['sender'], string>> = {
  workers: 'The two workers',
  bridge: 'The bridge, function or container',
  resync: 'The scheduled resync',
  functions: 'Each function',
};

/** The page's text. */
export function metricsPage(): string {
  const options = defaultOptions();
  return `${generatedFrom('lib/observability/catalogue.ts', 'infra/monitoring')}

# Metrics and alarms

Metrics are printed as log lines in CloudWatch's embedded metric format, so they cost no request. Their namespace is
\`${NAMESPACE}\`, their dimensions \`service\` (\`pv-controller\`) and \`stage\` (\`PV_STAGE\`), and where the table says so more.
Two bridges run at a time and each sends its own gauges: look at their Maximum, and at the Sum of what is counted.
${Object.entries(SENDERS)
  .map(([sender, title]) => `\n## ${title}\n\n${metricTable(sender as Metric['sender'], options)}\n`)
  .join('')}
## As the built-in controller has them

Its own series under their names, so that what is known of it can be looked up here. CloudWatch charges for each combination
of labels, so they are sent without any, and [with detail](settings.md#what-detail-costs) once more by its labels. A label that is
empty there is \`none\` here. Times are sent as lists of values, so that every percentile can be asked for; there are no buckets.
What the controller itself waits for differs from the built-in one, which counts from its own first attempt: no function lasts
so long, so here the objects' own times are the beginning.

The gauges (\`pv_collector_…\`) have two senders: the bridge with each heartbeat, of what it holds, and the scheduled resync when it has sent
all keys, of what it has listed. Names, dimensions, labels and the limit of ${MAX_DETAILS.toLocaleString('en')} combinations are the same, since
one piece of code counts for both, so no metric is added. Look at their Maximum, as the dashboard does: two that say the same are one
there. They can differ by what changed within that minute. A Sum of gauges means nothing, however many send them, and no alarm looks at these.
A bridge that does not work is silent, so then the resync's values are all there are. A resync sends none when a list had to begin
anew halfway (the server's pages had expired), since it would have counted some objects twice.

${parityTable()}

## Alarms

All go to the topic of the stack (output \`AlarmTopicArn\`), when they begin and when they end. Thresholds in minutes are those of
\`monitoring\` in the [stage file](settings.md#the-stage-file), here its defaults. \`audit-records-lost\` is there only where \`audit.bus\` names a bus.

${alarmTable(options)}

## Saved queries

In the console under CloudWatch, Logs Insights, Queries, in the folder \`${SERVICE}-<stage>\`:

${QUERIES.map(({ name, commands }) => `${name}:\n\n\`\`\`\n${commands.join('\n| ')}\n\`\`\`\n`).join('\n')}
A line about a key has it in \`key\`, and the uid of the volume that it is about in \`correlation_id\`, where that is known.
What was written is a line at INFO such as \`volume Available -> Bound\` or \`claim bound\`, with a record of the
[audit trail](audit.md) in \`audit\`.
`;
}

/** A stage whose file says nothing but what it must, and a bus, so that the page has every alarm. */
function defaultOptions(): MonitoringOptions {
  const { bridge, monitoring, audit } = STAGE_SCHEMA.shape;
  const config = {
    bridge: bridge.parse(undefined),
    monitoring: monitoring.parse(undefined),
    audit: audit.parse({ bus: 'any' }),
  };
  return { service: SERVICE, stage: '<stage>', config };
}

function metricTable(sender: Metric['sender'], options: MonitoringOptions): string {
  const rows = metricsWhere((metric) => metric.sender === sender && !metric.isParity).map(([name, metric]) => {
    const { unit, meaning, dimensions = [] } = metric;
    return [code(name), unit, dimensions.map(code).join(', '), meaning, alarmOn(name, options)];
  });
  return table(['Name', 'Unit', 'More dimensions', 'Meaning', 'Alarm'], rows);
}

function parityTable(): string {
  const rows = metricsWhere(({ isParity }) => isParity === true).map(
    ([name, { unit, sender, alsoBy, meaning, detail = [] }]) => {
      return [
        code(name),
        unit,
        alsoBy === undefined ? sender : `${sender}, ${alsoBy}`,
        detail.map(code).join(', '),
        meaning,
      ];
    },
  );
  return table(['Name', 'Unit', 'Sent by', 'Split with detail by', 'Meaning'], rows);
}

function metricsWhere(isWanted: (metric: Metric) => boolean): [string, Metric][] {
  return Object.entries<Metric>(METRICS).filter(([, metric]) => isWanted(metric));
}

function alarmOn(metric: string, options: MonitoringOptions): string {
  const alarm = alarmsOf(options).find(({ metric: { namespace, name } }) => namespace === NAMESPACE && name === metric);
  return alarm === undefined ? '' : `[${alarm.name}](runbook.md#${alarm.anchor})`;
}

function alarmTable(options: MonitoringOptions): string {
  const { Resources } = monitoringResources(options);
  const rows = alarmsOf(options).map(({ id, name, anchor, meaning, metric, statistic }) => {
    const { Period, EvaluationPeriods, Threshold, ComparisonOperator, TreatMissingData } =
      Resources[id]?.Properties ?? {};
    const sign = ComparisonOperator === 'LessThanThreshold' ? '<' : '>';
    const lasting = `${EvaluationPeriods} × ${Period} s`;
    return [
      `[${name}](runbook.md#${anchor})`,
      code(`${metric.namespace} ${metric.name}: ${statistic} ${sign} ${Threshold}`),
      lasting,
      String(TreatMissingData),
      meaning,
    ];
  });
  return table(['Alarm', 'Raised when', 'In each of', 'Missing data', 'Meaning'], rows);
}
