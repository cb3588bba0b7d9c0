/** `npm start` as a user runs it: a process, a kubeconfig, a signal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type LocalApiServer, startApiServer } from './api-server/server.ts';
import { createQueues, startEmbeddedQueue } from './queue/embedded.ts';

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';

let server: LocalApiServer;
let folder: string;
let kubeconfig: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  server = await startApiServer({ token: 'very-secret-token' });
  folder = mkdtempSync(join(tmpdir(), 'start-test-'));
  kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'local',
      clusters: [{ name: 'local', cluster: { server: server.url } }],
      users: [{ name: 'user', user: { token: 'very-secret-token' } }],
      contexts: [{ name: 'local', context: { cluster: 'local', user: 'user' } }],
    }),
  );
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number>;
}

function start(...args: string[]): Run {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts'), ...args], {
    env: { PATH: process.env['PATH'], HOME: folder, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
  return { child, output: () => text, exit: once(child, 'close').then(([code]) => code as number) };
}

async function create(path: string, object: object): Promise<void> {
  const headers = { authorization: 'Bearer very-secret-token', 'content-type': 'application/json' };
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(object) });
  expect(response.status).toBe(201);
}

async function createPair(): Promise<void> {
  await create('/api/v1/persistentvolumes', {
    metadata: { name: 'disk' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/disk' } },
  });
  await create(CLAIMS, {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
  });
}

function phaseOfClaim(): string | undefined {
  return server.store.get<{ status?: { phase?: string } }>('persistentvolumeclaims', {
    namespace: 'default',
    name: 'data',
  })?.status?.phase;
}

describe('npm start', () => {
  test('observes by default: says what it would do, writes nothing, and stops on SIGTERM with 0', async () => {
    const run = start('--kubeconfig', kubeconfig);
    await vi.waitFor(() => expect(run.output()).toContain('observe on'), 10_000);
    await createPair();
    const before = server.requests.writes;
    await vi.waitFor(
      () => expect(run.output()).toContain('pv/disk: would updateStatus PersistentVolume disk (phase '),
      10_000,
    );
    run.child.kill('SIGTERM');
    expect(await run.exit).toBe(0);
    expect(server.requests.writes).toBe(before);
    expect(phaseOfClaim()).toBe('Pending');
    expect(run.output()).toContain('stopped');
    expect(run.output()).not.toContain('very-secret-token');
  });

  test('binds in enforce mode', async () => {
    const run = start('--kubeconfig', kubeconfig, '--context', 'local', '--mode', 'enforce');
    await vi.waitFor(() => expect(run.output()).toContain('enforce on'), 10_000);
    await createPair();
    await vi.waitFor(() => expect(phaseOfClaim()).toBe('Bound'), 10_000);
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(0);
  });

  test('finishes in assist mode what is half done, after the grace time, and starts nothing', async () => {
    const run = start('--kubeconfig', kubeconfig, '--mode', 'assist', '--grace', '2');
    await vi.waitFor(() => expect(run.output()).toContain('assist on'), 10_000);
    expect(run.output()).toContain('assist leaves every change to others for 2 s');
    const begin = Date.now();
    await createPair();
    const phaseOfVolume = () =>
      server.store.get<{ status?: { phase?: string } }>('persistentvolumes', { name: 'disk' })?.status?.phase;
    await vi.waitFor(() => expect(phaseOfVolume()).toBe('Available'), 20_000);
    expect(Date.now() - begin).toBeGreaterThanOrEqual(2_000);
    await vi.waitFor(
      () => expect(run.output()).toContain('pvc/default/data: would update PersistentVolume disk'),
      20_000,
    );
    expect(phaseOfClaim()).toBe('Pending');
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(0);
  });

  test('says that a phase has changed when it is written, and not before', async () => {
    let isRefusing = true;
    let refused = 0;
    server.intercept = ({ method, path }) => {
      if (!isRefusing || method !== 'PUT' || !path.endsWith('/persistentvolumes/disk/status')) return undefined;
      refused += 1;
      return { status: 500 };
    };
    const run = start('--kubeconfig', kubeconfig, '--mode', 'enforce');
    await vi.waitFor(() => expect(run.output()).toContain('enforce on'), 10_000);
    await createPair();
    await vi.waitFor(() => expect(refused).toBeGreaterThan(1), 10_000);
    expect(run.output()).toMatch(/pv\/disk: .*again in \d+ s/);
    expect(run.output()).not.toMatch(/volume disk: phase .* -> /);
    isRefusing = false;
    await vi.waitFor(() => expect(run.output()).toMatch(/volume disk: phase Pending -> (Available|Bound)/), 10_000);
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(0);
  });

  test('stops once, gracefully, when a signal comes twice at the same moment', async () => {
    const run = start('--kubeconfig', kubeconfig);
    await vi.waitFor(() => expect(run.output()).toContain('observe on'), 10_000);
    run.child.kill('SIGTERM');
    run.child.kill('SIGTERM');
    expect(await run.exit).toBe(0);
    expect(run.output()).toContain('stopped');
  });

  test('stops gracefully when the reader of its output goes away', async () => {
    const run = start('--kubeconfig', kubeconfig);
    await vi.waitFor(() => expect(run.output()).toContain('observe on'), 10_000);
    run.child.stdout?.destroy();
    await createPair();
    expect(await run.exit).toBe(0);
    expect(run.output()).not.toContain('EPIPE');
  });

  test('refuses to enforce beside a controller manager that renews its lease, and says what to do', async () => {
    const lease = {
      kind: 'Lease',
      spec: { holderIdentity: 'master-1', renewTime: new Date().toISOString(), leaseDurationSeconds: 15 },
    };
    server.intercept = ({ path }) =>
      path.startsWith(LEASES) ? { status: 200, body: JSON.stringify(lease) } : undefined;
    const run = start('--kubeconfig', kubeconfig, '--mode', 'enforce');
    expect(await run.exit).toBe(1);
    expect(run.output()).toContain('master-1');
    expect(run.output()).toContain('--beside-another-controller');
  });

  test('takes queues by URL, and says that an observing run must not share them', async () => {
    const queue = await startEmbeddedQueue();
    onTestFinished(() => queue.close());
    const { PersistentVolume, PersistentVolumeClaim } = await createQueues(queue.client, {
      visibilityTimeoutSeconds: 180,
    });
    const urls = ['--volumes-queue-url', PersistentVolume.url, '--claims-queue-url', PersistentVolumeClaim.url];
    const run = start('--kubeconfig', kubeconfig, '--sqs-endpoint', queue.endpoint, ...urls);
    await vi.waitFor(() => expect(run.output()).toContain('queues by URL'), 10_000);
    expect(run.output()).toContain('these queues must be of this run alone');
    run.child.kill('SIGTERM');
    expect(await run.exit).toBe(0);
  });

  test.each([
    [[], 2, '--kubeconfig FILE is needed'],
    [['--kubeconfig', '/nowhere/config'], 1, '/nowhere/config'],
    [['--grace', '0'], 2, '--grace: must be 1 or more, got "0"'],
    [['--mode', 'destroy'], 2, '--mode: must be one of observe, assist, enforce, got "destroy"'],
    [['--nonsense'], 2, '--nonsense'],
    [['--sqs-endpoint', 'http://127.0.0.1:9'], 2, '--sqs-endpoint is about queues by URL'],
    [['--help'], 0, 'Usage: npm start --'],
  ])('%j ends with %i and says why', async (args, code, why) => {
    const run = start(...args);
    expect(await run.exit).toBe(code);
    expect(run.output()).toContain(why);
    expect(run.output()).not.toMatch(/\n {4}at /);
  });

  test('names a context that is not there and those that are', async () => {
    const run = start('--kubeconfig', kubeconfig, '--context', 'production');
    expect(await run.exit).toBe(1);
    expect(run.output()).toContain('production');
    expect(run.output()).toContain('local');
  });
});
