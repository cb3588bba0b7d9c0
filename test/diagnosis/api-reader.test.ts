import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiReader } from '../../lib/diagnosis/api-reader.ts';
import { diagnose } from '../../lib/diagnosis/diagnose.ts';
import { type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';

let server: LocalApiServer;
let reader: ApiReader;
const VOLUME = {
  metadata: { name: 'pv' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
};

beforeAll(async () => {
  server = await startApiServer();
  await fetch(`${server.url}/api/v1/persistentvolumes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(VOLUME),
  });
  reader = new ApiReader({ server: server.url });
});
afterAll(async () => {
  reader.close();
  await server.stop();
});

const PV = { kind: 'PersistentVolume', name: 'pv' } as const;
const PVC = { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data' } as const;

describe('a diagnosis over a real connection', () => {
  test('reads, and writes nothing at all', async () => {
    const before = server.requests.writes;
    const finding = await diagnose(reader, PV, { now: Date.now() });
    expect(finding).toMatchObject({ cause: 'controller-behind', next: 'volume pv: phase Pending -> Available' });
    expect(await diagnose(reader, PVC, { now: Date.now() })).toMatchObject({ cause: 'missing' });
    expect(server.requests.writes).toBe(before);
  });

  test('does without kinds that the server does not serve, and is told that it does not', async () => {
    await expect(reader.list('CSIDriver')).rejects.toMatchObject({ code: 404 });
    await expect(reader.get('VolumeAttachment', { name: 'x' })).rejects.toMatchObject({ code: 404 });
  });

  test('says nothing where the volumes cannot be read', async () => {
    server.intercept = ({ api }) => (api?.verb === 'list' ? { status: 500 } : undefined);
    try {
      await expect(diagnose(reader, PV, { now: Date.now() })).rejects.toThrow(/persistentvolumes/);
    } finally {
      server.intercept = undefined;
    }
  });

  test('reads the server’s version', async () => {
    expect(await reader.serverVersion()).toMatchObject({ major: 1 });
  });
});
