/** The monitoring part of the stack: topic, alarms, dashboard, saved queries. */
import { alarmResource } from './alarm.ts';
import { alarmsOf } from './alarms.ts';
import { dashboardResource } from './dashboard.ts';
import type { MonitoringOptions, Resource } from './options.ts';
import { QUERIES, queryResource } from './queries.ts';
import { topicResources } from './topic.ts';

export type { MonitoringOptions } from './options.ts';

/** @returns the part of a CloudFormation template. It refers to the queues of the stack by their logical ids. */
export function monitoringResources(options: MonitoringOptions): {
  readonly Resources: Record<string, Resource>;
  readonly Outputs: Record<string, { readonly Description: string; readonly Value: unknown }>;
} {
  const alarms = alarmsOf(options);
  const ids = alarms.map(({ id }) => id);
  return {
    Resources: {
      ...topicResources(options),
      ...Object.fromEntries(alarms.map((alarm) => [alarm.id, alarmResource(alarm, options)])),
      Dashboard: dashboardResource(options, ids),
      ...Object.fromEntries(QUERIES.map((query) => [query.id, queryResource(query, options)])),
    },
    Outputs: {
      AlarmTopicArn: { Description: 'Alarms are sent there.', Value: { Ref: 'AlarmTopic' } },
      DashboardUrl: {
        Description: 'The dashboard in the console.',
        Value: {
          'Fn::Sub': `https://\${AWS::Region}.console.aws.amazon.com/cloudwatch/home?region=\${AWS::Region}#dashboards/dashboard/\${Dashboard}`,
        },
      },
    },
  };
}
