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
let now: number;
let needsClaimSync: boolean;
const needsVolumeSync = vi.fn((_view: unknown, _volume: PersistentVolume) => true);
const failed = vi.fn();

beforeEach(() => {
  vi.resetAllMocks();
  registry = new Registry();
  queue = new FakeQueue();
  ledger = new Ledger();
  now = 1_000;
  needsClaimSync = false;
  const common = { clock: { ...systemClock, now: () => now }, hooks: { failed } };
  const settings = { maxSending: 10, retryBaseMs: 1, retryMaxMs: 1 };
  const publisher = new Publisher({ sender: queue, settings, ...common });
  const predicates = { needsVolumeSync, needsClaimSync: () => needsClaimSync, couldBind: () => false };
  evaluator = new Evaluator({ registry, publisher, ledger, predicates, rules, ...common });
});

const at = <T extends { metadata: object }>(version: string, object: T): T => ({
  ...object,
  metadata: { ...object.metadata, uid: 'u', resourceVersion: version },
});

function put(version: string): void {
  registry.set('PersistentVolume', at(version, volume('pv')));
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

  it('asks no predicate about what is not held', () => {
    expect(evaluator.evaluate(key, { version: '1' })).toBeUndefined();
    expect(needsVolumeSync).not.toHaveBeenCalled();
  });

  it('counts the time of a message from its acceptance', async () => {
    put('1');
    queue.hold();
    const accepted = evaluator.evaluate(key, { version: '1' });
    expect(ledger.get(key)?.at).toBe(1_000);
    now = 9_000;
    queue.release();
    await accepted;
    expect(ledger.get(key)?.at).toBe(9_000);
  });

  it('waits for nothing more about an object that is gone, unless another one has its name', async () => {
    put('1');
    await evaluator.evaluate(key, { version: '1' });
    const gone = volume('pv');
    evaluator.forget('PersistentVolume', gone);
    expect(ledger.get(key)).toBeDefined();
    registry.delete('PersistentVolume', at('2', gone));
    evaluator.forget('PersistentVolume', gone);
    expect(ledger.get(key)).toBeUndefined();
  });

  it('names the volume that is reserved for a claim, where the claim names none', async () => {
    needsClaimSync = true;
    registry.set(
      'PersistentVolume',
      at('1', volume('other', { claimRef: { namespace: 'ns', name: 'one', uid: 'no' } })),
    );
    registry.set('PersistentVolume', at('2', volume('pv', { claimRef: { namespace: 'ns', name: 'one' } })));
    for (const [version, spec] of [
      ['3', {}],
      ['4', { volumeName: 'pv' }],
    ] as const) {
      registry.set('PersistentVolumeClaim', at(version, claim('one', spec)));
      const claimKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one' } as const;
      await evaluator.evaluate(claimKey, { version });
    }
    expect(queue.messages.map(({ hint }) => hint)).toEqual([{ volumeName: 'pv' }, undefined]);
  });

  it('offers a claim a volume beside what is said of the claim itself: neither takes the other’s place', async () => {
    needsClaimSync = true;
    const one = at('3', claim('one'));
    registry.set('PersistentVolumeClaim', one);
    queue.hold();
    const claimKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one' } as const;
    const works = ['a', 'b'].map((name, index) => evaluator.wake(one, at(String(index), volume(name))));
    works.push(evaluator.evaluate(claimKey, { version: '3' }) ?? Promise.resolve());
    queue.release();
    await Promise.all(works);
    const told = queue.messages.map(({ reason, hint }) => `${reason} ${hint?.volumeName}`);
    expect(told).toEqual(expect.arrayContaining(['enqueued b', 'modified undefined']));
  });

  it('tells of each object of a name that is gone, also while the queue takes nothing', async () => {
    queue.hold();
    const claimRef = { namespace: 'ns', name: 'one' };
    const works = ['a', 'b', 'c'].map((uid) => {
      const gone = volume('pv', { claimRef });
      Object.assign(gone.metadata, { uid });
      return evaluator.sendDeleted('PersistentVolume', gone);
    });
    queue.release();
    await Promise.all(works);
    expect(queue.messages.map(({ uid }) => uid)).toEqual(['a', 'b', 'c']);
    // Not even an empty uid, which a worker would refuse.
    expect(queue.messages.map(({ deleted }) => deleted)).toStrictEqual(Array(3).fill({ claimRef }));
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
