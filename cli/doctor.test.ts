import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReportSchema } from '../lib/doctor/report-schema.ts';
import { Snapshot } from '../lib/doctor/snapshot.ts';
import { pairOf, troubledCluster } from '../lib/doctor/testing/troubled-cluster.ts';
import type { ApiObject } from '../local/api-server/server.ts';
import { kubeconfigOf, type ServedCluster, serve } from '../test/doctor/served-cluster.ts';
import { COMMANDS } from './commands.ts';
import { runProgram } from './program.ts';
import { testIo } from './testing.ts';

let cluster: ServedCluster;
beforeAll(async () => {
  cluster = await serve(troubledCluster());
});
afterAll(() => cluster.stop());

async function doctor(served: ServedCluster, ...words: string[]) {
  const io = testIo();
  const argv = ['doctor', '--kubeconfig', served.kubeconfig, ...words];
  const code = await runProgram(argv, COMMANDS, '1', io);
  return { code, printed: io.printed(), complained: io.complained() };
}

describe('doctor', () => {
  it('tells what is stuck in a cluster, and fails for it', async () => {
    const { code, printed } = await doctor(cluster);
    expect(code).toBe(1);
    expect(printed).toContain('BROKEN volume-gone: 1 object');
    expect(printed).toContain('STUCK retained: 2 objects');
    expect(printed).toContain('Released  pv/pv-released-old');
  });

  it('names the kinds that the server does not give, and goes on', async () => {
    const { printed } = await doctor(cluster);
    expect(printed).toMatch(/Not read\n.*\n {2}VolumeAttachment .*\n/);
  });

  it('gives JSON that its schema describes', async () => {
    const report = ReportSchema.parse(JSON.parse((await doctor(cluster, '-o', 'json')).printed));
    expect(report.volumes.total).toBe(15);
    expect(report.unread.map(({ kind }) => kind)).toEqual(['VolumeAttachment', 'CSIDriver']);
  });

  it('gives YAML of the same fields', async () => {
    const { printed } = await doctor(cluster, '-o', 'yaml');
    expect(printed).toMatch(/^schema: pv-controller.serverless\/doctor\/v1$/m);
  });

  it('writes one page, and says where it is', async () => {
    const file = join(cluster.folder, 'report.html');
    const { complained } = await doctor(cluster, '--html', file);
    expect(complained).toBe(`wrote ${file}\n`);
    expect(await readFile(file, 'utf8')).toMatch(/^<!doctype html>[\s\S]*pv\/pv-released-old[\s\S]*<\/html>\n$/);
  });

  it('says which file cannot be written', async () => {
    const file = join(cluster.folder, 'no-such-folder', 'report.html');
    expect(await doctor(cluster, '--html', file)).toMatchObject({ code: 2, complained: expect.stringContaining(file) });
  });

  it('fails for what it is told to fail for', async () => {
    expect((await doctor(cluster, '--fail-on', 'never')).code).toBe(0);
    expect((await doctor(cluster, '--fail-on', 'broken')).code).toBe(1);
  });

  it('writes nothing to the cluster', async () => {
    const before = cluster.server.store.revision;
    await doctor(cluster);
    expect(cluster.server.store.revision).toBe(before);
  });

  it('reads a long list page by page, and misses nothing', async () => {
    const pairs = Array.from({ length: 1_200 }, (_, i) => pairOf(`pv-${i}`));
    const long = await serve(
      new Snapshot({
        PersistentVolume: pairs.map(({ volume }) => volume),
        PersistentVolumeClaim: pairs.map(({ claim }) => claim),
      }),
    );
    try {
      const report = ReportSchema.parse(JSON.parse((await doctor(long, '-o', 'json')).printed));
      expect(report).toMatchObject({ verdict: 'ok', volumes: { total: 1_200 }, claims: { total: 1_200 } });
    } finally {
      await long.stop();
    }
  });
});

describe('doctor on a cluster that moves', () => {
  it('looks again at a claim whose volume was made after the volumes were listed', async () => {
    const { volume, claim } = pairOf('pv-new');
    const moving = await serve(new Snapshot({ PersistentVolumeClaim: [claim] }));
    const { server } = moving;
    server.intercept = ({ path }) => {
      // Right after the list of volumes: whoever asks for the volume itself finds it.
      if (
        path.endsWith('/persistentvolumes/pv-new') &&
        server.store.get('persistentvolumes', { name: 'pv-new' }) === undefined
      ) {
        server.store.commit('persistentvolumes', 'pv-new', volume as unknown as ApiObject);
      }
      return undefined;
    };
    try {
      const report = ReportSchema.parse(JSON.parse((await doctor(moving, '-o', 'json')).printed));
      expect(report.volumes.total).toBe(0);
      expect(report.groups).toEqual([]);
    } finally {
      await moving.stop();
    }
  });
});

describe('doctor without what it needs', () => {
  it('ends with 4 where no server answers, and names it', async () => {
    const gone = await serve(new Snapshot({}));
    const { url } = gone.server;
    await gone.stop();
    const io = testIo();
    const kubeconfig = join(cluster.folder, 'gone');
    await writeFile(kubeconfig, kubeconfigOf(url));
    expect(await runProgram(['doctor', '--kubeconfig', kubeconfig], COMMANDS, '1', io)).toBe(4);
    expect(io.complained()).toContain('ECONNREFUSED');
  });

  it('ends with 4 where the claims may not be listed, and says that nothing can be said', async () => {
    const { server } = cluster;
    const body = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Forbidden',
      message: 'not for you',
      code: 403,
    };
    server.intercept = ({ path }) => (path.endsWith('/persistentvolumeclaims') ? { status: 403, body } : undefined);
    try {
      const { code, printed, complained } = await doctor(cluster);
      expect(code).toBe(4);
      expect(printed).toBe('');
      expect(complained).toMatch(
        /cannot list PersistentVolumeClaims, without which nothing can be said: .*not for you/,
      );
    } finally {
      server.intercept = undefined;
    }
  });

  it('ends with 4 where there is no kubeconfig, and names the file', async () => {
    const io = testIo({ env: { KUBECONFIG: '/no/such/file' } });
    expect(await runProgram(['doctor', '--kubeconfig', '/no/such/file'], COMMANDS, '1', io)).toBe(4);
    expect(io.complained()).toBe('error: kubeconfig /no/such/file does not exist\n');
  });
});
