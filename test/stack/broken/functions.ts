/** Functions that are told something wrong, or started at the wrong times. */
import type { Case, Loose } from './case.ts';

const variables = (properties: Loose) => properties.Environment.Variables;
const scheduleOf = (template: Loose, owner: string) => template.Resources[`${owner}EventsRuleSchedule1`].Properties;

export const FUNCTIONS: readonly Case[] = [
  [
    'environment',
    'VolumeWorkerLambdaFunction',
    'is told PV_CLAIMS_QUEUE_URL: undefined instead of the URL of ClaimsQueue',
    (p) => delete variables(p).PV_CLAIMS_QUEUE_URL,
  ],
  [
    'environment',
    'BridgeLambdaFunction',
    'is told PV_VOLUMES_QUEUE_URL: {"Ref":"ClaimsQueue"} instead',
    (p) => (variables(p).PV_VOLUMES_QUEUE_URL = { Ref: 'ClaimsQueue' }),
  ],
  [
    'environment',
    'ClaimWorkerLambdaFunction',
    'instead of the URL of ClaimsDeadLetterQueue',
    (p) => (variables(p).PV_CLAIMS_DEAD_LETTER_URL = { 'Fn::GetAtt': ['ClaimsDeadLetterQueue', 'Arn'] }),
  ],
  ['environment', 'ResyncLambdaFunction', 'is not told PV_STAGE', (p) => delete variables(p).PV_STAGE],
  ['environment', 'ResyncLambdaFunction', 'is not told PV_CLUSTER_NAME', (p) => delete variables(p).PV_CLUSTER_NAME],
  [
    'environment',
    'ResyncLambdaFunction',
    'is told PV_CLUSTER_NAME: other; its access entry is in example',
    (p) => (variables(p).PV_CLUSTER_NAME = 'other'),
  ],
  ['environment', 'ResyncLambdaFunction', 'is told PV_MOOD, which', (p) => (variables(p).PV_MOOD = 'enforce')],
  [
    'environment',
    'VolumesDeadLetterUrl',
    'is not the URL of VolumesDeadLetterQueue',
    (_p, t) => (t.Outputs.VolumesDeadLetterUrl.Value = { Ref: 'VolumesQueue' }),
  ],

  ['schedules', 'BridgeLambdaFunction', 'runs for 599 s, started every 300 s', (p) => (p.Timeout = 599)],
  [
    'schedules',
    'BridgeLambdaFunction',
    'started every 3600 s',
    (_p, t) => (scheduleOf(t, 'Bridge').ScheduleExpression = 'rate(1 hour)'),
  ],
  ['schedules', 'BridgeLambdaFunction', '3 of it run at a time', (p) => (p.ReservedConcurrentExecutions = 2)],
  ['schedules', 'BridgeLambdaFunction', 'none: 3 of it run', (p) => delete p.ReservedConcurrentExecutions],
  [
    'schedules',
    'BridgeLambdaFunction',
    'is started by 0 rules',
    (_p, t) => (scheduleOf(t, 'Bridge').State = 'DISABLED'),
  ],
  [
    'schedules',
    'ResyncLambdaFunction',
    'is started by 0 rules',
    (_p, t) => (scheduleOf(t, 'Resync').State = 'DISABLED'),
  ],
  [
    'schedules',
    'BridgeLambdaFunction',
    'set maximumRetryAttempts: 0',
    (_p, t) => delete t.Resources.BridgeLambdaEvConf,
  ],
  [
    'schedules',
    'ResyncLambdaFunction',
    'set maximumRetryAttempts: 0',
    (_p, t) => (t.Resources.ResyncLambdaEvConf.Properties.MaximumRetryAttempts = 1),
  ],
  [
    'schedules',
    'BridgeLambdaFunction',
    'may not be started by EventBridge',
    (_p, t) => delete t.Resources.BridgeLambdaPermissionEventsRuleSchedule1,
  ],
  [
    'environment',
    'BridgeLambdaFunction',
    'its access entry is in other',
    (_p, t) => (t.Resources.BridgeAccess.Properties.ClusterName = 'other'),
  ],
];
