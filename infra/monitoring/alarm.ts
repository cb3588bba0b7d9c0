/** What an alarm is, and the resource that it becomes. */
import type { Metric } from './metric.ts';
import type { MonitoringOptions, Resource } from './options.ts';

/** Sections of docs/runbook.md. */
export const RUNBOOK_ANCHORS = [
  'oldest-message',
  'dead-letters',
  'function-errors',
  'function-throttles',
  'bridge-silent',
  'flips',
  'volumes-stuck-released',
  'volumes-stuck-failed',
  'volumes-stuck-terminating',
  'claims-stuck-pending',
  'claims-lost',
  'audit-records-lost',
] as const;

/** An alarm, and the `is` that raises it: above or below a value in each of so many periods. */
export interface Alarm {
  readonly id: string;
  /** Last part of its name. */
  readonly name: string;
  readonly anchor: (typeof RUNBOOK_ANCHORS)[number];
  /** One sentence. */
  readonly meaning: string;
  readonly metric: Metric;
  readonly statistic: 'Sum' | 'Maximum';
  readonly is: { readonly above: number } | { readonly below: number };
  readonly periodSeconds: number;
  readonly periods: number;
  /** What no data says: all is well, all is not, or nothing. */
  readonly missing: 'notBreaching' | 'breaching' | 'ignore';
}

/** The template's resource, which tells the topic when it is raised and when it is over. */
export function alarmResource(alarm: Alarm, { service, stage }: MonitoringOptions): Resource {
  const { name, anchor, meaning, metric, statistic, is, periodSeconds, periods, missing } = alarm;
  const isAbove = 'above' in is;
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `${service}-${stage}-${name}`,
      AlarmDescription: `${meaning} What to do: docs/runbook.md#${anchor}`,
      Namespace: metric.namespace,
      MetricName: metric.name,
      Dimensions: Object.entries(metric.dimensions).map(([Name, Value]) => ({ Name, Value })),
      Statistic: statistic,
      Period: periodSeconds,
      EvaluationPeriods: periods,
      ComparisonOperator: isAbove ? 'GreaterThanThreshold' : 'LessThanThreshold',
      Threshold: isAbove ? is.above : is.below,
      TreatMissingData: missing,
      AlarmActions: [{ Ref: 'AlarmTopic' }],
      OKActions: [{ Ref: 'AlarmTopic' }],
    },
  };
}
