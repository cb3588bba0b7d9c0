import { describe, expect, it } from 'vitest';
import { bundleOf, type Metafile } from '../../infra/lint/bundles.ts';
import { actionsOf, type Bundle } from '../../infra/lint/iam-actions.ts';

const SQS = 'node_modules/@aws-sdk/client-sqs/dist-es/commands';
const SIGNER = 'lib/cluster/aws-signer.ts';

/** A bundle of these files, with one byte of each left in it. */
function bundle(files: readonly string[], text = '', signers: readonly string[] = []): Bundle {
  const imports = (path: string) => (signers.includes(path) ? [{ path: SIGNER }] : []);
  const meta: Metafile = {
    inputs: Object.fromEntries(files.map((path) => [path, { imports: imports(path) }])),
    outputs: { 'index.mjs': { inputs: Object.fromEntries(files.map((path) => [path, { bytesInOutput: 1 }])) } },
  };
  return bundleOf(text, meta);
}

describe('actions that a bundle calls', () => {
  it('are those of the SDK’s commands in it, batches under their one permission', () => {
    const files = ['SendMessageCommand', 'SendMessageBatchCommand', 'ChangeMessageVisibilityBatchCommand'];
    const logs = 'node_modules/@aws-sdk/client-cloudwatch-logs/dist-es/commands/PutLogEventsCommand.js';
    expect([...actionsOf(bundle([...files.map((file) => `${SQS}/${file}.js`), logs]))]).toEqual([
      'sqs:SendMessage',
      'sqs:ChangeMessageVisibility',
      'logs:PutLogEvents',
    ]);
  });

  it('are not those of commands of which nothing is left', () => {
    const path = `${SQS}/PurgeQueueCommand.js`;
    const outputs = { 'index.mjs': { inputs: { [path]: { bytesInOutput: 0 } } } };
    expect(actionsOf(bundleOf('', { inputs: { [path]: { imports: [] } }, outputs })).size).toBe(0);
  });

  it('are not those that fetch credentials', () => {
    const sts = 'node_modules/@aws-sdk/nested-clients/dist-es/submodules/sts/commands/AssumeRoleCommand.js';
    expect(actionsOf(bundle([sts])).size).toBe(0);
  });

  it('include what is asked of EKS by hand, where that code is used', () => {
    const source = 'lib/cluster/eks-cluster.ts';
    expect([...actionsOf(bundle([source], '"/clusters/"', [source]))]).toEqual(['eks:DescribeCluster']);
    expect([...actionsOf(bundle([source], '', [source]))]).toEqual([]);
  });

  it('include what is sent to EventBridge by hand', () => {
    const source = 'lib/audit/put-events.ts';
    expect([...actionsOf(bundle([source], '"AWSEvents.PutEvents"', [source]))]).toEqual(['events:PutEvents']);
  });

  it('of a client that is new must be named', () => {
    const s3 = 'node_modules/@aws-sdk/client-s3/dist-es/commands/GetObjectCommand.js';
    expect(() => actionsOf(bundle([s3]))).toThrow('client-s3 is new: add IAM’s name of it');
  });

  it('of requests that are signed in a new place must be named', () => {
    const file = 'lib/cluster/other.ts';
    expect(() => actionsOf(bundle([file], '', [file]))).toThrow('lib/cluster/other.ts signs requests to AWS');
  });
});
