import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { storageClass, volume } from './testing/objects.ts';
import { Waking } from './testing/waking.ts';

let waking: Waking;

beforeEach(() => {
  vi.useFakeTimers();
  waking = new Waking();
});

afterEach(() => {
  waking.wake.stop();
  vi.useRealTimers();
});

const putClaim = (...claim: Parameters<Waking['putClaim']>) => void waking.putClaim(...claim);
const putVolume = (...volume: Parameters<Waking['putVolume']>) => void waking.putVolume(...volume);

/** What was woken since the last time, as `claim<volume`. */
async function woken(ms = 0): Promise<string[]> {
  const { queue } = waking;
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
    expect(waking.queue.messages[0]).toMatchObject({
      kind: 'PersistentVolumeClaim',
      namespace: 'ns',
      reason: 'enqueued',
    });
  });

  it('tells whom it woke, and for which volume', async () => {
    putClaim('a');
    putVolume('pv-1');
    await woken();
    expect(waking.told).toEqual([[{ kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'a' }, 'pv-1', 'pv-1']]);
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
    waking.registry.set('StorageClass', storageClass('late', { volumeBindingMode: 'WaitForFirstConsumer' }));
    putClaim('a', { storageClassName: 'late' });
    putVolume('pv-1', { storageClassName: 'late' });
    expect(await woken(60_000)).toEqual([]);
    expect(waking.wake.size).toBe(0);
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
    expect(waking.wake.size).toBe(0);
  });

  it('offers a changed volume again', async () => {
    putClaim('a', { selector: { matchLabels: { tier: 'gold' } } });
    putVolume('pv-1');
    expect(await woken(60_000)).toEqual([]);
    putVolume('pv-1', {}, 'Available', { labels: { tier: 'gold' } });
    expect(await woken()).toEqual(['a<pv-1']);
  });

  it('offers a state of a volume once, however often it is told of it', async () => {
    for (const name of ['01', '02', '03', '04']) putClaim(name);
    const pv = volume('v', {}, 'Available');
    Object.assign(pv.metadata, { uid: 'v', resourceVersion: '50' });
    waking.registry.set('PersistentVolume', pv);
    const change = { kind: 'PersistentVolume', after: pv } as const;
    expect(waking.wake.volumeChanged(change)).toHaveLength(3);
    expect(waking.wake.volumeChanged({ ...change, before: pv })).toEqual([]);
    expect(await woken()).toEqual(['01<v', '02<v', '03<v']);
  });

  it('keeps nothing of a volume that nobody wants', async () => {
    for (let i = 0; i < 1_000; i++) putVolume(`pv-${i}`);
    expect(waking.wake.size).toBe(0);
  });
});
