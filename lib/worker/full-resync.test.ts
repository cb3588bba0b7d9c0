/** What a resync sends and what its counter sees, over the pages of a server. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiServerCluster } from '../cluster/api-server.ts';
import { json, statusBody, type TestServer, testServer } from '../cluster/testing/http-server.ts';
import { claim, volume } from '../controller/testing/objects.ts';
import type { OutgoingMessage } from '../queue/producer.ts';
import { fullResync } from './full-resync.ts';

const versioned = <T extends { metadata: object }>(object: T) => {
  return { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
};
const VOLUMES = ['pv-1', 'pv-2', 'pv-3'].map((name) => versioned(volume(name)));
const CLAIMS = [versioned(claim('data'))];

let server: TestServer;
let cluster: ApiServerCluster;
let isForgetful: boolean;
let sent: OutgoingMessage[];
let seen: string[];
const producer = { send: async (messages: readonly OutgoingMessage[]) => void sent.push(...messages) };
const counter = {
  volume: (one: { metadata: { name: string } }) => seen.push(`volume ${one.metadata.name}`),
  claim: (one: { metadata: { name: string } }) => seen.push(`claim ${one.metadata.name}`),
};

beforeEach(async () => {
  [isForgetful, sent, seen] = [false, [], []];
  server = await testServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const isClaims = pathname.endsWith('claims');
    const all: object[] = isClaims ? CLAIMS : VOLUMES;
    const from = Number(searchParams.get('continue'));
    if (isForgetful && from > 0) return json(response, 410, statusBody(410, 'Expired'));
    // Pages of two, however many are asked for.
    const end = searchParams.has('limit') ? from + 2 : all.length;
    const metadata = { resourceVersion: '9', ...(end < all.length && { continue: String(end) }) };
    const kind = isClaims ? 'PersistentVolumeClaimList' : 'PersistentVolumeList';
    return json(response, 200, { kind, apiVersion: 'v1', metadata, items: all.slice(from, end) });
  });
  cluster = new ApiServerCluster({ server: server.url });
});
afterEach(async () => {
  cluster.close();
  await server.close();
});

test('every volume and claim is sent and counted, once', async () => {
  const twice: string[] = [];
  expect(await fullResync(cluster, producer, 'e', { counter, onListedTwice: (kind) => twice.push(kind) })).toBe(4);

  expect(sent.map(({ message }) => `${message.reason} ${message.kind}/${message.name}`)).toEqual([
    'resync PersistentVolume/pv-1',
    'resync PersistentVolume/pv-2',
    'resync PersistentVolume/pv-3',
    'resync PersistentVolumeClaim/data',
  ]);
  expect(sent.at(-1)?.message).toMatchObject({ namespace: 'ns' });
  expect(sent[0]?.message).not.toHaveProperty('namespace');
  expect(seen.sort()).toEqual(['claim data', 'volume pv-1', 'volume pv-2', 'volume pv-3']);
  expect(twice).toEqual([]);
});

test('a list whose pages expire is sent once, and whoever counts is told', async () => {
  isForgetful = true;
  const twice: string[] = [];
  expect(await fullResync(cluster, producer, 'e', { counter, onListedTwice: (kind) => twice.push(kind) })).toBe(4);
  expect(sent).toHaveLength(4);
  expect(twice).toEqual(['PersistentVolume']);
});

test('it needs nobody who counts, and is ended by its signal', async () => {
  expect(await fullResync(cluster, producer, 'e')).toBe(4);
  let given: AbortSignal | undefined;
  const { signal } = new AbortController();
  const send = async (_: unknown, options?: { signal?: AbortSignal }) => {
    given = options?.signal;
  };
  await fullResync(cluster, { send }, 'e', { signal });
  expect(given).toBe(signal);
});
