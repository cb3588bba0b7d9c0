/** The pool and the clock of one sync: both give up when the key's time is over, and the pool holds nothing imagined. */
import type { SyncContext, VolumePool } from '../controller/ports.ts';
import type { PersistentVolume } from '../controller/types.ts';

/** What a recorded sync believes to have written must not enter the pool of real volumes. */
export function readOnlyPool(pool: VolumePool): VolumePool {
  return { volumes: (maxAgeMs) => pool.volumes(maxAgeMs), drop: () => {}, hold: () => () => {}, store: () => {} };
}

/** The same for a sync that writes some of what it believes: only what the API server has enters the pool. */
export function poolOfReal(pool: VolumePool, isReal: (volume: PersistentVolume) => boolean): VolumePool {
  return {
    volumes: (maxAgeMs) => pool.volumes(maxAgeMs),
    drop: (name, resourceVersion) => pool.drop(name, resourceVersion),
    hold: (name, claim) => pool.hold(name, claim),
    store: (volume) => {
      if (isReal(volume)) pool.store(volume);
    },
  };
}

/** A refresh is shared by all keys, so a key whose time is up leaves it; the end of the invocation ends it. */
export function poolUntil(signal: AbortSignal, pool: VolumePool): VolumePool {
  return {
    volumes: (maxAgeMs) => {
      const found = pool.volumes(maxAgeMs);
      // What is there at once is no wait: the next request sees the signal.
      return found instanceof Promise ? unlessAborted(signal, found) : found;
    },
    drop: (name, resourceVersion) => pool.drop(name, resourceVersion),
    hold: (name, claim) => pool.hold(name, claim),
    store: (volume) => pool.store(volume),
  };
}

async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The clock, whose sleep ends with an error when the signal is aborted. */
export function clockUntil(signal: AbortSignal): SyncContext['clock'] {
  return {
    now: () => Date.now(),
    sleep: (ms) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const onAbort = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        }, ms);
        signal.addEventListener('abort', onAbort, { once: true });
      }),
  };
}
