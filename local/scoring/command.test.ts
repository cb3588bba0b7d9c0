/** `npm start -- --score` as a user runs it, on a cluster where nobody binds. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Scoreboard } from '../../lib/scoring/scoreboard.ts';
import { type LocalApiServer, startApiServer } from '../api-server/server.ts';

const TOKEN = 'very-secret-token';
const EKS = '/apis/metrics.eks.amazonaws.com/v1/kcm/container/metrics';
const METRICS = 'workqueue_depth{name="claims"} 7\nworkqueue_depth{name="volumes"} 3\n';

let server: LocalApiServer;
let folder: string;
const children: ChildProcess[] = [];
const pages: Server[] = [];

beforeEach(async () => {
  server = await startApiServer({ token: TOKEN });
  folder = mkdtempSync(join(tmpdir(), 'score-test-'));
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'local',
    clusters: [{ name: 'local', cluster: { server: server.url } }],
    users: [{ name: 'user', user: { token: TOKEN } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'user' } }],
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const page of pages.splice(0)) page.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]) {
  const program = join(import.meta.dirname, '..', 'start.ts');
  const child = spawn(process.execPath, [program, '--kubeconfig', join(folder, 'kubeconfig'), ...args], {
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
  return { child, output: () => text, exit: once(child, 'close').then(([code]) => code as number) };
}

/** Creates a volume, which waits for somebody to make it Available. */
async function createVolume(): Promise<void> {
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/disk' } };
  const response = await fetch(`${server.url}/api/v1/persistentvolumes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: 'disk' }, spec }),
  });
  expect(response.status).toBe(201);
}

describe('npm start -- --score', () => {
  test('reaches verdicts, writes nothing, and tells the score at the end, in a file too', async () => {
    const report = join(folder, 'score.json');
    const run = start('--score', '--score-report', report);
    await vi.waitFor(() => expect(run.output()).toContain('nothing is written'), 10_000);
    const read: string[] = [];
    server.intercept = ({ method, path }) => {
      if (method === 'GET') read.push(path);
      return undefined;
    };
    await createVolume();
    const { writes } = server.requests;
    // It reads the volume to decide about it, and is done a moment later.
    await vi.waitFor(() => expect(read.some((path) => path.endsWith('/persistentvolumes/disk'))).toBe(true), 10_000);
    await sleep(300);
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(0);
    expect(run.output()).toContain('agreement   nothing to compare yet');
    expect(run.output()).toContain('verdicts    1: counted 0, pending 1');
    expect(run.output()).not.toContain(TOKEN);
    expect(JSON.parse(readFileSync(report, 'utf8')) as Scoreboard).toMatchObject({ verdicts: 1, pending: 1 });
    expect(server.requests.writes).toBe(writes);
  });

  test("puts the other controller's queues beside ours: read from a URL, or from a path of the API server", async () => {
    const asked: (string | undefined)[] = [];
    const page = createServer(({ headers }, response) => {
      asked.push(headers.authorization);
      response.end(METRICS);
    }).listen(0, '127.0.0.1');
    pages.push(page);
    await once(page, 'listening');
    server.intercept = ({ path }) => (path.startsWith(EKS) ? { status: 200, body: METRICS } : undefined);
    for (const where of [`http://127.0.0.1:${(page.address() as AddressInfo).port}/metrics`, EKS]) {
      const run = start('--score', '--controller-manager-metrics', where);
      await vi.waitFor(() => expect(run.output()).toContain('nothing is written'), 10_000);
      run.child.kill('SIGINT');
      expect(await run.exit).toBe(0);
      expect(run.output()).toContain('built-in  claims   depth 7');
      expect(run.output()).toContain('built-in  volumes  depth 3');
    }
    // The token is the API server's alone.
    expect(asked).toEqual([undefined, undefined]);
  });

  test('goes on without queues that cannot be read, and says so', async () => {
    const run = start('--score', '--controller-manager-metrics', EKS);
    await vi.waitFor(() => expect(run.output()).toContain('nothing is written'), 10_000);
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(0);
    expect(run.output()).toContain(`metrics of the controller manager: GET ${EKS}: 404`);
    expect(run.output()).toContain('ours      claims   depth 0');
  });

  test.each([
    [['--score', '--mode', 'enforce'], '--score observes: the mode must be observe, got "enforce"'],
    [['--score-report', 'score.json'], '--score-report is about a score: add --score'],
    [['--score', '--controller-manager-metrics', 'ftp://here'], '"ftp://here" is no http(s) URL'],
  ])('%j ends with 2 and says why', async (args, why) => {
    const run = start(...args);
    expect(await run.exit).toBe(2);
    expect(run.output()).toContain(why);
  });
});
