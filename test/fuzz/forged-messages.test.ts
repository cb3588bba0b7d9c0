/**
 * Forged messages through the deployed worker: whatever a body says, the batch is answered, nothing is written, and no
 * request leads anywhere but to the object that a valid message names.
 */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createObservability } from '../../functions/environment.ts';
import { createWorkerFunction } from '../../functions/worker.ts';
import { statusBody, type TestServer, testServer } from '../../lib/cluster/testing/http-server.ts';
import { readConfig } from '../../lib/config.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { Runtime } from '../../lib/worker/runtime.ts';
import { createContext } from '../../local/queue/lambda-event.ts';
import { eventOf } from '../e2e/stoppable-worker.ts';
import { anyText, damaged, HOSTILE_NAMES, KIBIBYTE, MEBIBYTE, mutationsOf } from './hostile.ts';
import { inTime, runs } from './runs.ts';

let api: TestServer;
let runtime: Runtime;
/** Inputs of the commands that SQS got. */
let commands: unknown[] = [];

const queue = { url: 'https://sqs.invalid/1/q.fifo', deadLetterUrl: 'https://sqs.invalid/1/d.fifo' };
const sqs = {
  send: async (command: { input: { Entries?: readonly { Id: string }[] } }) => {
    commands.push(command);
    return { Successful: command.input.Entries ?? [], Failed: [] };
  },
} as unknown as SQSClient;

beforeAll(async () => {
  api = await testServer(({ url }, response) => {
    const [, plural = '', name = ''] = /\/(persistentvolumes|persistentvolumeclaims)\/([^/]+)$/.exec(url) ?? [];
    const body = url === '/version' ? { major: '1', minor: '36' } : statusBody(404, 'NotFound', { name, kind: plural });
    response.writeHead(url === '/version' ? 200 : 404).end(JSON.stringify(body));
  });
  runtime = new Runtime({
    connection: { server: api.url },
    config: readConfig({ PV_MODE: 'enforce' }),
    sqs,
    queues: { PersistentVolume: queue, PersistentVolumeClaim: queue },
  });
});
afterAll(async () => {
  runtime.close();
  await api.close();
});

vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'true');
const observability = createObservability({ logLevel: 'SILENT' });
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** What a worker does with one body: the paths that it asks for, and the messages that it sends on. */
async function handled(kind: SyncKey['kind'], body: string): Promise<{ paths: string[]; dead: SendMessageCommand[] }> {
  api.received.length = 0;
  commands = [];
  const worker = createWorkerFunction(kind, () => runtime, observability);
  const [record] = eventOf({ v: 1, kind: 'PersistentVolume', name: 'pv', reason: 'modified' }).Records;
  const event = { Records: [{ ...record, body }] } as Parameters<typeof worker>[0];
  expect(await worker(event, createContext('worker', 10_000, 'eu-central-1'))).toEqual({ batchItemFailures: [] });
  expect(api.received.filter(({ method }) => method !== 'GET')).toEqual([]);
  const paths = api.received.map(({ url }) => url).filter((url) => url !== '/version');
  return { paths, dead: commands.filter((command) => command instanceof SendMessageCommand) };
}

async function assertHarmless(kind: SyncKey['kind'], body: string): Promise<void> {
  const { paths, dead } = await handled(kind, body);
  const root = kind === 'PersistentVolume' ? '/api/v1/persistentvolumes/' : '/api/v1/namespaces/';
  for (const path of paths) {
    expect(path.startsWith(root)).toBe(true);
    expect(
      path
        .split('/')
        .slice(1)
        .every((part) => NAME.test(part)),
    ).toBe(true);
    // The object of the message, and not its neighbour.
    const { namespace, name } = JSON.parse(body) as SyncKey;
    expect(path).toBe(
      namespace === undefined ? `${root}${name}` : `${root}${namespace}/persistentvolumeclaims/${name}`,
    );
  }
  expect(paths.length + dead.length).toBe(1);
  for (const { input } of dead) {
    expect(Buffer.byteLength(input.MessageBody ?? '')).toBeLessThanOrEqual(128 * KIBIBYTE);
    expect(input.MessageAttributes?.['reason']?.StringValue?.length).toBeLessThanOrEqual(500);
    expect(input.MessageAttributes?.['reason']?.StringValue).not.toMatch(/\p{Cc}/u);
  }
}

const VOLUME = {
  v: 1,
  kind: 'PersistentVolume',
  name: 'pv-1',
  uid: 'u',
  reason: 'modified',
  hint: { volumeName: 'pv-2' },
};
const CLAIM = { ...VOLUME, kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data' };
const KEYS = [...Object.keys(CLAIM), 'deleted', 'claimRef', 'volumeName', 'length'];
const valid = fc.constantFrom(VOLUME, CLAIM);

describe('a body', () => {
  test('with parts replaced', async () => {
    const odd = { ...VOLUME, uid: { length: { toString: null } } };
    await fc.assert(
      fc.asyncProperty(
        valid.chain((message) => fc.tuple(fc.constant(message.kind as SyncKey['kind']), mutationsOf(message, KEYS))),
        ([kind, message]) => assertHarmless(kind, JSON.stringify(message)),
      ),
      { ...runs(3), examples: [[['PersistentVolume', odd]]] },
    );
  });

  test('with any text for its name and namespace', async () => {
    const text = fc.oneof(anyText, fc.constantFrom(...HOSTILE_NAMES));
    await fc.assert(
      fc.asyncProperty(text, text, async (namespace, name) => {
        await assertHarmless('PersistentVolumeClaim', JSON.stringify({ ...CLAIM, namespace, name }));
        await assertHarmless('PersistentVolume', JSON.stringify({ ...VOLUME, name }));
      }),
      runs(3),
    );
  });

  test('cut or overwritten', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(JSON.stringify(CLAIM)), (body) => assertHarmless('PersistentVolumeClaim', body)),
      runs(3),
    );
  });

  test.each([
    ['a name of a megabyte', { ...VOLUME, name: 'x'.repeat(MEBIBYTE) }],
    ['a name of 1 MB of dots', { ...VOLUME, name: '.'.repeat(MEBIBYTE) }],
    ['a uid of 200 KiB', { ...VOLUME, uid: 'x'.repeat(200 * KIBIBYTE) }],
    ['a name of 200 KiB of two-byte letters', { ...VOLUME, name: '\u0430'.repeat(100 * KIBIBYTE) }],
  ])('with %s', async (_, message) => {
    await inTime(() => assertHarmless('PersistentVolume', JSON.stringify(message)));
  });
});
