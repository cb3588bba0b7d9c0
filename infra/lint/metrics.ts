/** The metrics that dashboards and alarms name: ones that somebody sends, of things that this stack has. */
import { METRICS, NAMESPACE } from '../../lib/observability/catalogue.ts';
import { ofType, type Template } from './template.ts';

/** A metric as an alarm or a widget names it. A value that CloudFormation fills in stands as `${Id.Attribute}`. */
export interface NamedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

const SQS = [
  'ApproximateAgeOfOldestMessage',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesVisible',
  'NumberOfMessagesDeleted',
  'NumberOfMessagesReceived',
  'NumberOfMessagesSent',
];
const LAMBDA = ['ConcurrentExecutions', 'Duration', 'Errors', 'Invocations', 'Throttles'];

/** @returns what is wrong with it; undefined when it exists. */
export function problemOfMetric(template: Template, metric: NamedMetric): string | undefined {
  const { namespace, name, dimensions } = metric;
  switch (namespace) {
    case NAMESPACE:
      return ownProblem(template, metric);
    case 'AWS/SQS':
      if (!SQS.includes(name)) return `names ${namespace} ${name}, which SQS does not send`;
      return dimensionProblem(metric, ['QueueName']) ?? queueProblem(template, dimensions['QueueName'] ?? '');
    case 'AWS/Lambda':
      if (!LAMBDA.includes(name)) return `names ${namespace} ${name}, which Lambda does not send`;
      return dimensionProblem(metric, ['FunctionName']) ?? functionProblem(template, dimensions['FunctionName'] ?? '');
    default:
      return `names a metric of ${namespace}, which nothing of this stack sends`;
  }
}

function ownProblem(template: Template, metric: NamedMetric): string | undefined {
  const { name, dimensions } = metric;
  const own = (METRICS as Readonly<Record<string, { dimensions?: readonly string[] }>>)[name];
  if (own === undefined) return `names ${NAMESPACE} ${name}, which is not in lib/observability/catalogue.ts`;
  const problem = dimensionProblem(metric, ['service', 'stage', ...(own.dimensions ?? [])]);
  if (problem !== undefined) return problem;
  const stage = stageOf(template);
  if (dimensions['stage'] !== stage) return `names ${name} of the stage ${dimensions['stage']}; this one is ${stage}`;
  const sender = dimensions['function_name'];
  return sender === undefined ? undefined : functionProblem(template, sender);
}

function dimensionProblem({ name, dimensions }: NamedMetric, wanted: readonly string[]): string | undefined {
  const given = Object.keys(dimensions).sort().join(', ');
  const needed = [...wanted].sort().join(', ');
  return given === needed ? undefined : `names ${name} with the dimensions ${given || '(none)'}; it has ${needed}`;
}

function queueProblem(template: Template, value: string): string | undefined {
  const id = value.match(/^\$\{(\w+)\.QueueName\}$/)?.[1];
  const exists = ofType(template, 'AWS::SQS::Queue').some(
    (queue) => queue.id === id || queue.properties['QueueName'] === value,
  );
  return exists ? undefined : `names the queue ${value}, which is not in the stack`;
}

function functionProblem(template: Template, value: string): string | undefined {
  const id = value.match(/^\$\{(\w+)\}$/)?.[1];
  const exists = ofType(template, 'AWS::Lambda::Function').some(
    (one) => one.id === id || one.properties['FunctionName'] === value,
  );
  return exists ? undefined : `names the function ${value}, which is not in the stack`;
}

/** What the functions send as the dimension `stage`. */
function stageOf(template: Template): unknown {
  const [first] = ofType(template, 'AWS::Lambda::Function');
  return (first?.properties['Environment'] as { Variables?: Record<string, unknown> } | undefined)?.Variables?.[
    'PV_STAGE'
  ];
}
