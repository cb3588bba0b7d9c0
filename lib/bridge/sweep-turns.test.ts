/** What a sweep does at each of its turns, with everything around it held still. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import { keyOf } from '../queue/message.ts';
import { systemClock } from './clock.ts';
import { Ledger } from './ledger.ts';
import { Registry, syncKeyOf } from './registry.ts';
import { Sweep, type SweepOptions } from './sweep.ts';
import { claim, volume } from './testing/objects.ts';

/** The first millisecond of epoch 120,000,000 of 15 s. */
const START = 1_800_000_000_000;

let registry: Registry;
let ledger: Ledger;
let sweep: Sweep | undefined;
/** Keys that the predicate was asked about. */
let looked: string[];
/** `seconds key epoch` of what was sent again. */
let resent: string[];
/** Keys that need a sync, that wait for the end of their echo window, and whose messages are not accepted. */
let needed: Set<string>;
let deferred: Set<string>;
let pending: Set<string>;
/** What bulk publishers wait for. */
let room: Promise<void>;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  registry = new Registry();
  ledger = new Ledger();
  [looked, resent] = [[], []];
  [needed, deferred, pending] = [new Set(), new Set(), new Set()];
  room = Promise.resolve();
});

afterEach(() => {
  sweep?.stop();
  vi.useRealTimers();
});

function start(settings: Partial<SweepOptions['settings']> = {}, clock = systemClock): void {
  const options = {
    registry,
    ledger,
    clock,
    publisher: {
      room: () => room,
      pending: (key: SyncKey) => (pending.has(keyOf(key)) ? Promise.resolve() : undefined),
    },
    echo: { isDeferred: (key: SyncKey) => deferred.has(keyOf(key)) },
    evaluator: {
      needsSync: (kind: SyncKey['kind'], object: PersistentVolume) => {
        const key = keyOf(syncKeyOf(kind, object));
        looked.push(key);
        return needed.has(key);
      },
      resend: async (kind: SyncKey['kind'], object: PersistentVolume, epoch: string) => {
        const key = syncKeyOf(kind, object);
        ledger.resent(key, Date.now());
        resent.push(`${(Date.now() - START) / 1_000} ${keyOf(key)} ${epoch}`);
      },
    },
    settings: { resyncPeriodMs: 15_000, resendMaxMs: 3_600_000, sweepPeriodMs: 0, ...settings },
  };
  sweep = new Sweep(options as unknown as SweepOptions);
  sweep.start();
}

function putVolume(name: string, uid?: string): void {
  const object = volume(name);
  registry.set('PersistentVolume', { ...object, metadata: { ...object.metadata, ...(uid !== undefined && { uid }) } });
}

function putClaim(name: string, metadata: Partial<PersistentVolumeClaim['metadata']> = {}): void {
  const object = claim(name);
  registry.set('PersistentVolumeClaim', { ...object, metadata: { ...object.metadata, ...metadata } });
}

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const sentFor = (...keys: SyncKey[]) => {
  for (const key of keys) ledger.sent(key, { form: 'change', uid: '', resourceVersion: '1' }, START);
};
const pv = (name: string): SyncKey => ({ kind: 'PersistentVolume', name });
const pvc = (name: string): SyncKey => ({ kind: 'PersistentVolumeClaim', namespace: 'ns', name });

describe('a sweep', () => {
  it('begins with an epoch of the clock, whenever it was started', async () => {
    putVolume('pv-1');
    vi.setSystemTime(START + 7_000);
    start();
    await later(7_999);
    expect(looked).toEqual([]);
    await later(1);
    expect(looked).toHaveLength(1);
    await later(15_000);
    expect(looked).toHaveLength(2);
  });

  it('comes once per epoch, though timers are early', async () => {
    putVolume('pv-1');
    start({}, { ...systemClock, after: (ms, run) => systemClock.after(ms > 1 ? ms - 1 : ms, run) });
    await later(30_500);
    expect(looked).toHaveLength(2);
  });

  it('that takes longer than an epoch goes on alone, and the next one makes up for the turns between', async () => {
    for (let index = 0; index < 1_000; index++) putVolume(`pv-${index}`, `uid-${index}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    room = promise;
    start({ sweepPeriodMs: 105_000 });
    await later(60_000);
    const visited = looked.length + resent.length;
    expect(visited).toBe(1_000);
    resolve();
    await later(60_000);
    expect(new Set(resent.map((line) => line.split(' ')[1])).size).toBe(1_000);
  });
});

describe('what needs no sync', () => {
  it('is forgotten by the ledger, unless it waits for the end of its echo window', async () => {
    for (const name of ['one', 'two']) {
      putVolume(name);
      putClaim(name);
    }
    sentFor(pv('one'), pvc('one'), pv('two'), pvc('two'));
    deferred = new Set([pv('two'), pvc('two')].map(keyOf));
    start();
    await later(15_000);
    expect([pv('one'), pvc('one'), pv('two'), pvc('two')].map((key) => ledger.get(key) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(resent).toEqual([]);
  });

  it('is sent all the same when it is a claim that waits, ever more seldom', async () => {
    putVolume('pv-1');
    putClaim('waiting');
    putClaim('bound', { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } });
    start();
    await later(480_000);
    expect(resent).toEqual([
      '30 PersistentVolumeClaim/ns/waiting waiting 120000002',
      '60 PersistentVolumeClaim/ns/waiting waiting 120000004',
      '120 PersistentVolumeClaim/ns/waiting waiting 120000008',
      '240 PersistentVolumeClaim/ns/waiting waiting 120000016',
      '480 PersistentVolumeClaim/ns/waiting waiting 120000032',
    ]);
  });
});

describe('what needs a sync', () => {
  it('is not sent while it is on its way anyway', async () => {
    for (const name of ['deferred', 'pending', 'free']) {
      putVolume(name);
      putClaim(name);
    }
    needed = new Set(['deferred', 'pending', 'free'].flatMap((name) => [keyOf(pv(name)), keyOf(pvc(name))]));
    deferred = new Set([pv('deferred'), pvc('deferred')].map(keyOf));
    pending = new Set([pv('pending'), pvc('pending')].map(keyOf));
    start();
    await later(15_000);
    expect(resent).toEqual([
      '15 PersistentVolume/free predicate 120000001',
      '15 PersistentVolumeClaim/ns/free predicate 120000001',
    ]);
  });
});

describe('the turn of an object in the full sweep', () => {
  // FNV-1a of a, b and foobar (its published test values) modulo 7 is 5, 6 and 0; epoch 120,000,000 modulo 7 is 1.
  it('comes by its uid, or by its name where it has none, once per period', async () => {
    putVolume('one', 'b');
    putVolume('foobar');
    putClaim('one', { uid: 'a', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } });
    start({ sweepPeriodMs: 105_000 });
    await later(180_000);
    expect(resent).toEqual([
      '60 PersistentVolumeClaim/ns/one full 17142857',
      '75 PersistentVolume/one full 17142857',
      '90 PersistentVolume/foobar full 17142858',
      '165 PersistentVolumeClaim/ns/one full 17142858',
      '180 PersistentVolume/one full 17142858',
    ]);
  });
});
