/** Log lines of several keys that are worked on at once: each carries the uid of its own volume. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../lib/audit/record.ts';
import { rules } from '../../lib/bridge/testing/objects.ts';
import { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import { claim, refTo, volume } from '../../lib/controller/testing/objects.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { workerHooks } from '../../lib/observability/worker-hooks.ts';
import { formatMessage, parseMessage, type SyncMessage } from '../../lib/queue/message.ts';
import { createBatchHandler } from '../../lib/queue/worker.ts';
import { FlipDetector } from '../../lib/worker/flip-detector.ts';
import { createSyncKey, type Mode } from '../../lib/worker/sync-key.ts';
import { type Captured, capture, type Line, release } from './captured.ts';

let captured: Captured;
let cluster: InMemoryCluster;
beforeEach(() => {
  captured = capture();
  cluster = new InMemoryCluster();
});
afterEach(release);

const volumeKey = (name: string): SyncMessage => ({ v: 1, kind: 'PersistentVolume', name, reason: 'modified' });
const claimKey = (name: string): SyncMessage => {
  return { v: 1, kind: 'PersistentVolumeClaim', namespace: 'ns', name, reason: 'modified' };
};

/** One batch through the handler of a worker; a failed key only comes back. */
async function work(messages: readonly SyncMessage[], mode: Mode = 'enforce'): Promise<void> {
  const hooks = workerHooks(captured.logger, captured.metrics);
  const pool = {
    volumes: async () => new VolumeIndex(cluster.all('PersistentVolume')),
    drop: () => {},
    hold: () => () => {},
    store: () => {},
  };
  const surroundings = { mode, cluster: () => cluster, pool, enqueue: () => async () => {}, plugins: () => [] };
  const handler = createBatchHandler({
    client: { send: async () => ({}) } as unknown as SQSClient,
    queueUrl: 'queue',
    deadLetterQueueUrl: 'dead letters',
    parse: (body) => parseMessage(body, messages[0]?.kind as SyncKey['kind']),
    handle: createSyncKey({ ...surroundings, rules: async () => rules, flips: new FlipDetector() }, hooks),
    hooks,
  });
  const Records = messages.map((message, i) => {
    const attributes = { MessageGroupId: message.name, ApproximateReceiveCount: '1' };
    return { messageId: `m${i}`, receiptHandle: `r${i}`, body: formatMessage(message), attributes } as SQSRecord;
  });
  await handler({ Records }, { getRemainingTimeInMillis: () => 30_000 });
}

/** The ids on the lines of a key, each once. */
function idsOf(key: string, lines: readonly Line[] = captured.logs()): unknown[] {
  return [...new Set(lines.filter((line) => line['key'] === key).map((line) => line['correlation_id']))];
}

const transitions = () =>
  captured
    .logs()
    .filter(({ level }) => level === 'INFO')
    .map(({ message, audit, correlation_id }) => `${message} (${(audit as AuditRecord).name}) ${correlation_id}`);

describe('two keys in one batch', () => {
  test('volumes: each line has its own volume’s uid, and each change is told once', async () => {
    const gone = { claimRef: refTo(claim('gone')) };
    cluster.put('PersistentVolume', volume('a', { spec: gone, status: { phase: 'Bound' } }));
    cluster.put('PersistentVolume', volume('b', { status: { phase: 'Pending' } }));
    await work([volumeKey('a'), volumeKey('b')]);

    expect(idsOf('PersistentVolume/a')).toEqual(['uid-of-a']);
    expect(idsOf('PersistentVolume/b')).toEqual(['uid-of-b']);
    expect(transitions().sort()).toEqual([
      'volume Bound -> Released (a) uid-of-a',
      'volume Pending -> Available (b) uid-of-b',
    ]);
    const texts = captured.logs().map(({ message }) => String(message));
    expect(texts.filter((text) => text.includes('->'))).toHaveLength(2);
  });

  test('claims: once a volume is bound, the lines have its uid', async () => {
    const sizes = { small: '1Gi', large: '2Gi' };
    for (const [size, storage] of Object.entries(sizes)) {
      cluster.put('PersistentVolume', volume(`pv-${size}`, { spec: { capacity: { storage } } }));
      cluster.put('PersistentVolumeClaim', claim(size, { spec: { resources: { requests: { storage } } } }));
    }
    await work([claimKey('large'), claimKey('small')]);

    for (const size of Object.keys(sizes)) {
      const uid = `uid-of-pv-${size}`;
      const lines = captured.logs().filter(({ key }) => key === `PersistentVolumeClaim/ns/${size}`);
      expect(lines.at(-1)).toMatchObject({ message: 'synced', correlation_id: uid });
      expect(transitions().filter((line) => line.endsWith(uid))).toEqual([
        `volume bound (pv-${size}) ${uid}`,
        `volume Available -> Bound (pv-${size}) ${uid}`,
        `claim bound (ns/${size}) ${uid}`,
        `claim Pending -> Bound (ns/${size}) ${uid}`,
      ]);
    }
    expect(transitions()).toHaveLength(8);
  });
});

describe('the uid is known', () => {
  test('from the message, when not even the volume can be read', async () => {
    cluster.before = () => {
      throw new Error('the API server is away');
    };
    await work([{ ...volumeKey('a'), uid: 'uid-in-message' }]);
    expect(captured.logs()).toMatchObject([
      { message: 'sync failed, will be tried again', correlation_id: 'uid-in-message' },
    ]);
  });

  test('of the volume that a claim names, also when that is somebody else’s', async () => {
    cluster.put('PersistentVolume', volume('pv', { spec: { claimRef: refTo(claim('other')) } }));
    cluster.put('PersistentVolumeClaim', claim('data', { spec: { volumeName: 'pv' } }));
    await work([claimKey('data')]);
    expect(captured.logs().at(-1)).toMatchObject({ message: 'synced', correlation_id: 'uid-of-pv' });
  });

  test('not from a hint that came to nothing', async () => {
    cluster.put('PersistentVolume', volume('too-small', { spec: { capacity: { storage: '1Mi' } } }));
    cluster.put('PersistentVolumeClaim', claim('data'));
    await work([{ ...claimKey('data'), hint: { volumeName: 'too-small' } }]);
    expect(idsOf('PersistentVolumeClaim/ns/data')).toEqual([undefined]);
  });

  test('not from an earlier sync of the key', async () => {
    cluster.put('PersistentVolume', volume('pv'));
    await work([volumeKey('pv')]);
    cluster.remove('PersistentVolume', { name: 'pv' });
    const before = captured.logs().length;
    await work([volumeKey('pv')]);
    expect(idsOf('PersistentVolume/pv', captured.logs().slice(before))).toEqual([undefined]);
  });
});

test('observe mode tells what it would write, and no change', async () => {
  cluster.put('PersistentVolume', volume('a', { status: { phase: 'Pending' } }));
  await work([volumeKey('a')], 'observe');
  const info = captured.logs().filter(({ level }) => level === 'INFO');
  expect(info).toMatchObject([{ message: 'would write', correlation_id: 'uid-of-a' }]);
});

test('a settled cluster makes no line at INFO', async () => {
  cluster.put('PersistentVolume', volume('a'));
  await work([volumeKey('a')]);
  expect(captured.logs().filter(({ level }) => level !== 'DEBUG')).toEqual([]);
});
