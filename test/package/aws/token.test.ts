import { expect, test } from 'vitest';
import { eksToken } from '../../../lib/cluster/eks-token.ts';
import { whoSigned } from './token.ts';

const key = { accessKeyId: 'AKIDWORKER', secretAccessKey: 'a/secret+key', sessionToken: 'a/session+token==' };
const other = { accessKeyId: 'AKIDOTHER', secretAccessKey: 'another', sessionToken: 'another' };
const cluster = { clusterName: 'one', region: 'eu-west-1' };
const noon = Date.parse('2026-11-30T12:00:00Z');

const tokenOf = (changes: object = {}, at = noon) =>
  eksToken({ ...cluster, credentials: async () => key, ...changes }, new Date(at));

/** The token with its URL changed. */
function edited(token: string, edit: (url: string) => string): string {
  const [prefix, encoded = ''] = token.split(/(?<=v1\.)/);
  return prefix + Buffer.from(edit(Buffer.from(encoded, 'base64url').toString())).toString('base64url');
}

test('a token is known by the key that signed it, for as long as it lives', async () => {
  const token = await tokenOf();

  expect(whoSigned(token, [other, key], cluster, noon)).toBe(key);
  expect(whoSigned(token, [other, key], cluster, noon + 15 * 60_000)).toBe(key);
});

test.each([
  ['of another cluster', { clusterName: 'two' }, 'the signature does not match'],
  ['of another region', { region: 'us-east-1' }, 'the URL is not of https://sts.eu-west-1.amazonaws.com/'],
  ['of somebody unknown', { credentials: async () => ({ ...key, accessKeyId: 'AKIDNOBODY' }) }, 'unknown access key'],
  ['with a wrong secret', { credentials: async () => ({ ...key, secretAccessKey: 'x' }) }, 'does not match'],
  [
    'with a wrong session',
    { credentials: async () => ({ ...key, sessionToken: 'x' }) },
    'the session token is another',
  ],
])('a token %s is refused', async (_, changes, message) => {
  const token = await tokenOf(changes);

  expect(() => whoSigned(token, [other, key], cluster, noon)).toThrow(message);
});

test.each([
  ['that lives too long', (url: string) => url.replace('X-Amz-Expires=60', 'X-Amz-Expires=900'), 'expires after 900 s'],
  ['for another action', (url: string) => url.replace('GetCallerIdentity', 'GetSessionToken'), 'the action is'],
  ['over plain HTTP', (url: string) => url.replace('https:', 'http:'), 'the URL is not of'],
  ['with a parameter more', (url: string) => `${url}&x=1`, 'the parameters are not'],
  [
    'that leaves the cluster’s name unsigned',
    (url: string) => url.replace('%3Bx-k8s-aws-id', ''),
    'signed headers are host',
  ],
  ['with another signature', (url: string) => url.replace(/(?<=Signature=)./, 'z'), 'the signature does not match'],
])('a token %s is refused', async (_, edit, message) => {
  const token = edited(await tokenOf(), edit);

  expect(() => whoSigned(token, [key], cluster, noon)).toThrow(message);
});

test('a token outside of its time is refused', async () => {
  const token = await tokenOf();

  expect(() => whoSigned(token, [key], cluster, noon + 21 * 60_000)).toThrow('signed too long ago');
  expect(() => whoSigned(token, [key], cluster, noon - 6 * 60_000)).toThrow('signed in the future');
});
