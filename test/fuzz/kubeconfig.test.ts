/** Kubeconfigs and a pod's files: broken, odd, full of secrets. What is said of them quotes none. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { endpointOf } from '../../lib/cluster/connection.ts';
import { ConnectionError } from '../../lib/cluster/errors.ts';
import { connectionInCluster } from '../../lib/cluster/in-cluster.ts';
import { connectionFromKubeconfig } from '../../lib/cluster/kubeconfig.ts';
import { Token } from '../../lib/cluster/token.ts';
import { ClusterError } from '../../lib/controller/errors.ts';
import { temporaryFiles } from './files.ts';
import { anyText, damaged, KIBIBYTE, mutationsOf } from './hostile.ts';
import { outcomeOf, settledOf, valueIn } from './outcome.ts';
import { inTime, runs } from './runs.ts';
import { leaksIn, SECRET, textOf } from './secrets.ts';

const files = temporaryFiles();
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** With a secret in every field that may hold one, and in some that may not. */
const VALID = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'main',
  clusters: [{ name: 'c', cluster: { server: 'https://api.example:6443' } }],
  users: [{ name: 'u', user: { token: SECRET.token } }],
  contexts: [{ name: 'main', context: { cluster: 'c', user: 'u' } }],
};
const withUser = (user: unknown) => ({ ...VALID, users: [{ name: 'u', user }] });
const withCluster = (cluster: unknown) => ({ ...VALID, clusters: [{ name: 'c', cluster }] });
const KEYS = [
  'name',
  'cluster',
  'clusters',
  'user',
  'users',
  'context',
  'contexts',
  'server',
  'token',
  'tokenFile',
].concat([
  'exec',
  'command',
  'args',
  'env',
  'client-key-data',
  'certificate-authority',
  'current-context',
  'auth-provider',
]);

/** Reads it, and asks for its token if it has one. @returns what was said of a failure, with everything that it holds. */
async function saidOf(content: string): Promise<string> {
  const file = files.write('config', content);
  const read = outcomeOf(() => connectionFromKubeconfig({ file }), ConnectionError);
  if (!('value' in read)) return textOf(read.error);
  const { token } = read.value;
  endpointOf(read.value);
  if (token === undefined) return '';
  const asked = await settledOf(() => new Token(token).get(), ClusterError);
  return 'error' in asked ? textOf(asked.error) : '';
}

async function assertSafe(content: string): Promise<void> {
  expect(leaksIn(await saidOf(content))).toEqual([]);
}

describe('a kubeconfig', () => {
  // Nobody's programs are run: a mutation may name any command.
  const harmless = (document: unknown) => !/"command"/.test(JSON.stringify(document) ?? '');

  test('with parts replaced is a connection or a ConnectionError, which quotes no secret', async () => {
    await fc.assert(
      fc.asyncProperty(mutationsOf(VALID, KEYS).filter(harmless), (document) => assertSafe(stringify(document))),
      {
        ...runs(5),
        examples: [[{ ...VALID, contexts: [{ name: { toString: '' }, context: { cluster: 'c', user: 'u' } }] }]],
      },
    );
  });

  test('cut or overwritten anywhere quotes no secret', async () => {
    const text = stringify(
      withUser({ token: SECRET.token, password: SECRET.password, 'client-key-data': base64(SECRET.privateKey) }),
    );
    await fc.assert(fc.asyncProperty(damaged(text), assertSafe), runs(5));
  });

  test('of any text quotes nothing of it', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, (before, after) => assertSafe(`${before}${SECRET.token}${after}`)),
      runs(5),
    );
  });

  test.each<[string, unknown]>([
    ['a token with a control character', withUser({ token: `${SECRET.token}\u007f` })],
    ['a token with line breaks', withUser({ token: `${SECRET.token}\n${SECRET.token}` })],
    ['a token that is a list', withUser({ token: [SECRET.token] })],
    ['a server with a password', withCluster({ server: `https://me:${SECRET.password}@api.example` })],
    [
      'a server with a password and a bad port',
      withCluster({ server: `https://me:${SECRET.password}@api.example:bad` }),
    ],
    ['a server without slashes', withCluster({ server: `https:me:${SECRET.password}@api.example` })],
    ['a server of another scheme', withCluster({ server: `ftp://me:${SECRET.password}@api.example` })],
    [
      'a key that is no PEM',
      withUser({ 'client-key-data': base64(SECRET.password), 'client-certificate-data': 'eA==' }),
    ],
    ['a key that is none of its certificate', withUser({ 'client-key-data': base64(SECRET.privateKey) })],
    [
      'a key in place of a CA',
      withCluster({ server: 'https://x', 'certificate-authority-data': base64(SECRET.privateKey) }),
    ],
    ['basic authentication', withUser({ username: 'me', password: SECRET.password })],
    ['a plugin whose command is a number', withUser({ exec: { command: 5 } })],
    ['a plugin that is a text', withUser({ exec: SECRET.token })],
    ['arguments that are no list', withUser({ exec: { command: 'true', args: SECRET.password } })],
    ['an argument with a null byte', withUser({ exec: { command: 'true', args: [`${SECRET.password}\u0000`] } })],
    [
      'a variable with a null byte',
      withUser({ exec: { command: 'true', env: [{ name: 'X', value: `${SECRET.password}\u0000` }] } }),
    ],
    ['a plugin that is not there', withUser({ exec: { command: './none', args: [SECRET.password] } })],
    ['a user that refers to itself', 'users: [{name: u, user: &u {token: pl4nted-bearer-token, x: *u}}]'],
  ])('%s: no secret is quoted', async (_, document) => {
    await assertSafe(typeof document === 'string' ? document : stringify(document));
  });

  test('that multiplies by aliases, or is nested deeply, takes no time', async () => {
    const list = (of: string) => `[${Array(10).fill(of).join(',')}]`;
    const levels = Array.from({ length: 8 }, (_, index) => `x${index + 1}: &x${index + 1} ${list(`*x${index}`)}`);
    const bomb = ['x0: &x0 x', ...levels, stringify({ ...VALID, users: [] })].join('\n');
    await inTime(() => assertSafe(bomb));
    await inTime(() => assertSafe(`${bomb}users: [{name: u, user: {extensions: *x8}}]`));
    await inTime(() => assertSafe('['.repeat(20 * KIBIBYTE)));
    await inTime(() => assertSafe('{a: '.repeat(20 * KIBIBYTE)));
    await inTime(() => assertSafe(`a: ${'x '.repeat(200 * KIBIBYTE)}`));
  });
});

describe('a plugin’s output', () => {
  const pluginThat = (script: string) =>
    stringify(
      withUser({
        exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: ['-e', script] },
      }),
    );
  const eks = `k8s-aws-v1.${base64(`https://sts.eu-west-1.amazonaws.com/?X-Amz-Signature=${SECRET.aws.sessionToken}`)}`;
  const printed = (value: unknown) =>
    `console.log(${JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value))})`;
  const said = (text: string) => `process.stderr.write(${JSON.stringify(text)});process.exitCode=1`;
  test.each([
    ['no JSON', printed(SECRET.token)],
    ['half of its JSON', printed(`{"status":{"token":"${SECRET.token}"`)],
    ['a status that is a text', printed({ status: SECRET.token })],
    ['a token that is a list', printed({ status: { token: [SECRET.token] } })],
    ['a token with a line break', printed({ status: { token: `${SECRET.token}\n` } })],
    ['a token of odd characters', printed({ status: { token: `${SECRET.token}\u00e9` } })],
    ['a certificate in place of a token', printed({ status: { clientKeyData: SECRET.privateKey } })],
    ['an EKS token on stderr', said(`token ${eks}`)],
    ['a long token on stderr', said(`token ${SECRET.token.repeat(5)}`)],
    ['a long token where the text is cut', said(`${'word '.repeat(94)}${SECRET.token.repeat(9)}`)],
    ['a private key on stderr', said(SECRET.privateKey)],
  ])('%s: no secret is quoted', async (_, script) => {
    await assertSafe(pluginThat(script));
  });
});

describe('a pod’s files', () => {
  const environment = fc.record(
    { KUBERNETES_SERVICE_HOST: anyText, KUBERNETES_SERVICE_PORT: anyText },
    { requiredKeys: [] },
  );
  const { directory } = files;

  test('any address is a connection or a ConnectionError', async () => {
    files.write('ca.crt', 'no certificate');
    fc.assert(
      fc.property(environment, (variables) => {
        const connection = valueIn(outcomeOf(() => connectionInCluster(directory, variables), ConnectionError));
        expect(connection).toBeUndefined();
      }),
      runs(5),
    );
  });

  test('any token is a token for a header, or a ClusterError that does not quote it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, fc.constant('')), fc.boolean(), async (text, isPlanted) => {
        const source = async () => (isPlanted ? `${SECRET.token}${text}\u00e9` : text);
        const outcome = await settledOf(() => new Token(source).get(), ClusterError);
        if ('value' in outcome) expect(outcome.value).toMatch(/^[!-~]+$/);
        else expect(leaksIn(textOf(outcome.error))).toEqual([]);
      }),
      runs(),
    );
  });
});
