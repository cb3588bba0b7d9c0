/** Where alarms go: a topic for whatever the team listens with, and an e-mail address if the stage file has one. */
import type { MonitoringOptions, Resource } from './options.ts';

/**
 * The topic has no KMS key: an alarm says that a metric of ours is too high, which is nothing to hide, and CloudWatch
 * cannot publish under the free key of SNS; a key of one's own is $1 a month.
 */
export function topicResources({ service, stage, config }: MonitoringOptions): Record<string, Resource> {
  const { email } = config.monitoring;
  return {
    AlarmTopic: {
      Type: 'AWS::SNS::Topic',
      Properties: { TopicName: `${service}-${stage}-alarms`, DisplayName: `${service} ${stage}` },
    },
    AlarmTopicPolicy: {
      Type: 'AWS::SNS::TopicPolicy',
      Properties: {
        Topics: [{ Ref: 'AlarmTopic' }],
        PolicyDocument: { Version: '2012-10-17', Statement: [alarmsMayPublish, nobodyWithoutTls] },
      },
    },
    ...(email !== undefined && {
      AlarmSubscription: {
        Type: 'AWS::SNS::Subscription',
        Properties: { TopicArn: { Ref: 'AlarmTopic' }, Protocol: 'email', Endpoint: email },
      },
    }),
  };
}

const alarmsMayPublish = {
  Sid: 'AlarmsOfThisAccount',
  Effect: 'Allow',
  Principal: { Service: 'cloudwatch.amazonaws.com' },
  Action: 'sns:Publish',
  Resource: { Ref: 'AlarmTopic' },
  Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
};

const nobodyWithoutTls = {
  Sid: 'NobodyWithoutTls',
  Effect: 'Deny',
  Principal: '*',
  Action: 'sns:Publish',
  Resource: { Ref: 'AlarmTopic' },
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
};
