/** What others do to volumes and claims, from the watch of a real bridge to the audit trail. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Bridge } from '../../lib/bridge/bridge.ts';
import { FakeApi } from '../../lib/bridge/testing/fake-api.ts';
import { FakeQueue } from '../../lib/bridge/testing/fake-queue.ts';
import { claim, rules, volume } from '../../lib/bridge/testing/objects.ts';
import * as needsSync from '../../lib/controller/needs-sync.ts';
import type { ObjectMeta } from '../../lib/controller/types.ts';
import { bridgeHooks } from '../../lib/observability/bridge-hooks.ts';
import { type Captured, capture, release } from './captured.ts';

let captured: Captured;
let api: FakeApi;
let stop: () => Promise<void>;
let bridge: Bridge;
beforeEach(() => {
  captured = capture('INFO');
  api = new FakeApi();
});
afterEach(async () => {
  await stop();
  release();
});

async function start(): Promise<void> {
  const hooks = bridgeHooks(captured.logger, captured.metrics);
  bridge = new Bridge({ source: api, sender: new FakeQueue(), predicates: needsSync, rules, hooks });
  const abort = new AbortController();
  const running = bridge.run(abort.signal);
  stop = async () => {
    abort.abort();
    await running;
  };
  await bridge.idle();
}

const managers = (manager: string): Pick<ObjectMeta, 'managedFields'> => {
  const fields = { 'f:spec': { 'f:claimRef': { 'f:uid': {} } }, 'f:status': { 'f:phase': {} } };
  return { managedFields: [{ manager, operation: 'Update', time: new Date().toISOString(), fieldsV1: fields }] };
};

const changes = () =>
  captured.logs().flatMap(({ message, audit, correlation_id: id }) => {
    return audit === undefined ? [] : [`${message} by ${(audit as { who: string }).who} (${id})`];
  });

test('a volume that the built-in controller binds and a user deletes has its history, with its uid', async () => {
  const data = api.put('PersistentVolumeClaim', claim('data', {}, 'Pending'));
  const free = api.put('PersistentVolume', { ...volume('pv-1'), status: { phase: 'Available' } });
  await start();
  const claimRef = { namespace: 'ns', name: 'data', uid: data.metadata.uid ?? '' };
  const by = (manager: string) => ({ ...free.metadata, ...managers(manager) });
  const bound = { ...free, metadata: by('kube-controller-manager'), spec: { ...free.spec, claimRef } };
  api.put('PersistentVolume', bound);
  api.put('PersistentVolume', { ...bound, status: { phase: 'Bound' } });
  api.put('PersistentVolume', { ...bound, metadata: by('serverless-pv-controller'), status: { phase: 'Released' } });
  api.remove('PersistentVolume', { name: 'pv-1' });
  await vi.waitFor(() => expect(changes().at(-1)).toContain('deleted'));
  const { uid } = free.metadata;
  expect(changes()).toEqual([
    `volume bound by built-in (${uid})`,
    // What we did, our worker tells.
    `volume Available -> Bound by built-in (${uid})`,
    `volume Released -> deleted by unknown (${uid})`,
  ]);
});

test('what was there before the bridge began is no change', async () => {
  api.put('PersistentVolume', { ...volume('pv-1'), status: { phase: 'Released' } });
  await start();
  expect(changes()).toEqual([]);
});
