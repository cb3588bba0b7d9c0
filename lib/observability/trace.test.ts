import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConflictError, ThrottledError } from '../controller/errors.ts';
import type { SyncKey } from '../controller/types.ts';
import type { CallInfo } from '../queue/worker.ts';
import { tracing } from './trace.ts';

const SAMPLED = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=a:0';
const volume: SyncKey = { kind: 'PersistentVolume', name: 'pv-1' };
const claim: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'team', name: 'data' };
const info: CallInfo = { signal: new AbortController().signal, receiveCount: 1 };

let daemon: Socket;
let address: string;
let datagrams: string[] = [];

beforeAll(async () => {
  daemon = createSocket('udp4');
  daemon.on('message', (datagram) => datagrams.push(datagram.toString()));
  daemon.bind(0, '127.0.0.1');
  await once(daemon, 'listening');
  address = `127.0.0.1:${(daemon.address() as AddressInfo).port}`;
});
afterAll(() => daemon.close());
beforeEach(() => {
  datagrams = [];
});

/** Runs one sync in an environment, and gives it the time that a datagram takes to arrive. */
async function run(key: SyncKey, sync: () => Promise<void>, environment: Record<string, string>, uid?: string) {
  const { around, listener } = tracing(environment);
  const handle = around(async () => {
    listener.onVolume?.(key, undefined);
    if (uid !== undefined) listener.onVolume?.(key, uid);
    await sync();
  });
  const outcome = await handle(key, [], info).then(
    () => 'done',
    (error: unknown) => error,
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  return outcome;
}

function documents(): Record<string, unknown>[] {
  return datagrams.map((datagram) => {
    const [header = '', body = '', ...rest] = datagram.split('\n');
    expect(JSON.parse(header)).toEqual({ format: 'json', version: 1 });
    expect(rest).toEqual([]);
    return JSON.parse(body);
  });
}

const sampled = () => ({ AWS_XRAY_DAEMON_ADDRESS: address, _X_AMZN_TRACE_ID: SAMPLED });
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('a sync in a sampled invocation', () => {
  test('is a subsegment of it, with the key, the volume and the time that it took', async () => {
    const before = Date.now() / 1_000;
    await run(claim, () => pause(30), sampled(), 'uid-1');

    const [document, ...rest] = documents();
    expect(rest).toEqual([]);
    expect(document).toEqual({
      type: 'subsegment',
      trace_id: '1-5759e988-bd862e3fe1be46a994272793',
      parent_id: '53995c3f42cd8ad8',
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: 'sync PersistentVolumeClaim',
      start_time: expect.any(Number),
      end_time: expect.any(Number),
      annotations: { kind: 'PersistentVolumeClaim', name: 'team/data', volume_uid: 'uid-1' },
    });
    const { start_time: start, end_time: end } = document as { start_time: number; end_time: number };
    expect(start).toBeGreaterThanOrEqual(before);
    expect(end - start).toBeGreaterThanOrEqual(0.025);
    expect(end).toBeLessThanOrEqual(Date.now() / 1_000);
  });

  test.each([
    ['a failure', new Error('disk on fire'), { fault: true }],
    ['a conflict', new ConflictError('changed', { code: 409 }), { error: true }],
    ['throttling', new ThrottledError('slowly', { code: 429 }), { error: true, throttle: true }],
  ])('%s is flagged, without its text, and goes on to the caller', async (_, error, flags) => {
    const outcome = await run(volume, async () => Promise.reject(error), sampled());

    expect(outcome).toBe(error);
    expect(documents()).toEqual([expect.objectContaining(flags)]);
    expect(documents()[0]?.['annotations']).toEqual({ kind: 'PersistentVolume', name: 'pv-1' });
    expect(datagrams.join()).not.toContain(error.message);
  });

  test('is sent also when many end before the socket is there, each under its own id', async () => {
    const { around } = tracing(sampled());
    const handle = around(async () => {});
    await Promise.all(Array.from({ length: 10 }, () => handle(volume, [], info)));
    await pause(50);

    expect(new Set(documents().map(({ id }) => id)).size).toBe(10);
  });

  test('is with the kernel when the sync ends, once the socket is there: Lambda may freeze the process then', async () => {
    const { around } = tracing(sampled());
    await pause(50);
    await around(async () => {})(volume, [], info);
    // In the very next turn of the event loop, reading comes before setImmediate: what was still here comes too late.
    const arrived = once(daemon, 'message');
    setImmediate(() => daemon.emit('message', Buffer.from('too late')));
    expect(String((await arrived)[0])).toContain('"type":"subsegment"');
    await pause(20);
  });

  test('is told to the address of UDP where the daemon has two', async () => {
    await run(volume, async () => {}, { ...sampled(), AWS_XRAY_DAEMON_ADDRESS: `tcp:127.0.0.1:1 udp:${address}` });

    expect(documents()).toHaveLength(1);
  });
});

describe('nothing is sent', () => {
  test.each([
    ['without a daemon', { AWS_XRAY_DAEMON_ADDRESS: '' }],
    ['to an address that is none', { AWS_XRAY_DAEMON_ADDRESS: 'nowhere' }],
    ['without a trace', { _X_AMZN_TRACE_ID: '' }],
    ['when the trace is not sampled', { _X_AMZN_TRACE_ID: SAMPLED.replace('Sampled=1', 'Sampled=0') }],
    ['when it is not known whether it is', { _X_AMZN_TRACE_ID: SAMPLED.replace('Sampled=1', 'Sampled=?') }],
    ['without the segment to belong to', { _X_AMZN_TRACE_ID: SAMPLED.replace('Parent=53995c3f42cd8ad8;', '') }],
  ])('%s, and the sync is done all the same', async (_, variables) => {
    const outcome = await run(volume, async () => {}, { ...sampled(), ...variables });

    expect(outcome).toBe('done');
    expect(datagrams).toEqual([]);
  });
});

test.each([
  ['nobody listens', '127.0.0.1:9'],
  ['the host has no address', 'daemon.invalid:2000'],
])('the sync is done, and at once, when %s', async (_, deaf) => {
  const { around } = tracing({ ...sampled(), AWS_XRAY_DAEMON_ADDRESS: deaf });
  const handle = around(async () => {});
  const started = performance.now();
  for (let count = 0; count < 200; count += 1) await handle(volume, [], info);

  expect(performance.now() - started).toBeLessThan(500);
  await pause(100);
  await expect(handle(volume, [], info)).resolves.toBeUndefined();
});

test('the trace is that of the present invocation', async () => {
  const environment: Record<string, string> = sampled();
  const { around } = tracing(environment);
  const handle = around(async () => {});
  await handle(volume, [], info);
  environment['_X_AMZN_TRACE_ID'] = SAMPLED.replace('Parent=53995c3f42cd8ad8', 'Parent=1111111111111111');
  await handle(volume, [], info);
  await pause(50);

  expect(documents().map(({ parent_id }) => parent_id)).toEqual(['53995c3f42cd8ad8', '1111111111111111']);
});
