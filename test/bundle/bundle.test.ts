/** The bundles as files: their size, that they are the same at each build, and that they need nothing beside them. */
import { readFile, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SETTINGS } from '../../lib/settings.ts';
import { leaveOut } from '../../scripts/left-out.ts';
import { type Built, buildAside, invoke, runNode } from './built.ts';

const KIB = 1024;
/** On a machine that is busy with other tests. */
const BUILD_MS = 60_000;
const FUNCTIONS = ['volume-worker', 'claim-worker', 'bridge', 'resync'] as const;
const ALL = [...FUNCTIONS, 'bridge-container'] as const;
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

let built: Built;
let again: Built;
beforeAll(async () => {
  [built, again] = await Promise.all([buildAside(), buildAside()]);
}, BUILD_MS);
afterAll(() => Promise.all([built?.remove(), again?.remove()]));

const fileOf = (name: string) => join(built.directory, name, name === 'bridge-container' ? 'main.mjs' : 'index.mjs');

async function inputsOf(name: string): Promise<string[]> {
  const meta = JSON.parse(await readFile(join(built.directory, 'meta', `${name}.json`), 'utf8')) as Metafile;
  return Object.values(meta.outputs).flatMap(({ inputs }) => Object.keys(inputs));
}

test('there is one for each function and one for the container', () => {
  expect(built.bundles.map(({ name }) => name)).toEqual(ALL);
  expect(built.bundles.map(({ file }) => file)).toEqual(ALL.map(fileOf));
});

describe('size', () => {
  test.each(['volume-worker', 'claim-worker'])('the %s is at most 300 KiB', async (name) => {
    const { size } = await stat(fileOf(name));
    expect(size).toBeLessThanOrEqual(300 * KIB);
    expect(built.bundles.find((bundle) => bundle.name === name)?.bytes).toBe(size);
  });

  test(
    'a worker that is larger fails the build, which names the largest parts',
    async () => {
      const tooSmall = buildAside({ names: ['volume-worker'], workerLimit: 100 * KIB });
      await expect(tooSmall).rejects.toThrow(
        /^volume-worker is too large: \d+ bytes of at most 102400\. The largest parts: @smithy\/core \d+, .*lib\/controller \d+/,
      );
    },
    BUILD_MS,
  );
});

test('a second build, elsewhere, has the same bytes', async () => {
  for (const [index, { file }] of again.bundles.entries()) {
    const first = await readFile(built.bundles[index]?.file ?? '');
    expect(first.equals(await readFile(file))).toBe(true);
  }
});

test('what is left out must be met: a package that has moved it fails the build', async () => {
  const moved = { path: '@aws-sdk/core/no-longer-here.js', exports: ['nothing'], why: 'it is nowhere' };
  const options = { stdin: { contents: '' }, write: false, logLevel: 'silent' } as const;

  await expect(build({ ...options, plugins: [leaveOut([])] })).resolves.toBeDefined();
  await expect(build({ ...options, plugins: [leaveOut([moved])] })).rejects.toThrow(`no module ${moved.path} any more`);
});

test.each(FUNCTIONS)('the %s holds the names of settings, and not what they mean', async (name) => {
  const text = await readFile(fileOf(name), 'utf8');
  expect(text).toContain('PV_CLUSTER_NAME');
  for (const { meaning } of Object.values(SETTINGS)) expect(text).not.toContain(meaning);
});

describe.each(ALL)('%s', (name) => {
  test('holds no path of the machine that built it', async () => {
    const text = await readFile(fileOf(name), 'utf8');
    for (const path of [root, built.directory, homedir(), join(tmpdir(), 'bundles-')]) expect(text).not.toContain(path);
  });

  test('does without client-node and the SDK of X-Ray', async () => {
    const inputs = await inputsOf(name);
    expect(inputs.length).toBeGreaterThan(100);
    expect(inputs.filter((path) => /@kubernetes\/client-node|aws-xray-sdk/.test(path))).toEqual([]);
  });
});

test.each(['volume-worker', 'claim-worker', 'resync'])('%s does without the bridge', async (name) => {
  expect(await inputsOf(name)).not.toContain('lib/bridge/bridge.ts');
});

test('only the container has the chain that finds credentials outside of Lambda', async () => {
  const chain = 'node_modules/@aws-sdk/credential-provider-http/';
  for (const name of ALL) {
    expect((await inputsOf(name)).some((path) => path.startsWith(chain))).toBe(name === 'bridge-container');
  }
});

describe.each(FUNCTIONS)('the handler of %s', (name) => {
  test('is there, loads in a fresh Node, prints nothing and keeps no process alive', async () => {
    const program = `console.log(typeof (await import('${pathToFileURL(fileOf(name)).href}')).handler)`;
    const loaded = await runNode(['--input-type=module', '-e', program], { AWS_XRAY_DAEMON_ADDRESS: '127.0.0.1:9' });

    expect(loaded).toMatchObject({ code: 0, stdout: 'function\n', stderr: '' });
  });

  test('says which settings are missing, all at once', async () => {
    const { outcome } = await invoke(fileOf(name), { Records: [] }, { PV_LOG_LEVEL: 'SILENT' });

    const message =
      'not set: PV_CLUSTER_NAME, PV_VOLUMES_QUEUE_URL, PV_CLAIMS_QUEUE_URL, PV_VOLUMES_DEAD_LETTER_URL, PV_CLAIMS_DEAD_LETTER_URL';
    expect(outcome).toEqual({ error: { name: 'ConfigError', message } });
  });
});

test('the container shows its help', async () => {
  const { code, stdout } = await runNode([fileOf('bridge-container'), '--help']);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: /);
});
