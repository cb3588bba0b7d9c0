import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { eksToken } from '../../../lib/cluster/eks-token.ts';
import { secretsIn } from './secrets.ts';

const key = { accessKeyId: 'ASIAEXAMPLE', secretAccessKey: 'se/cret+with"quote', sessionToken: 'session/token+==' };
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const secrets = { keys: [key], privateKey: pem };
const token = await eksToken(
  { clusterName: 'one', region: 'eu-west-1', credentials: async () => key },
  new Date('2026-11-30T12:00:00Z'),
);
const url = Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString();
const line = (planted: string) => `{"level":"INFO","message":"fine"}\n{"message":"x ${planted} y"}\n`;

test('an ordinary log holds no secret', () => {
  expect(secretsIn(line('bridge starts k8s-aws ASIAEXAMPLE https://sts.eu-west-1.amazonaws.com'), secrets)).toEqual([]);
});

test.each([
  ['a token', token, ['an EKS token', 'a token without its prefix']],
  ['a token without its prefix', token.slice(11), ['a token without its prefix']],
  ['a header with a token in base64', Buffer.from(`Bearer ${url}`).toString('base64'), ['a token without its prefix']],
  ['a presigned URL', url, ['a presigned URL', 'the session of ASIAEXAMPLE']],
  ['a URL in a URL', encodeURIComponent('?X-Amz-Signature=abc'), ['a presigned URL']],
  ['a signed header', 'AWS4-HMAC-SHA256 Credential=ASIA/x', ['a signed header']],
  ['a secret', key.secretAccessKey, ['the secret of ASIAEXAMPLE']],
  ['a secret in JSON', JSON.stringify(key.secretAccessKey), ['the secret of ASIAEXAMPLE']],
  ['a session in a URL', encodeURIComponent(key.sessionToken), ['the session of ASIAEXAMPLE']],
  ['a line of a private key', pem.split('\n')[3] ?? '', ['a line of the key']],
  ['a private key', JSON.stringify(pem), ['a private key', 'a line of the key']],
  ['a private key in base64', Buffer.from(pem).toString('base64'), ['the key in base64']],
])('%s is found, wherever it stands', (_, planted, expected) => {
  expect(secretsIn(line(planted), secrets)).toEqual(expected);
});
