import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionError } from './errors.ts';
import { connectionInCluster } from './in-cluster.ts';
import { connectionFromKubeconfig } from './kubeconfig.ts';
import { kubeconfigFiles, readKubeconfig } from './kubeconfig-files.ts';
import { certificateAuthority } from './testing/certificates.ts';

const ca = certificateAuthority();
const client = ca.issue('me');
const base64 = (text: string) => Buffer.from(text).toString('base64');
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function write(name: string, content: string): string {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
}

/** A file with one cluster, user and context. */
function config(user: string, cluster = '', context = 'main'): string {
  return `
apiVersion: v1
kind: Config
current-context: ${context}
clusters:
  - name: c
    cluster: { server: "https://api.example:6443", ${cluster} }
users:
  - name: u
    user: ${user}
contexts:
  - name: main
    context: { cluster: c, user: u }
  - name: broken
    context: { cluster: nowhere, user: u }
  - name: nobody
    context: { cluster: c, user: missing }
`;
}

describe('connectionFromKubeconfig', () => {
  it('takes inline data', async () => {
    const user = `{ client-certificate-data: ${base64(client.certificate)}, client-key-data: ${base64(client.key)}, token: tok }`;
    const file = write(
      'inline',
      config(user, `certificate-authority-data: ${base64(ca.certificate)}, tls-server-name: x.example`),
    );
    const { token, ...rest } = connectionFromKubeconfig({ file });
    expect(rest).toEqual({
      server: 'https://api.example:6443',
      ca: ca.certificate,
      clientCertificate: client.certificate,
      clientKey: client.key,
      tlsServerName: 'x.example',
    });
    expect(await token?.()).toBe('tok');
  });

  it('takes files, relative to the kubeconfig', async () => {
    mkdirSync(join(directory, 'pki'), { recursive: true });
    write('pki/ca.pem', ca.certificate);
    write('pki/me.pem', client.certificate);
    write('pki/me.key', client.key);
    write('pki/token', 'from-file\n');
    const user = '{ client-certificate: pki/me.pem, client-key: pki/me.key, tokenFile: pki/token }';
    const connection = connectionFromKubeconfig({
      file: write('files', config(user, 'certificate-authority: pki/ca.pem')),
    });
    expect(connection).toMatchObject({
      ca: ca.certificate,
      clientCertificate: client.certificate,
      clientKey: client.key,
    });
    expect(await connection.token?.()).toBe('from-file');
    write('pki/token', 'rotated');
    expect(await connection.token?.(true)).toBe('rotated');
  });

  it('verifies certificates unless the file says otherwise', () => {
    expect(connectionFromKubeconfig({ file: write('v', config('{}')) })).toEqual({
      server: 'https://api.example:6443',
    });
    const insecure = write('i', config('{}', 'insecure-skip-tls-verify: true'));
    expect(connectionFromKubeconfig({ file: insecure }).insecureSkipTlsVerify).toBe(true);
  });

  it('runs an exec plugin, again when its token has expired or was refused, and once for many', async () => {
    const plugin = join(directory, 'plugin.mjs');
    const runs = join(directory, 'runs');
    writeFileSync(
      plugin,
      `import { appendFileSync, readFileSync } from 'node:fs';
       appendFileSync(process.argv[2], 'x');
       const n = readFileSync(process.argv[2], 'utf8').length;
       const { apiVersion } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
       const expirationTimestamp = new Date(Date.now() + (n === 2 ? -1000 : 60000)).toISOString();
       console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token: 'tok-' + n + process.env.SUFFIX, expirationTimestamp } }));`,
    );
    const user = JSON.stringify({
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        command: process.execPath,
        args: [plugin, runs],
        env: [{ name: 'SUFFIX', value: '!' }],
      },
    });
    const { token } = connectionFromKubeconfig({ file: write('exec', config(user)) });
    expect(await Promise.all([token?.(), token?.(), token?.()])).toEqual(['tok-1!', 'tok-1!', 'tok-1!']);
    expect(await token?.()).toBe('tok-1!');
    expect(await token?.(true)).toBe('tok-2!');
    expect(await token?.()).toBe('tok-3!');
  });

  it('says what a plugin said, without what looks like a token', async () => {
    const script = `console.error('no credentials, had k8s-aws-v1.abcDEF'); process.exit(3)`;
    const failing = JSON.stringify({ exec: { command: process.execPath, args: ['-e', script] } });
    const { token } = connectionFromKubeconfig({ file: write('fail', config(failing)) });
    await expect(token?.()).rejects.toThrow('user u of the kubeconfig got no token: no credentials, had …');
    const odd = JSON.stringify({ exec: { command: process.execPath, args: ['-e', 'console.log("my-secret")'] } });
    const other = connectionFromKubeconfig({ file: write('odd', config(odd)) });
    await expect(other.token?.()).rejects.toThrow(/printed no valid JSON$/);
  });

  it('says which file, context, cluster or user is not there', () => {
    const file = write('c', config('{ token: my-secret }'));
    const missing = join(directory, 'none');
    expect(() => connectionFromKubeconfig({ file: missing })).toThrow(`kubeconfig ${missing} does not exist`);
    expect(() => connectionFromKubeconfig({ file, context: 'x' })).toThrow(
      'has no context "x": it has main, broken, nobody',
    );
    expect(() => connectionFromKubeconfig({ file, context: 'broken' })).toThrow(
      'names cluster "nowhere", which is not there',
    );
    expect(() => connectionFromKubeconfig({ file, context: 'nobody' })).toThrow(
      'names user "missing", which is not there',
    );
    const none = write('n', config('{}', '', '""'));
    expect(() => connectionFromKubeconfig({ file: none })).toThrow(
      'has no current context: name one (it has main, broken, nobody)',
    );
    expect(() => connectionFromKubeconfig({ file: write('e', 'kind: Config') })).toThrow('it has none');
  });

  it('shows no content of a file that it cannot read', () => {
    const broken = write('y', 'users: [ { token: my-secret\n');
    expect(() => connectionFromKubeconfig({ file: broken })).toThrow(/is no valid YAML( \(line \d+\))?$/);
    expect(() => connectionFromKubeconfig({ file: write('s', 'my-secret') })).toThrow(/is no YAML mapping$/);
  });

  it.each(['clusters', 'users', 'contexts'])('says which file has an empty entry of %s', (field) => {
    const file = write('null', `current-context: main\n${field}: [null]`);
    expect(() => connectionFromKubeconfig({ file })).toThrow(
      new ConnectionError(`kubeconfig ${file}: entry 1 of ${field} is empty or has no name`),
    );
  });

  it('takes a context, a cluster or a user without content for an empty one', () => {
    const content = 'clusters: [{ name: c, cluster: null }]\nusers: [{ name: u, user: null }]\n';
    const file = write('empty', `${content}current-context: x\ncontexts: [{ name: x, context: null }]`);
    expect(() => connectionFromKubeconfig({ file })).toThrow(ConnectionError);
    const named = write(
      'empty-user',
      `${content}current-context: x\ncontexts: [{ name: x, context: { cluster: c, user: u } }]`,
    );
    expect(() => connectionFromKubeconfig({ file: named })).toThrow(ConnectionError);
  });

  it.each([
    ['proxy-url of cluster c', config('{}', 'proxy-url: "http://proxy:3128"')],
    ['username of user u', config('{ username: me, password: my-secret }')],
    ['as of user u', config('{ token: t, as: somebody }')],
  ])('refuses %s rather than ignoring it', (what, content) => {
    expect(() => connectionFromKubeconfig({ file: write('r', content) })).toThrow(`${what} is not supported`);
  });
});

describe('kubeconfig files', () => {
  it('are the given one, those of KUBECONFIG, or the default', () => {
    expect(kubeconfigFiles('f', { KUBECONFIG: 'a' })).toEqual(['f']);
    expect(kubeconfigFiles(undefined, { KUBECONFIG: `a${delimiter}${delimiter}b` })).toEqual(['a', 'b']);
    expect(kubeconfigFiles(undefined, { HOME: '/home/me' })).toEqual([join('/home/me', '.kube', 'config')]);
  });

  it('are merged, the first entry of a name counts', () => {
    const one = write('one', 'contexts: [{ name: x, context: { cluster: first } }]');
    const two = write(
      'two',
      'current-context: x\ncontexts: [{ name: x, context: { cluster: second } }, { name: y, context: {} }]',
    );
    const merged = readKubeconfig([one, two]);
    expect(merged['current-context']).toBe('x');
    expect(merged.contexts.map(({ context }) => context.cluster)).toEqual(['first', undefined]);
  });
});

describe('connectionInCluster', () => {
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

  it('takes the service account, and its token anew when it is refused', async () => {
    write('ca.crt', ca.certificate);
    write('token', 'one\n');
    const { token, ...rest } = connectionInCluster(directory, environment);
    expect(rest).toEqual({ server: 'https://[fd00::1]:443', ca: ca.certificate });
    expect(await token?.()).toBe('one');
    write('token', 'two\n');
    expect(await token?.()).toBe('one');
    expect(await token?.(true)).toBe('two');
  });

  it('says what is missing', () => {
    expect(() => connectionInCluster(directory, {})).toThrow('this is no pod');
    expect(() => connectionInCluster(join(directory, 'none'), environment)).toThrow('no service account at');
  });
});
