/** Broken references, alarms and dashboards. */
import type { Case, Loose } from './case.ts';

/** Changes the dashboard's body as an object. */
const onDashboard = (change: (widgets: Loose[]) => void) => (properties: Loose) => {
  const body = JSON.parse(properties.DashboardBody['Fn::Sub']);
  change(body.widgets);
  properties.DashboardBody['Fn::Sub'] = JSON.stringify(body);
};
const graph = (widgets: Loose[]) => widgets.find(({ type }) => type === 'metric');

export const MONITORING: readonly Case[] = [
  ['references', 'ResyncAccess', 'refers to Nobody', (p) => (p.PrincipalArn = { 'Fn::GetAtt': ['Nobody', 'Arn'] })],
  ['references', 'AlarmTopicPolicy', 'refers to OtherTopic', (p) => (p.Topics = [{ Ref: 'OtherTopic' }])],
  ['references', 'Dashboard', 'refers to Gone', (p) => (p.DashboardBody['Fn::Sub'] += `\${Gone.Arn}`)],
  ['references', 'ResyncRole', 'refers to Later', (_p, t) => (t.Resources.ResyncRole.DependsOn = ['Later'])],
  ['references', 'ClaimsQueueUrl', 'refers to Lost', (_p, t) => (t.Outputs.ClaimsQueueUrl.Value = { Ref: 'Lost' })],
  [
    'references',
    'ClaimsQueueUrl',
    'exports "url", as VolumesQueueUrl does',
    (_p, t) => {
      for (const output of ['VolumesQueueUrl', 'ClaimsQueueUrl']) t.Outputs[output].Export = { Name: 'url' };
    },
  ],
  [
    'references',
    'VolumesDeadLetterQueue',
    'waits for itself',
    (p) => (p.Tags = [{ Key: 'source', Value: { 'Fn::GetAtt': ['VolumesQueue', 'Arn'] } }]),
  ],
  ['references', 'ResyncAccess', 'imports "x"', (p) => (p.ClusterName = { 'Fn::ImportValue': 'x' })],

  ['alarms', 'BridgeSilentAlarm', 'names ServerlessPvController Heartbeats', (p) => (p.MetricName = 'Heartbeats')],
  ['alarms', 'BridgeSilentAlarm', 'with the dimensions service', (p) => p.Dimensions.pop()],
  ['alarms', 'BridgeSilentAlarm', 'of the stage other', (p) => (p.Dimensions[1].Value = 'other')],
  ['alarms', 'VolumesDeadLettersAlarm', 'which SQS does not send', (p) => (p.MetricName = 'Messages')],
  [
    'alarms',
    'VolumesDeadLettersAlarm',
    `names the queue \${Other.QueueName}`,
    (p) => (p.Dimensions[0].Value = { 'Fn::GetAtt': ['Other', 'QueueName'] }),
  ],
  ['alarms', 'ResyncErrorsAlarm', 'which Lambda does not send', (p) => (p.MetricName = 'Failures')],
  ['alarms', 'ResyncErrorsAlarm', 'names the function resync', (p) => (p.Dimensions[0].Value = 'resync')],
  ['alarms', 'ResyncErrorsAlarm', 'names a metric of AWS/EC2', (p) => (p.Namespace = 'AWS/EC2')],
  ['alarms', 'ClaimsLostAlarm', 'tells nobody', (p) => delete p.AlarmActions],
  ['alarms', 'ClaimsLostAlarm', 'ActionsEnabled is false', (p) => (p.ActionsEnabled = false)],
  ['alarms', 'BridgeSilentAlarm', 'missing breaching', (p) => (p.TreatMissingData = 'notBreaching')],
  ['alarms', 'BridgeSilentAlarm', 'LessThanThreshold 1', (p) => (p.ComparisonOperator = 'GreaterThanThreshold')],
  ['alarms', 'ClaimsDeadLettersAlarm', 'GreaterThanThreshold 0', (p) => (p.Threshold = 1000)],
  ['alarms', 'BridgeErrorsAlarm', 'GreaterThanThreshold 0', (p) => (p.ComparisonOperator = 'LessThanThreshold')],
  [
    'alarms',
    'VolumesDeadLettersAlarm',
    'watches VolumesQueue, which is no dead-letter queue',
    (p) => (p.Dimensions[0].Value['Fn::GetAtt'][0] = 'VolumesQueue'),
  ],
  ['alarms', 'AuditRecordsLostAlarm', 'missing notBreaching', (p) => (p.TreatMissingData = 'breaching')],
  ['alarms', 'VolumesStuckFailedAlarm', 'needs Maximum', (p) => (p.Statistic = 'Sum')],
  ['alarms', 'ClaimsLostAlarm', 'missing ignore', (p) => (p.TreatMissingData = 'breaching')],
  ['alarms', 'ClaimsLostAlarm', 'without a link', (p) => (p.AlarmDescription = 'Lost.')],
  [
    'alarms',
    'ClaimsLostAlarm',
    'there is no such heading',
    (p) => (p.AlarmDescription = 'docs/runbook.md#claims-found'),
  ],

  ['dashboards', 'Dashboard', 'not JSON', (p) => (p.DashboardBody['Fn::Sub'] += ',')],
  ['dashboards', 'Dashboard', 'without widgets', (p) => (p.DashboardBody = '{"widgets": []}')],
  ['dashboards', 'Dashboard', 'does not fit on the grid', onDashboard(([first]) => (first.width = 25))],
  ['dashboards', 'Dashboard', 'unknown type grpah', onDashboard(([first]) => (first.type = 'grpah'))],
  ['dashboards', 'Dashboard', 'has no markdown', onDashboard(([first]) => delete first.properties.markdown)],
  ['dashboards', 'Dashboard', 'has no region', onDashboard((widgets) => delete graph(widgets).properties.region)],
  ['dashboards', 'Dashboard', 'shows no metrics', onDashboard((widgets) => (graph(widgets).properties.metrics = []))],
  [
    'dashboards',
    'Dashboard',
    'names ServerlessPvController Heartbeats',
    onDashboard((widgets) => (graph(widgets).properties.metrics[0][1] = 'Heartbeats')),
  ],
  [
    'dashboards',
    'Dashboard',
    'searches for ServerlessPvController Claims',
    onDashboard((widgets) => {
      const expression = "SEARCH('{ServerlessPvController,service,stage} MetricName=\"Claims\"', 'Sum')";
      graph(widgets).properties.metrics = [[{ expression }]];
    }),
  ],
  [
    'dashboards',
    'Dashboard',
    `shows the alarm \${Gone.Arn}`,
    onDashboard((widgets) => widgets.find(({ type }) => type === 'alarm').properties.alarms.push(`\${Gone.Arn}`)),
  ],
];
