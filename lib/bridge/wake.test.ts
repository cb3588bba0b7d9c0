import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as needsSync from '../controller/needs-sync.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { systemClock } from './clock.ts';
import { Evaluator } from './evaluator.ts';
import { Ledger } from './ledger.ts';
import { Publisher } from './publisher.ts';
import { Registry } from './registry.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { claim, rules, storageClass, volume } from './testing/objects.ts';
import { Wake } from './wake.ts';

let registry: Registry;
let queue: FakeQueue;
let wake: Wake;
let version: number;
const told = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  version = 0;
  told.mockReset();
  registry = new Registry();
  queue = new FakeQueue();
  const common = { predicates: needsSync, rules, clock: systemClock, hooks: { woken: told } };
  const settings = { maxSending: 100, retryBaseMs: 100, retryMaxMs: 100 };
  const publisher = new Publisher({ sender: queue, settings, ...common });
  const evaluator = new Evaluator({ registry, publisher, ledger: new Ledger(), ...common });
  wake = new Wake({ registry, evaluator, settings: { wakeCount: 3, wakeWindowMs: 1_000 }, ...common });
});

afterEach(() => {
  wake.stop();
  vi.useRealTimers();
});

function putClaim(name: string, spec = {}, isBound = false): void {
  const object = claim(name, spec, isBound ? 'Bound' : 'Pending');
  Object.assign(object.metadata, { uid: name, resourceVersion: String(++version), creationTimestamp: `2026-${name}` });
  if (isBound) object.metadata.annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  const change = registry.set('PersistentVolumeClaim', object);
  if (change !== undefined) void wake.claimChanged(change);
}

function putVolume(name: string, spec: Partial<PersistentVolume['spec']> = {}, phase = 'Available', labels = {}): void {
  const object = volume(name, spec, phase);
  Object.assign(object.metadata, { uid: name, resourceVersion: String(++version), labels });
  const change = registry.set('PersistentVolume', object);
  if (change !== undefined) void wake.volumeChanged(change);
}

/** What was woken since the last time, as `claim<volume`. */
async function woken(ms = 0): Promise<string[]> {
  const from = queue.messages.length;
  await vi.advanceTimersByTimeAsync(ms);
  return queue.messages.slice(from).map(({ name, hint }) => `${name}<${hint?.volumeName}`);
}

describe('Wake', () => {
  it('offers a free volume to the three oldest claims that it could satisfy', async () => {
    putClaim('d');
    putClaim('c');
    putClaim('b', { resources: { requests: { storage: '100Gi' } } });
    putClaim('a');
    putClaim('e');
    putClaim('other', { storageClassName: 'fast' });
    putClaim('named', { volumeName: 'pv-9' });
    putVolume('pv-1');
    expect(await woken()).toEqual(['a<pv-1', 'c<pv-1', 'd<pv-1']);
    expect(queue.messages[0]).toMatchObject({ kind: 'PersistentVolumeClaim', namespace: 'ns', reason: 'enqueued' });
  });

  it('tells whom it woke, and for which volume', async () => {
    putClaim('a');
    putVolume('pv-1');
    await woken();
    expect(told.mock.calls).toEqual([[{ kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'a' }, 'pv-1', 'pv-1']]);
  });

  it.each([
    ['is not Available', {}, 'Pending'],
    ['is reserved', { claimRef: { namespace: 'ns', name: 'other' } }, 'Available'],
  ])('does not offer a volume that %s', async (_why, spec, phase) => {
    putClaim('a');
    putVolume('pv-1', spec, phase);
    expect(await woken(60_000)).toEqual([]);
  });

  it('does not wake a claim that waits for its first consumer', async () => {
    registry.set('StorageClass', storageClass('late', { volumeBindingMode: 'WaitForFirstConsumer' }));
    putClaim('a', { storageClassName: 'late' });
    putVolume('pv-1', { storageClassName: 'late' });
    expect(await woken(60_000)).toEqual([]);
    expect(wake.size).toBe(0);
  });

  it('spreads many volumes over the claims, each of which is woken once within the window', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) putClaim(name);
    for (const name of ['pv-1', 'pv-2', 'pv-3', 'pv-4']) putVolume(name);
    expect(await woken(900)).toEqual(['a<pv-1', 'b<pv-1', 'c<pv-1', 'd<pv-2', 'e<pv-2', 'f<pv-2', 'g<pv-3']);
  });

  it('offers the volume anew, to another claim, when a woken one took another volume', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) putClaim(name);
    putVolume('pv-1');
    expect(await woken()).toEqual(['a<pv-1', 'b<pv-1', 'c<pv-1']);
    putClaim('b', { volumeName: 'pv-9' }, true);
    expect(await woken()).toEqual(['d<pv-1']);
  });

  it('offers a volume to claims that another one woke in vain, when their window is over', async () => {
    putClaim('a');
    putClaim('b');
    putVolume('pv-1');
    putVolume('pv-2');
    expect(await woken()).toEqual(['a<pv-1', 'b<pv-1']);
    putVolume('pv-1', { claimRef: { namespace: 'ns', name: 'a', uid: 'a' } }, 'Bound');
    putClaim('a', { volumeName: 'pv-1' }, true);
    expect(await woken(2_100)).toEqual(['b<pv-2']);
  });

  it('offers one state of a volume to a claim once, ever more seldom, and then no more', async () => {
    for (const name of ['a', 'b', 'c', 'd']) putClaim(name);
    putVolume('pv-1');
    expect(await woken(600_000)).toEqual(['a<pv-1', 'b<pv-1', 'c<pv-1', 'd<pv-1']);
    expect(wake.size).toBe(0);
  });

  it('offers a changed volume again', async () => {
    putClaim('a', { selector: { matchLabels: { tier: 'gold' } } });
    putVolume('pv-1');
    expect(await woken(60_000)).toEqual([]);
    putVolume('pv-1', {}, 'Available', { tier: 'gold' });
    expect(await woken()).toEqual(['a<pv-1']);
  });

  it('offers a state of a volume once, however often it is told of it', async () => {
    putClaim('01');
    const pv = volume('v', {}, 'Available');
    Object.assign(pv.metadata, { uid: 'v', resourceVersion: '50' });
    registry.set('PersistentVolume', pv);
    const change = { kind: 'PersistentVolume', after: pv } as const;
    expect(wake.volumeChanged(change)).toHaveLength(1);
    expect(wake.volumeChanged({ ...change, before: pv })).toEqual([]);
    expect(await woken()).toEqual(['01<v']);
  });

  it('keeps nothing of a volume that nobody wants', async () => {
    for (let i = 0; i < 1_000; i++) putVolume(`pv-${i}`);
    expect(wake.size).toBe(0);
  });
});
