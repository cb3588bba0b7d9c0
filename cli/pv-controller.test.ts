/** The program as a shell runs it: a process, its streams and its exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { troubledCluster } from '../lib/doctor/testing/troubled-cluster.ts';
import { type ServedCluster, serve } from '../test/doctor/served-cluster.ts';

const PROGRAM = join(import.meta.dirname, 'pv-controller.js');

let cluster: ServedCluster;
beforeAll(async () => {
  cluster = await serve(troubledCluster());
});
afterAll(() => cluster.stop());

function start(...argv: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...argv], { env: { HOME: cluster.folder } });
  const ended = once(child, 'close').then(([code]) => code as number);
  return { child, ended };
}

async function run(...argv: string[]) {
  const { child, ended } = start(...argv);
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { out, err, code };
}

describe('pv-controller', () => {
  it('prints its help and its version', async () => {
    expect(await run('--help')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('Usage: pv-controller'),
    });
    expect(await run('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it('tells wrong words on standard error, with 2', async () => {
    expect(await run('doctr')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('doctr') });
  });

  it('diagnoses a cluster, without colours where no terminal is', async () => {
    const { code, out } = await run('doctor', '--kubeconfig', cluster.kubeconfig);
    expect(code).toBe(1);
    expect(out).toContain('STUCK retained: 2 objects');
    expect(out).not.toContain(String.fromCharCode(27));
  });

  it('ends quietly when its reader has seen enough', async () => {
    const { child, ended } = start('doctor', '--kubeconfig', cluster.kubeconfig, '-o', 'json');
    child.stdout.destroy();
    const err = await text(child.stderr);
    await ended;
    expect(err).toBe('');
  });

  it('fails where its output cannot be written, whatever it has found', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [PROGRAM, '--help'], { stdio: ['ignore', full, 'pipe'] });
    const [err, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')]);
    closeSync(full);
    expect(err).toBe('error: the output cannot be written (ENOSPC)\n');
    expect(code).toBe(3);
  });

  it('keeps its exit code where nobody reads its complaints', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [PROGRAM, 'doctr'], { stdio: ['ignore', 'ignore', full] });
    const [code] = await once(child, 'close');
    closeSync(full);
    expect(code).toBe(2);
  });

  it('stops on a signal while it reads, and says so', async () => {
    const asked = new Promise<void>((resolve) => {
      cluster.server.intercept = ({ path }) => {
        if (!path.endsWith('/persistentvolumes')) return undefined;
        resolve();
        return { delayMs: 20_000 };
      };
    });
    const { child, ended } = start('doctor', '--kubeconfig', cluster.kubeconfig);
    await asked;
    child.kill('SIGINT');
    cluster.server.intercept = undefined;
    expect(await text(child.stderr)).toBe('error: stopped\n');
    expect(await ended).toBe(130);
  });
});
