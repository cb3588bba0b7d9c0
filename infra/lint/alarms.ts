/** The alarms: they watch what exists, tell somebody, and lead to a section of the runbook. */
import { problemOfMetric } from './metrics.ts';
import { listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

const COUNTS = ['Errors', 'Throttles', 'Flips', 'AuditRecordsLost'];
const GAUGES = /^(Volumes|Claims)(Stuck|Lost)/;

/** @param runbook the text of docs/runbook.md, whose headings alarms link to; empty when there is none. */
export function alarmsRule(runbook: string): Rule {
  const anchors = anchorsOf(runbook);
  return {
    name: 'alarms',
    check: (template) =>
      ofType(template, 'AWS::CloudWatch::Alarm').flatMap(({ id, properties }) =>
        [
          ...metric(template, properties),
          ...reading(properties),
          ...deadLetters(template, properties),
          ...actions(template, properties),
          ...runbookLink(properties, anchors),
        ].map((says) => ({
          resource: id,
          says,
        })),
      ),
  };
}

function metric(template: Template, properties: Record<string, unknown>): string[] {
  const given = listOf(properties['Dimensions'] as { Name: string; Value: unknown }[] | undefined);
  const problem = problemOfMetric(template, {
    namespace: String(properties['Namespace']),
    name: String(properties['MetricName']),
    dimensions: Object.fromEntries(given.map(({ Name, Value }) => [Name, textOf(Value)])),
  });
  return problem === undefined ? [] : [problem];
}

/** As it would stand in an `Fn::Sub`. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::GetAtt': getAtt } = (value ?? {}) as { Ref?: string; 'Fn::GetAtt'?: string | string[] };
  return `\${${Ref ?? listOf(getAtt).join('.')}}`;
}

/** What a metric's kind asks of its alarm. */
function reading(properties: Record<string, unknown>): string[] {
  const { MetricName: name, Statistic, ComparisonOperator, Threshold, TreatMissingData } = properties;
  const is = `${Statistic} ${ComparisonOperator} ${Threshold}, missing ${TreatMissingData}`;
  const wanted = readingOf(String(name));
  return wanted === undefined || wanted === is ? [] : [`raises at ${is}; ${name} needs ${wanted}`];
}

/** Messages in any other queue are everyday business. */
function deadLetters(template: Template, { MetricName: name, Dimensions }: Record<string, unknown>): string[] {
  if (name !== 'ApproximateNumberOfMessagesVisible') return [];
  const queues = listOf(Dimensions as { Value: unknown }[]).map(({ Value }) => targetOf(Value) ?? '');
  return queues
    .filter((queue) => template.Resources[queue]?.Properties['RedrivePolicy'] !== undefined)
    .map((queue) => `watches ${queue}, which is no dead-letter queue`);
}

function readingOf(name: string): string | undefined {
  if (name === 'BridgeHeartbeat') return 'Sum LessThanThreshold 1, missing breaching';
  if (COUNTS.includes(name)) return 'Sum GreaterThanThreshold 0, missing notBreaching';
  if (name === 'ApproximateNumberOfMessagesVisible') return 'Maximum GreaterThanThreshold 0, missing notBreaching';
  // Each bridge sends them, and two run: a sum would count twice.
  if (GAUGES.test(name)) return 'Maximum GreaterThanThreshold 0, missing ignore';
  return undefined;
}

function actions(template: Template, properties: Record<string, unknown>): string[] {
  if (properties['ActionsEnabled'] === false) return ['tells nobody: ActionsEnabled is false'];
  const topics = listOf(properties['AlarmActions']).map((action) => targetOf(action) ?? '');
  const isTold = topics.some((topic) => template.Resources[topic]?.Type === 'AWS::SNS::Topic');
  return isTold ? [] : ['tells nobody: AlarmActions has no topic of this stack'];
}

function runbookLink(properties: Record<string, unknown>, anchors: ReadonlySet<string>): string[] {
  const anchor = String(properties['AlarmDescription']).match(/docs\/runbook\.md#([a-z0-9-]+)/)?.[1];
  if (anchor === undefined) return ['has a description without a link to docs/runbook.md#…'];
  return anchors.has(anchor) ? [] : [`links to docs/runbook.md#${anchor}, and there is no such heading`];
}

/** As GitHub makes them of headings: lower case, dashes for spaces, no other punctuation. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = [...markdown.matchAll(/^#{1,6}\s+(.+?)\s*$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
