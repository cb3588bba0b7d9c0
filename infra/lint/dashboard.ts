/** The dashboard's body, which to CloudFormation and cfn-lint is a text like any other. */
import { METRICS, type Metric, NAMESPACE } from '../../lib/observability/catalogue.ts';
import { problemOfMetric } from './metrics.ts';
import { ofType, type Rule, type Template } from './template.ts';

/** CloudWatch's grid is 24 wide. */
const GRID_WIDTH = 24;

interface Widget {
  readonly type?: unknown;
  readonly x?: unknown;
  readonly y?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

export const DASHBOARDS: Rule = {
  name: 'dashboards',
  check: (template) =>
    ofType(template, 'AWS::CloudWatch::Dashboard').flatMap(({ id, properties }) =>
      body(template, properties['DashboardBody']).map((says) => ({ resource: id, says })),
    ),
};

function body(template: Template, value: unknown): string[] {
  let parsed: { widgets?: unknown };
  try {
    parsed = JSON.parse(textOf(value));
  } catch (error) {
    return [`has a body that is not JSON: ${(error as Error).message}`];
  }
  const { widgets } = parsed;
  if (!Array.isArray(widgets) || widgets.length === 0) return ['has a body without widgets'];
  return widgets.flatMap((one: Widget, index) => {
    const title = one.properties?.['title'];
    const name = typeof title === 'string' ? `widget “${title}”` : `widget ${index}`;
    return widget(template, one).map((says) => `${name} ${says}`);
  });
}

/** The text with `${Id}` and `${Id.Attribute}` left in: the names in it stay comparable. */
function textOf(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? (value as { 'Fn::Sub'?: unknown })['Fn::Sub'] : value;
  return String(text).replaceAll('${!', '${');
}

function widget(template: Template, { type, x, y, width, height, properties }: Widget): string[] {
  const isPlace = [x, y, width, height].every((value) => Number.isInteger(value) && (value as number) >= 0);
  if (!isPlace || (x as number) + (width as number) > GRID_WIDTH) return [`does not fit on the grid of ${GRID_WIDTH}`];
  switch (type) {
    case 'text':
      return typeof properties?.['markdown'] === 'string' ? [] : ['has no markdown'];
    case 'alarm':
      return alarms(template, properties?.['alarms']);
    case 'metric':
      return metrics(template, properties);
    case 'log':
      return typeof properties?.['query'] === 'string' ? [] : ['has no query'];
    default:
      return [`has the unknown type ${String(type)}`];
  }
}

function alarms(template: Template, listed: unknown): string[] {
  if (!Array.isArray(listed) || listed.length === 0) return ['shows no alarms'];
  const ids = ofType(template, 'AWS::CloudWatch::Alarm').map(({ id }) => `\${${id}.Arn}`);
  return listed.filter((arn) => !ids.includes(arn)).map((arn) => `shows the alarm ${arn}, which is not in the stack`);
}

function metrics(template: Template, properties: Widget['properties']): string[] {
  if (properties?.['region'] === undefined) return ['has no region'];
  const listed = properties['metrics'];
  if (!Array.isArray(listed) || listed.length === 0) return ['shows no metrics'];
  return listed.flatMap((entry: unknown[]) => {
    const options = typeof entry.at(-1) === 'object' ? (entry.at(-1) as { expression?: string }) : {};
    if (options.expression !== undefined) return searched(options.expression);
    const [namespace, name, ...rest] = entry.filter((part) => typeof part === 'string');
    const pairs = Array.from({ length: rest.length / 2 }, (_, at) => [rest[2 * at], rest[2 * at + 1]]);
    const problem = problemOfMetric(template, {
      namespace: namespace ?? '',
      name: name ?? '',
      dimensions: Object.fromEntries(pairs),
    });
    return problem ?? [];
  });
}

/** `SEARCH('{Namespace,dimension,…} MetricName="…"', …)`; the order of the dimensions does not matter. */
function searched(expression: string): string[] {
  const [, namespace, dimensions = ''] = expression.match(/\{([^,}]+),([^}]*)\}/) ?? [];
  const name = expression.match(/MetricName="([^"]*)"/)?.[1] ?? '';
  const own = (METRICS as Readonly<Record<string, Metric>>)[name];
  if (namespace !== NAMESPACE || own === undefined) {
    return [`searches for ${namespace} ${name}, which is not in lib/observability/catalogue.ts`];
  }
  const given = dimensions.split(',').sort().join(', ');
  const wanted = ['service', 'stage', ...(own.detail ?? own.dimensions ?? [])].sort().join(', ');
  return given === wanted ? [] : [`searches for ${name} with the dimensions ${given}; it has ${wanted}`];
}
