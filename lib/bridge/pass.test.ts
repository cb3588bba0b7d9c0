import { describe, expect, it } from 'vitest';
import { type PassOptions, pass, SYNCED_KINDS } from './pass.ts';
import { volume } from './testing/objects.ts';

/** Options of a walk over so many volumes and no claim; `log` has what it waits for. */
function walkOver(count: number) {
  const log: string[] = [];
  const volumes = Array.from({ length: count }, (_, i) => volume(`pv-${i}`));
  const options = {
    registry: { objects: (kind: string) => (kind === 'PersistentVolume' ? volumes : []) },
    publisher: { room: async () => void log.push('room') },
    clock: {
      now: () => 0,
      after: (ms: number, run: () => void) => {
        log.push(`after ${ms}`);
        queueMicrotask(run);
        return () => {};
      },
    },
  } as unknown as PassOptions;
  return { options, log };
}

describe('a pass', () => {
  it('goes over every kind in its order, and ends at once where nothing is sent', async () => {
    const seen: string[] = [];
    const { options, log } = walkOver(2);
    await pass(options, SYNCED_KINDS, (kind, { metadata }) => {
      seen.push(`${kind} ${metadata.name}`);
      return undefined;
    });
    expect(seen).toEqual(['PersistentVolume pv-0', 'PersistentVolume pv-1']);
    expect(log).toEqual([]);
  });

  it('lets others work after each thousand, and waits until there is room', async () => {
    let visited = 0;
    const { options, log } = walkOver(2_500);
    await pass(options, SYNCED_KINDS, () => {
      visited++;
      return undefined;
    });
    expect(visited).toBe(2_500);
    expect(log).toEqual(['after 0', 'room', 'after 0', 'room']);
  });

  it('resolves when the last message is accepted', async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    let isDone = false;
    const walk = pass(walkOver(3).options, SYNCED_KINDS, () => late).then(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    resolve();
    await walk;
    expect(isDone).toBe(true);
  });

  it('rejects with the first failure, after all others have ended', async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const works = [Promise.reject(new Error('first')), Promise.reject(new Error('second')), late];
    let ended = '';
    const walk = pass(walkOver(3).options, SYNCED_KINDS, () => works.shift()).catch((error: Error) => {
      ended = error.message;
    });
    await new Promise(setImmediate);
    expect(ended).toBe('');
    resolve();
    await walk;
    expect(ended).toBe('first');
  });
});
