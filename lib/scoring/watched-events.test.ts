/** The stream that an observer follows: lists and watches of both kinds as one, over what breaks. */
import { beforeEach, expect, test } from 'vitest';
import { FakeApi } from '../bridge/testing/fake-api.ts';
import { claim, volume } from '../controller/testing/objects.ts';
import { type ManagedSource, watchedEvents } from './watched-events.ts';

let api: FakeApi;
let stopping: AbortController;
let failures: string[];
beforeEach(() => {
  api = new FakeApi();
  stopping = new AbortController();
  failures = [];
});

/** What has been told so far, such as `ADDED pv-a`. */
function follow(source: ManagedSource = api) {
  const told: string[] = [];
  const run = async () => {
    const options = {
      signal: stopping.signal,
      onFailed: (kind: string, error: unknown) => failures.push(`${kind}: ${error}`),
    };
    for await (const { type, object } of watchedEvents(source, options)) told.push(`${type} ${object.metadata.name}`);
  };
  return { told, ended: run() };
}

async function until(look: () => boolean): Promise<void> {
  for (let turns = 0; turns < 2_000 && !look(); turns++) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(look()).toBe(true);
}

test('what is there comes first, then each change, of volumes and claims alike', async () => {
  api.put('PersistentVolume', volume('pv-a'));
  api.put('PersistentVolumeClaim', claim('data'));
  const { told, ended } = follow();
  await until(() => told.length === 2 && api.watches.length === 2);
  api.put('PersistentVolume', volume('pv-b'));
  api.put('PersistentVolumeClaim', claim('data', { annotations: { note: 'mine' } }));
  api.remove('PersistentVolume', { name: 'pv-a' });
  await until(() => told.length === 5);
  expect(told.toSorted()).toEqual(['ADDED data', 'ADDED pv-a', 'ADDED pv-b', 'DELETED pv-a', 'MODIFIED data']);
  stopping.abort();
  await ended;
});

test('what a list finds missing, after a watch that was too old, is told as deleted', async () => {
  api.put('PersistentVolume', volume('pv-a'));
  api.put('PersistentVolume', volume('pv-b'));
  const { told, ended } = follow();
  await until(() => told.length === 2 && api.watches.length === 2);
  told.length = 0;
  // Both at once: no watch tells of it.
  api.expire();
  api.remove('PersistentVolume', { name: 'pv-a' });
  api.expire();
  await until(() => told.includes('DELETED pv-a'));
  await until(() => told.includes('ADDED pv-b'));
  expect(told).not.toContain('DELETED pv-b');
  stopping.abort();
  await ended;
});

test('a list that fails is told and tried again', async () => {
  api.put('PersistentVolume', volume('pv-a'));
  api.listErrors.push(new Error('the API server is away'));
  const { told, ended } = follow();
  await until(() => told.includes('ADDED pv-a'));
  expect(failures).toEqual(['PersistentVolume: Error: the API server is away']);
  stopping.abort();
  await ended;
});

test('lists and watches are asked for managedFields', async () => {
  const asked: unknown[] = [];
  const source: ManagedSource = {
    listWithVersion: async <T>(_kind: unknown, { withManagers }: { withManagers: boolean }) => {
      asked.push(['list', withManagers]);
      return { items: [] as T[], resourceVersion: '1' };
    },
    watch: (kind, options) => {
      asked.push(['watch', options.withManagers]);
      return api.watch(kind, options);
    },
  };
  const { ended } = follow(source as ManagedSource);
  await until(() => asked.length === 4);
  expect(asked.toSorted()).toEqual([
    ['list', true],
    ['list', true],
    ['watch', true],
    ['watch', true],
  ]);
  stopping.abort();
  await ended;
});

test('the end comes with the signal, also while nothing happens', async () => {
  const { told, ended } = follow();
  await until(() => api.watches.length === 2);
  stopping.abort();
  await ended;
  expect(told).toEqual([]);
});
