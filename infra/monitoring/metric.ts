/** Metrics as alarms and dashboards name them. Ours are typed: no name that the code does not send can be written here. */
import { type MetricName, NAMESPACE } from '../../lib/observability/catalogue.ts';
import type { Value } from './options.ts';

/** The Powertools service name of all functions and of the container (functions/environment.ts). */
const SERVICE_DIMENSION = 'pv-controller';

export type Statistic = 'Sum' | 'Maximum' | 'Average' | 'p50' | 'p99';

/** One metric of one thing. */
export interface Metric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, Value>>;
}

/** One that our own code sends, over all functions of a stage. */
export function ownMetric(name: MetricName, stage: string, more: Readonly<Record<string, string>> = {}): Metric {
  return { namespace: NAMESPACE, name, dimensions: { service: SERVICE_DIMENSION, stage, ...more } };
}

/** @param queue a queue's logical id. */
export function queueMetric(
  name:
    | 'ApproximateAgeOfOldestMessage'
    | 'ApproximateNumberOfMessagesVisible'
    | 'ApproximateNumberOfMessagesNotVisible',
  queue: string,
): Metric {
  return { namespace: 'AWS/SQS', name, dimensions: { QueueName: { 'Fn::GetAtt': [queue, 'QueueName'] } } };
}

/** @param functionName a function's name. */
export function functionMetric(
  name: 'Errors' | 'Throttles' | 'Duration' | 'Invocations' | 'ConcurrentExecutions',
  functionName: string,
): Metric {
  return { namespace: 'AWS/Lambda', name, dimensions: { FunctionName: functionName } };
}
