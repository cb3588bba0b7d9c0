/** docs/metrics.md: what the code sends, and the alarms that watch it. */
import { alarmsOf } from '../../infra/monitoring/alarms.ts';
import { monitoringResources } from '../../infra/monitoring/index.ts';
import type { MonitoringOptions } from '../../infra/monitoring/options.ts';
import { QUERIES } from '../../infra/monitoring/queries.ts';
import { SERVICE } from '../../infra/names.ts';
import { STAGE_SCHEMA } from '../../infra/stage-schema.ts';
import { METRICS, type Metric, NAMESPACE } from '../../lib/observability/catalogue.ts';
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
## Alarms

All go to the topic of the stack (output \`AlarmTopicArn\`), when they begin and when they end. Thresholds in minutes are those of
\`monitoring\` in the [stage file](settings.md#the-stage-file), here its defaults.

${alarmTable(options)}

## Saved queries

In the console under CloudWatch, Logs Insights, Queries, in the folder \`${SERVICE}-<stage>\`:

${QUERIES.map(({ name, commands }) => `${name}:\n\n\`\`\`\n${commands.join('\n| ')}\n\`\`\`\n`).join('\n')}
A line about a key has it in \`key\`, and the uid of the volume that it is about in \`correlation_id\`, where that is known.
What was written is a line at INFO such as \`volume Available -> Bound\` or \`claim bound\`, with \`object\`, \`from\` and \`to\`.
`;
}

/** A stage whose file says nothing but what it must. */
function defaultOptions(): MonitoringOptions {
  const { bridge, monitoring } = STAGE_SCHEMA.shape;
  const config = { bridge: bridge.parse(undefined), monitoring: monitoring.parse(undefined) };
  return { service: SERVICE, stage: '<stage>', config };
}

function metricTable(sender: Metric['sender'], options: MonitoringOptions): string {
  const ofSender = Object.entries<Metric>(METRICS).filter(([, metric]) => metric.sender === sender);
  const rows = ofSender.map(([name, { unit, meaning, dimensions = [], isDetail }]) => [
    code(name),
    unit,
    dimensions.map(code).join(', '),
    isDetail ? `${meaning} Only with [detail](settings.md#what-detail-costs).` : meaning,
    alarmOn(name, options),
  ]);
  return table(['Name', 'Unit', 'More dimensions', 'Meaning', 'Alarm'], rows);
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
