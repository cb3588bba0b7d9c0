/** When free volumes are offered again, and to whom. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Waking } from './testing/waking.ts';

const GOLD = { selector: { matchLabels: { tier: 'gold' } } };
const TOO_BIG = { resources: { requests: { storage: '100Gi' } } };

let waking: Waking;

beforeEach(() => {
  vi.useFakeTimers();
  waking = new Waking();
});

afterEach(() => {
  waking.wake.stop();
  vi.useRealTimers();
});

const putVolumes = (...names: string[]) => {
  for (const name of names) waking.putVolume(name);
};
const putClaims = (...names: string[]) => {
  for (const name of names) waking.putClaim(name);
};
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('an offer', () => {
  it('comes again ever more seldom, and a claim that stays unbound is woken ever more seldom', async () => {
    putClaims('a');
    putVolumes('pv-1', 'pv-2', 'pv-3', 'pv-4', 'pv-5');
    await later(60_000);
    // The windows of the claim: 1, 2, 4 and 8 s. The offers of its class that find it busy: one per second, the rest the
    // next second, and each again after 1, 2, 4 and 8 s.
    expect(waking.log).toEqual(['0 a<pv-1', '1000 a<pv-2', '3000 a<pv-3', '8000 a<pv-4', '17000 a<pv-5']);
    expect([waking.wake.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('finds the claims idle that another volume woke, but does not count them as its own', async () => {
    putClaims('d');
    putVolumes('pv-0');
    putClaims('a', 'b', 'c');
    putVolumes('pv-1');
    await later(500);
    expect(waking.log).toEqual(['0 d<pv-0', '0 a<pv-1', '0 b<pv-1', '0 c<pv-1']);
    await later(500);
    expect(waking.log.slice(4)).toEqual(['1000 a<pv-0', '1000 b<pv-0', '1000 c<pv-0', '1000 d<pv-1']);
  });

  it('is made beside one that found a busy claim and an idle one that it does not suit', async () => {
    putClaims('a');
    putVolumes('pv-0', 'pv-1', 'pv-2');
    waking.putVolume('pv-gold', {}, 'Available', { labels: { tier: 'gold' } });
    await later(500);
    waking.putClaim('b', GOLD);
    await later(500);
    expect(waking.log).toEqual(['0 a<pv-0', '1000 a<pv-1', '1000 b<pv-gold']);
  });

  it('is made beside one that has asked as many claims as it may', async () => {
    putClaims('a', 'b', 'c');
    putVolumes('pv-0');
    await later(1_500);
    putVolumes('pv-1', 'pv-2');
    await later(200);
    putClaims('d');
    await later(800);
    expect(waking.log.slice(3)).toEqual(['1500 a<pv-1', '1500 b<pv-1', '1500 c<pv-1', '2500 d<pv-2']);
  });

  it.each([
    [999, ['0 z<pv-1']],
    [1_000, []],
  ])('looks at a thousand claims: behind %i that it does not suit it wakes %j', (count, log) => {
    for (let index = 0; index < count; index++) waking.putClaim(`a${index}`, TOO_BIG);
    putClaims('z');
    putVolumes('pv-1');
    expect(waking.log).toEqual(log);
  });

  it('leaves out a claim that names a volume, even this one: that is looked at as its partner', () => {
    waking.putClaim('a', { volumeName: 'pv-1' });
    putVolumes('pv-1');
    expect(waking.log).toEqual([]);
  });
});

describe('the end of an offer', () => {
  beforeEach(() => {
    putClaims('a');
    putVolumes('pv-1');
    expect(waking.wake.size).toBe(1);
  });

  it('comes when its volume is taken', () => {
    const claimRef = { namespace: 'ns', name: 'a', uid: 'a' };
    expect(waking.putVolume('pv-1', { claimRef }, 'Bound')).toEqual([]);
    expect(waking.wake.size).toBe(0);
  });

  it('comes with the stop, and nobody is woken any more', async () => {
    putClaims('b', 'c', 'd');
    waking.wake.stop();
    expect(waking.wake.size).toBe(0);
    expect(waking.putClaim('a', { volumeName: 'pv-9' }, true)).toEqual([]);
    await later(60_000);
    expect([waking.log, vi.getTimerCount()]).toEqual([['0 a<pv-1'], 0]);
  });

  it.each([
    ['not Available', {}, 'Pending', {}],
    ['reserved', { claimRef: { namespace: 'ns', name: 'other' } }, 'Available', {}],
    ['about to go', {}, 'Available', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ] as const)('is not needed for a volume that is %s: no offer, though a claim is busy', (_, spec, phase, metadata) => {
    waking.putVolume('pv-2', spec, phase, metadata);
    expect(waking.wake.size).toBe(1);
  });
});

describe('a claim', () => {
  beforeEach(() => {
    putClaims('a', 'b', 'c', 'd');
    putVolumes('pv-1');
  });

  it('that goes has its volume offered to the next one', () => {
    expect(waking.removeClaim('a')).toHaveLength(1);
    expect(waking.log.at(-1)).toBe('0 d<pv-1');
  });

  it('that names a volume has its own offered to the next one before its binding is complete', () => {
    expect(waking.putClaim('a', { volumeName: 'pv-9' })).toHaveLength(1);
    expect(waking.log.at(-1)).toBe('0 d<pv-1');
  });

  it('that changes and still waits has nothing offered, nor one that nobody woke', () => {
    expect(waking.putClaim('a', { volumeMode: 'Block' })).toEqual([]);
    expect(waking.putClaim('d', { volumeName: 'pv-9' }, true)).toEqual([]);
    expect(waking.log).toHaveLength(3);
  });

  it('that took the volume that it was woken for has nothing offered', () => {
    waking.putVolume('pv-1', { claimRef: { namespace: 'ns', name: 'a', uid: 'a' } }, 'Bound');
    expect(waking.putClaim('a', { volumeName: 'pv-1' }, true)).toEqual([]);
    expect(waking.log).toHaveLength(3);
  });
});
