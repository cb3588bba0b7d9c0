/** The alarms: they watch what exists, tell somebody, and lead to a section of the runbook. */
import { problemOfMetric } from './metrics.ts';
import { listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

/** @param runbook the text of docs/runbook.md, whose headings alarms link to; empty when there is none. */
export function alarmsRule(runbook: string): Rule {
  const anchors = anchorsOf(runbook);
  return {
    name: 'alarms',
    check: (template) =>
      ofType(template, 'AWS::CloudWatch::Alarm').flatMap(({ id, properties }) =>
        [...metric(template, properties), ...actions(template, properties), ...runbookLink(properties, anchors)].map(
          (says) => ({
            resource: id,
            says,
          }),
        ),
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

function actions(template: Template, properties: Record<string, unknown>): string[] {
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
