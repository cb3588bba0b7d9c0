import { expect, test, vi } from 'vitest';
import { eksToken, eksTokenSource } from './eks-token.ts';

const identity = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session/token+value==',
};
const options = { clusterName: 'my-cluster', region: 'eu-west-1', credentials: async () => identity };
const noon = new Date('2026-11-29T12:00:00Z');

function urlIn(token: string): URL {
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  return new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());
}

test('a token holds every parameter and the signature that botocore makes of the same inputs', async () => {
  const url = urlIn(await eksToken(options, noon));

  expect(url.origin + url.pathname).toBe('https://sts.eu-west-1.amazonaws.com/');
  // botocore's SigV4QueryAuth with these credentials, this time, expires=60 and the header x-k8s-aws-id.
  expect(Object.fromEntries(url.searchParams)).toEqual({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIDEXAMPLE/20261129/eu-west-1/sts/aws4_request',
    'X-Amz-Date': '20261129T120000Z',
    'X-Amz-Expires': '60',
    'X-Amz-Security-Token': 'session/token+value==',
    'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    'X-Amz-Signature': '910991c890e21260fcf4a181bc04daeddda93cf406c0124f85d9d9fe1bb8165e',
  });
});

test('a token is kept for ten minutes, and made anew when the server refuses it', async () => {
  let now = noon.getTime();
  const credentials = vi.fn(options.credentials);
  const source = eksTokenSource({ ...options, credentials, now: () => now });

  const first = await source();
  now += 9 * 60_000;
  expect(await source()).toBe(first);
  now += 2 * 60_000;
  const second = await source();
  expect(second).not.toBe(first);
  now += 1_000;
  expect(await source(true)).not.toBe(second);
});

test('missing credentials fail once and are asked for again', async () => {
  const credentials = vi.fn(options.credentials).mockRejectedValueOnce(new Error('no credentials'));
  const source = eksTokenSource({ ...options, credentials, now: () => noon.getTime() });

  await expect(source()).rejects.toThrow('no credentials');
  await expect(source()).resolves.toMatch(/^k8s-aws-v1\./);
});

test('a region of China has its own domain', async () => {
  const url = urlIn(await eksToken({ ...options, region: 'cn-north-1' }, noon));

  expect(url.hostname).toBe('sts.cn-north-1.amazonaws.com.cn');
});
