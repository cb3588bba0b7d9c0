/** The account that the stack is deployed to, in name only. */
import type { Values } from './template.ts';

export const account = '123456789012';
export const region = 'us-east-1';

/** The pseudo parameters of CloudFormation. */
export const pseudoParameters: Values = {
  'AWS::Region': region,
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};
