/** The alarms: what each watches, from when on it is one, and what it means. */
import type { Alarm } from './alarm.ts';
import { functionMetric, ownMetric, queueMetric } from './metric.ts';
import { functionsOf, type MonitoringOptions, QUEUES } from './options.ts';

const MINUTE = 60;

/** All alarms of a stage. */
export function alarmsOf(options: MonitoringOptions): Alarm[] {
  return [
    ...queueAlarms(options),
    ...functionAlarms(options),
    silentBridge(options),
    flips(options),
    ...stuckAlarms(options),
    ...lostRecords(options),
  ];
}

/** SQS stops sending metrics of a queue that was not used for six hours: nothing waits there then. */
function queueAlarms({ config }: MonitoringOptions): Alarm[] {
  const minutes = config.monitoring.oldestMessageMinutes;
  return QUEUES.flatMap(({ kind, title, queue, deadLetters }): Alarm[] => [
    {
      id: `${kind}OldestMessageAlarm`,
      name: `${title}-oldest-message`,
      anchor: 'oldest-message',
      meaning: `A message of the ${title} queue has waited for more than ${minutesText(minutes)}.`,
      metric: queueMetric('ApproximateAgeOfOldestMessage', queue),
      statistic: 'Maximum',
      is: { above: minutes * MINUTE },
      periodSeconds: MINUTE,
      periods: 1,
      missing: 'notBreaching',
    },
    {
      id: `${kind}DeadLettersAlarm`,
      name: `${title}-dead-letters`,
      anchor: 'dead-letters',
      meaning: `The dead-letter queue of the ${title} queue holds messages that no retry could heal.`,
      metric: queueMetric('ApproximateNumberOfMessagesVisible', deadLetters),
      statistic: 'Maximum',
      is: { above: 0 },
      periodSeconds: MINUTE,
      periods: 1,
      missing: 'notBreaching',
    },
  ]);
}

/** A failed sync is no error of its function: an error is a time-out, a crash or a wrong setting. Throttles heal. */
function functionAlarms(options: MonitoringOptions): Alarm[] {
  return functionsOf(options).flatMap(({ id, title, name }): Alarm[] => [
    {
      id: `${id}ErrorsAlarm`,
      name: `${title.replace(' ', '-')}-errors`,
      anchor: 'function-errors',
      meaning: `An invocation of the ${title} ended with an error in the last five minutes.`,
      metric: functionMetric('Errors', name),
      statistic: 'Sum',
      is: { above: 0 },
      periodSeconds: 5 * MINUTE,
      periods: 1,
      missing: 'notBreaching',
    },
    {
      id: `${id}ThrottlesAlarm`,
      name: `${title.replace(' ', '-')}-throttles`,
      anchor: 'function-throttles',
      meaning: `Lambda has refused invocations of the ${title} for 15 minutes, for lack of concurrency.`,
      metric: functionMetric('Throttles', name),
      statistic: 'Sum',
      is: { above: 0 },
      periodSeconds: 5 * MINUTE,
      periods: 3,
      missing: 'notBreaching',
    },
  ]);
}

/** A bridge that works beats each minute, and two overlap. */
function silentBridge({ stage }: MonitoringOptions): Alarm {
  return {
    id: 'BridgeSilentAlarm',
    name: 'bridge-silent',
    anchor: 'bridge-silent',
    meaning: 'For five minutes no bridge has followed the cluster and got its messages through.',
    metric: ownMetric('BridgeHeartbeat', stage),
    statistic: 'Sum',
    is: { below: 1 },
    periodSeconds: MINUTE,
    periods: 5,
    missing: 'breaching',
  };
}

/** Nothing is written then, so it does no harm and does not end by itself: somebody must decide who is in charge. */
function flips({ stage }: MonitoringOptions): Alarm {
  return {
    id: 'FlipsAlarm',
    name: 'flips',
    anchor: 'flips',
    meaning: 'Somebody else keeps undoing what this controller writes, so it has stopped writing that.',
    metric: ownMetric('Flips', stage),
    statistic: 'Sum',
    is: { above: 0 },
    periodSeconds: 5 * MINUTE,
    periods: 1,
    missing: 'notBreaching',
  };
}

/**
 * The gauges have the age of what they count in them, so one period is enough. Two bridges send each of them: their
 * Maximum counts. A silent bridge, which has an alarm of its own, says nothing about them: they stay as they are.
 */
function stuckAlarms({ stage, config }: MonitoringOptions): Alarm[] {
  const { stuckMinutes } = config.monitoring;
  const minutes = minutesText(stuckMinutes);
  const gauge = { statistic: 'Maximum', is: { above: 0 }, missing: 'ignore' } as const;
  const aged = { ...gauge, periodSeconds: 5 * MINUTE, periods: 1 };
  return [
    {
      id: 'VolumesStuckReleasedAlarm',
      name: 'volumes-stuck-released',
      anchor: 'volumes-stuck-released',
      meaning: `Volumes of policy Delete have been Released for more than ${minutes}, and nobody has deleted them.`,
      metric: ownMetric('VolumesStuckReleased', stage),
      ...aged,
    },
    {
      id: 'VolumesStuckFailedAlarm',
      name: 'volumes-stuck-failed',
      anchor: 'volumes-stuck-failed',
      meaning: `Volumes have been Failed for more than ${minutes}: their reclaim did not succeed.`,
      metric: ownMetric('VolumesStuckFailed', stage),
      ...aged,
    },
    {
      id: 'VolumesStuckTerminatingAlarm',
      name: 'volumes-stuck-terminating',
      anchor: 'volumes-stuck-terminating',
      meaning: `Volumes were deleted more than ${minutes} ago and are still there: a finalizer holds them.`,
      metric: ownMetric('VolumesStuckTerminating', stage),
      ...aged,
    },
    {
      id: 'ClaimsStuckPendingAlarm',
      name: 'claims-stuck-pending',
      anchor: 'claims-stuck-pending',
      meaning: `Claims have been Pending for more than ${minutes}, not counting those that wait for their first pod.`,
      metric: ownMetric('ClaimsStuckPending', stage),
      ...aged,
    },
    {
      id: 'ClaimsLostAlarm',
      name: 'claims-lost',
      anchor: 'claims-lost',
      meaning: `For ${minutes} there have been claims that are Lost: their volume is gone.`,
      metric: ownMetric('ClaimsLost', stage),
      ...gauge,
      // Nothing says since when a claim is Lost, so the alarm waits. CloudWatch looks back for a day at most, which is
      // the setting's maximum.
      periodSeconds: MINUTE,
      periods: stuckMinutes,
    },
  ];
}

/** Without a bus there is nothing to lose. With one, whatever hangs on it has not heard of a change. */
function lostRecords({ stage, config }: MonitoringOptions): Alarm[] {
  if (config.audit.bus === undefined) return [];
  return [
    {
      id: 'AuditRecordsLostAlarm',
      name: 'audit-records-lost',
      anchor: 'audit-records-lost',
      meaning: 'In the last five minutes the audit bus did not take all records; the log has them.',
      metric: ownMetric('AuditRecordsLost', stage),
      statistic: 'Sum',
      is: { above: 0 },
      periodSeconds: 5 * MINUTE,
      periods: 1,
      missing: 'notBreaching',
    },
  ];
}

function minutesText(minutes: number): string {
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
