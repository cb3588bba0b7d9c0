/** The EKS token beside botocore's, which is what `aws eks get-token` presigns with. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { eksToken } from '../../lib/cluster/eks-token.ts';
import { findTools } from './tools.ts';

const tools = await findTools('python');

const regions = ['us-east-1', 'eu-central-1', 'ap-southeast-2', 'us-gov-west-1'];
const clusterNames = ['example', 'A_cluster-0', 'x'.repeat(100)];
const keys = [
  { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  { accessKeyId: 'ASIAEXAMPLE', secretAccessKey: 'secret', sessionToken: `IQoJb3JpZ2luX2VjE/+${'a/b+c'.repeat(60)}==` },
  { accessKeyId: 'ASIAODD', secretAccessKey: '~!*()', sessionToken: "~!*()' =&%25" },
];
const times = ['2026-11-30T12:00:00.000Z', '2027-01-01T00:00:00.000Z', '2028-02-29T23:59:59.000Z'];
const inputs = regions.flatMap((region) =>
  clusterNames.flatMap((clusterName) =>
    keys.flatMap((key) => times.map((time) => ({ region, clusterName, time, ...key }))),
  ),
);

describe.skipIf(tools.missing.length > 0)('the EKS token', () => {
  let theirs: readonly string[];

  beforeAll(() => {
    const script = fileURLToPath(new URL('presign.py', import.meta.url));
    const answer = execFileSync(join(tools.python, 'python'), [script], { input: JSON.stringify(inputs) });
    theirs = JSON.parse(answer.toString()) as string[];
  });

  test(`has the host, every parameter and the signature of botocore's, for ${inputs.length} inputs`, async () => {
    expect(theirs).toHaveLength(inputs.length);
    for (const [index, { region, clusterName, time, ...key }] of inputs.entries()) {
      const token = await eksToken({ region, clusterName, credentials: async () => key }, new Date(time));
      const [, encoded = ''] = token.split('k8s-aws-v1.');

      expect(partsOf(Buffer.from(encoded, 'base64url').toString())).toEqual(partsOf(theirs[index] ?? ''));
    }
  });
});

function partsOf(text: string): object {
  const { origin, pathname, searchParams } = new URL(text);
  return { origin, pathname, ...Object.fromEntries(searchParams) };
}
