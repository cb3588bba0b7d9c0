import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as needsSync from '../controller/needs-sync.ts';
import { Bridge } from './bridge.ts';
import type { BridgeSettings } from './settings.ts';
import { FakeApi } from './testing/fake-api.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { boundPair, rules, volume } from './testing/objects.ts';

const START = 1_800_000_000_000;

let api: FakeApi;
let queue: FakeQueue;
let stop: AbortController;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  api = new FakeApi();
  queue = new FakeQueue();
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await vi.advanceTimersByTimeAsync(11_000);
  vi.useRealTimers();
});

function start(settings: Partial<BridgeSettings>): Bridge {
  const bridge = new Bridge({ source: api, sender: queue, predicates: needsSync, rules, settings });
  void bridge.run(stop.signal);
  return bridge;
}

/** Seconds after the start at which messages were accepted. */
async function times(seconds: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i <= seconds; i++) {
    const before = queue.messages.length;
    await vi.advanceTimersByTimeAsync(1_000);
    for (let n = before; n < queue.messages.length; n++) found.push(i);
  }
  return found;
}

describe('the predicate sweep', () => {
  it('sends what needs a sync and does not change again, ever more seldom', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    start({ sweepPeriodMs: 0 });
    const found = await times(300);
    const gaps = found.slice(1).map((time, i) => time - (found[i] ?? 0));
    expect(found[0]).toBe(0);
    expect(gaps.map((gap) => Math.round(gap / 15))).toEqual([1, 2, 4, 8]);
    expect(queue.messages.slice(1).every(({ reason }) => reason === 'resync')).toBe(true);
  });

  it('sends what came to need a sync without any event, as soon as it finds that', async () => {
    api.put('PersistentVolume', volume('pv-1', {}, 'Available'));
    let isNeeded = false;
    const predicates = { ...needsSync, needsVolumeSync: () => isNeeded };
    const bridge = new Bridge({ source: api, sender: queue, predicates, rules, settings: { sweepPeriodMs: 0 } });
    void bridge.run(stop.signal);
    expect(await times(20)).toEqual([]);
    isNeeded = true;
    expect(await times(20)).toHaveLength(1);
    expect(queue.messages).toMatchObject([{ name: 'pv-1', reason: 'resync' }]);
    expect(await times(40)).toHaveLength(1);
  });

  it('is at most so seldom', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    start({ sweepPeriodMs: 0, resendMaxMs: 30_000 });
    expect(await times(300)).toHaveLength(11);
  });

  it('starts anew when the object changes', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    start({ sweepPeriodMs: 0 });
    await times(120);
    api.put('PersistentVolume', volume('pv-1'));
    const found = await times(20);
    expect(found).toHaveLength(2);
  });

  it('sends nothing about what is settled', async () => {
    for (let i = 0; i < 20; i++) boundPair(api, `pv-${i}`, `claim-${i}`);
    start({ sweepPeriodMs: 0 });
    expect(await times(600)).toEqual([]);
  });

  it('of two bridges sends each message once', async () => {
    for (let i = 0; i < 20; i++) api.put('PersistentVolume', volume(`pv-${i}`));
    start({ sweepPeriodMs: 0 });
    start({ sweepPeriodMs: 0 });
    await times(70);
    expect(queue.accepted).toBe(2 * queue.messages.length);
  });
});

describe('the full sweep', () => {
  it('sends every key once per period, spread over it, two bridges together', async () => {
    for (let i = 0; i < 60; i++) boundPair(api, `pv-${i}`, `claim-${i}`);
    start({ sweepPeriodMs: 600_000 });
    start({ sweepPeriodMs: 600_000 });
    const found = await times(600);
    expect(new Set(queue.keys()).size).toBe(120);
    expect(queue.messages).toHaveLength(120);
    expect(found.filter((time) => time < 300).length).toBeGreaterThan(30);
    expect(found.filter((time) => time >= 300).length).toBeGreaterThan(30);
    await times(599);
    expect(queue.messages).toHaveLength(240);
  });
});
