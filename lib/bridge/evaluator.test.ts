import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { PersistentVolume } from '../controller/types.ts';
import { systemClock } from './clock.ts';
import { Evaluator } from './evaluator.ts';
import { Ledger } from './ledger.ts';
import { Publisher } from './publisher.ts';
import { Registry } from './registry.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { claim, rules, volume } from './testing/objects.ts';

const key = { kind: 'PersistentVolume', name: 'pv' } as const;

let registry: Registry;
let queue: FakeQueue;
let ledger: Ledger;
let evaluator: Evaluator;
const needsVolumeSync = vi.fn((_view: unknown, _volume: PersistentVolume) => true);
const failed = vi.fn();

beforeEach(() => {
  vi.resetAllMocks();
  registry = new Registry();
  queue = new FakeQueue();
  ledger = new Ledger();
  const common = { clock: systemClock, hooks: { failed } };
  const settings = { maxSending: 10, retryBaseMs: 1, retryMaxMs: 1 };
  const publisher = new Publisher({ sender: queue, settings, ...common });
  const predicates = { needsVolumeSync, needsClaimSync: () => false, couldBind: () => false };
  evaluator = new Evaluator({ registry, publisher, ledger, predicates, rules, ...common });
});

function put(version: string): void {
  const pv = volume('pv');
  Object.assign(pv.metadata, { uid: 'u', resourceVersion: version });
  registry.set('PersistentVolume', pv);
}

describe('Evaluator', () => {
  it('sends what needs a sync, and knows it to be on its way until it is settled', async () => {
    put('1');
    needsVolumeSync.mockReturnValueOnce(true).mockReturnValueOnce(false);
    await evaluator.evaluate(key, { version: '1', reason: 'added' });
    expect(queue.messages).toEqual([{ v: 1, ...key, uid: 'u', resourceVersion: '1', reason: 'added' }]);
    expect(ledger.size).toBe(1);
    put('2');
    expect(evaluator.evaluate(key, { version: '2' })).toBeUndefined();
    expect(ledger.size).toBe(0);
  });

  it('does not send twice for one state, but is done only when the message is accepted', async () => {
    put('1');
    needsVolumeSync.mockReturnValue(true);
    queue.hold();
    const first = evaluator.evaluate(key, { version: '1' });
    expect(evaluator.evaluate(key, { version: '1' })).toBe(first);
    queue.release();
    await first;
    expect(evaluator.evaluate(key, { version: '1' })).toBeUndefined();
    expect(queue.accepted).toBe(1);
  });

  it('sends what the predicate fails on: the worker may find out', async () => {
    put('1');
    needsVolumeSync.mockImplementation(() => {
      throw new Error('broken selector');
    });
    await evaluator.evaluate(key, { version: '1' });
    expect(queue.messages).toHaveLength(1);
    expect(failed.mock.calls[0]?.[0]).toBe('predicate');
  });

  it('sends when the look is forced, needed or not, and expects no echo of the needless; for an object that is gone sends nothing', async () => {
    expect(evaluator.evaluate(key, { version: '1', force: true })).toBeUndefined();
    put('1');
    needsVolumeSync.mockReturnValue(false);
    await evaluator.evaluate(key, { version: '2', cause: { uid: 'pod', resourceVersion: '2' }, force: true });
    expect(queue.messages).toMatchObject([{ reason: 'enqueued' }]);
    expect(ledger.get(key)).toBeUndefined();
  });

  it('tells of a deletion what its handler needs', async () => {
    const bound = claim('one', { volumeName: 'pv' });
    Object.assign(bound.metadata, { uid: 'c', resourceVersion: '9', deletionTimestamp: '2026-01-01T00:00:00Z' });
    await evaluator.sendDeleted('PersistentVolumeClaim', bound);
    await evaluator.sendDeleted(
      'PersistentVolume',
      volume('pv', { claimRef: { namespace: 'ns', name: 'one', uid: 'c' } }),
    );
    expect(evaluator.sendDeleted('PersistentVolume', volume('pv'))).toBeUndefined();
    expect(queue.messages).toEqual([
      {
        v: 1,
        kind: 'PersistentVolumeClaim',
        namespace: 'ns',
        name: 'one',
        uid: 'c',
        resourceVersion: '9',
        reason: 'deleted',
        deleted: { volumeName: 'pv', deletionTimestamp: '2026-01-01T00:00:00Z' },
      },
      { v: 1, ...key, reason: 'deleted', deleted: { claimRef: { namespace: 'ns', name: 'one', uid: 'c' } } },
    ]);
  });
});
