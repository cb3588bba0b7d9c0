/** What EKS, or whatever answers in its place, says to DescribeCluster: an address and a certificate, or an error. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpointOf } from '../../lib/cluster/connection.ts';
import { describeCluster, EksClusterError } from '../../lib/cluster/eks-cluster.ts';
import { eksToken } from '../../lib/cluster/eks-token.ts';
import { ConnectionError } from '../../lib/cluster/errors.ts';
import { certificateAuthority } from '../../lib/cluster/testing/certificates.ts';
import { type TestServer, testServer } from '../../lib/cluster/testing/http-server.ts';
import { anyJson, anyText, damaged, MEBIBYTE, mutationsOf } from './hostile.ts';
import { outcomeOf, settledOf } from './outcome.ts';
import { inTime, runs } from './runs.ts';
import { leaksIn, SECRET, textOf } from './secrets.ts';

const VALID = {
  cluster: {
    name: 'one',
    status: 'ACTIVE',
    endpoint: 'https://0123.gr7.eu-central-1.eks.amazonaws.com',
    certificateAuthority: { data: Buffer.from(certificateAuthority().certificate).toString('base64') },
  },
};
const KEYS = ['cluster', 'endpoint', 'certificateAuthority', 'data', 'status', 'message', 'Message'];

let server: TestServer;
let answer: { readonly status: number; readonly body: string };
/** What the last request was signed with. */
let authorization = '';

beforeAll(async () => {
  server = await testServer(({ headers }, response) => {
    authorization = headers.authorization ?? '';
    response.writeHead(answer.status).end(answer.body.replaceAll('AUTHORIZATION', authorization));
  });
});
afterAll(() => server.close());

const options = (more: object = {}) => ({
  clusterName: 'one',
  region: 'eu-central-1',
  credentials: SECRET.aws,
  endpoint: server.url,
  timeoutMs: 5_000,
  firstBackoffMs: 0,
  ...more,
});

async function assertAnswer(status: number, body: string): Promise<void> {
  answer = { status, body };
  const outcome = await settledOf(() => describeCluster(options()), EksClusterError);
  if ('value' in outcome) {
    expect(outcome.value).toEqual({ server: expect.stringMatching(/./), ca: expect.any(String) });
    // What is no address or no certificate is found where it is used, under its own name.
    outcomeOf(() => endpointOf(outcome.value), ConnectionError);
  } else {
    expect(outcome.error.message.length).toBeLessThan(1_000);
    expect(leaksIn(textOf(outcome.error))).toEqual([]);
  }
}

describe('DescribeCluster ends in an address or an EksClusterError', () => {
  const status = fc.constantFrom(200, 200, 200, 400, 403, 404, 429, 500);
  test('for its own answer with parts replaced', async () => {
    const check = (document: unknown) => assertAnswer(200, JSON.stringify(document));
    await fc.assert(fc.asyncProperty(mutationsOf(VALID, KEYS), check), {
      ...runs(3),
      examples: [[VALID], [{ cluster: { status: 'x'.repeat(MEBIBYTE / 2) } }]],
    });
  });

  test('for any status and any answer', async () => {
    const body = fc.oneof(
      anyText,
      damaged(JSON.stringify(VALID)),
      anyJson(KEYS).map((value) => JSON.stringify(value)),
    );
    await fc.assert(fc.asyncProperty(status, body, assertAnswer), runs(3));
  });

  test('for an answer of a megabyte', async () => {
    await inTime(() => assertAnswer(200, '['.repeat(MEBIBYTE)));
    await inTime(() => assertAnswer(400, JSON.stringify({ message: 'x'.repeat(MEBIBYTE - 20) })));
    await inTime(() => assertAnswer(400, 'x'.repeat(MEBIBYTE + 1)));
  });
});

describe('a refusal that quotes the request', () => {
  const secrets = { ...SECRET.aws, authorization: 'AUTHORIZATION' };
  /** JSON may write a character in several ways. */
  const writers: Readonly<Record<string, (value: unknown) => string>> = {
    plain: (value) => JSON.stringify(value),
    'with escaped slashes': (value) => JSON.stringify(value).replaceAll('/', '\\/'),
    'with everything escaped': (value) =>
      JSON.stringify(value).replace(/[/+="\\]/g, (c) =>
        c === '"' || c === '\\' ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  };
  const kinds = Object.entries(writers).flatMap(([how, write]) =>
    Object.entries(secrets).map(([what, secret]) => [what, how, write, secret] as const),
  );
  test.each(kinds)('with its %s, %s: is told without it', async (what, _, write, secret) => {
    for (const field of ['message', 'Message']) {
      answer = { status: 403, body: write({ [field]: `no: ${secret} is what I got` }) };
      const outcome = await settledOf(() => describeCluster(options()), EksClusterError);
      const text = 'error' in outcome ? textOf(outcome.error) : '';
      expect(text).toContain('403 no: ');
      // The id of a key is no secret.
      if (what !== 'accessKeyId') expect(leaksIn(text)).toEqual([]);
      if (what === 'authorization') expect(text).not.toContain(authorization.slice(-64));
    }
  });

  test('credentials that cannot be had are told without what was said of their secrets', async () => {
    const credentials = async () => {
      throw new Error('no role');
    };
    await expect(describeCluster(options({ credentials }))).rejects.toThrow('no AWS credentials (no role)');
  });
});

test('a token names its cluster, however that is called, and holds nothing that a header refuses', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyText.map((text) => text.toWellFormed()),
      async (clusterName) => {
        const given = { clusterName, region: 'eu-central-1', credentials: SECRET.aws };
        const token = await eksToken(given, new Date('2026-01-01T00:00:00Z'));
        expect(token).toMatch(/^k8s-aws-v1\.[\w-]+$/);
        const url = new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());
        expect(url.host).toBe('sts.eu-central-1.amazonaws.com');
        expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host;x-k8s-aws-id');
      },
    ),
    runs(3),
  );
});
