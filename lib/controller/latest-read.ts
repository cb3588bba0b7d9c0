/**
 * Which object a sync has just read: the answer that it waited for last. A claim that was just read need not be read again
 * before the first write of its bind (DESIGN D4). It is told by what was begun and answered since, never by time: every
 * call, every wait for the pool and every sleep ends it. See docs/decisions/025-just-read.md.
 */
import type { Cluster, SyncContext } from './ports.ts';

/** The same surroundings, which from now on know what was read last; made for one sync. */
export function withLatestRead(ctx: SyncContext): SyncContext {
  const { cluster, pool, clock } = ctx;
  let latest: unknown;

  async function outside<T>(answer: Promise<T>, isRead = false): Promise<T> {
    latest = undefined;
    let read: T | undefined;
    try {
      const received = await answer;
      if (isRead) read = received;
      return received;
    } finally {
      latest = read;
    }
  }

  const watched: Cluster = {
    get: (kind, key) => outside(cluster.get(kind, key), true),
    list: (kind, options) => outside(cluster.list(kind, options)),
    create: (kind, object) => outside(cluster.create(kind, object)),
    update: (kind, object) => outside(cluster.update(kind, object)),
    updateStatus: (kind, object) => outside(cluster.updateStatus(kind, object)),
    delete: (kind, object) => outside(cluster.delete(kind, object)),
    event: (event) => outside(cluster.event(event)),
  };
  return {
    ...ctx,
    cluster: watched,
    pool: {
      volumes: (maxAgeMs) => {
        const found = pool.volumes(maxAgeMs);
        return found instanceof Promise ? outside(found) : found;
      },
      drop: (name, resourceVersion) => pool.drop(name, resourceVersion),
      hold: (name, claim) => pool.hold(name, claim),
      store: (volume) => pool.store(volume),
    },
    enqueue: (key, cause, hint) => outside(ctx.enqueue(key, cause, hint)),
    runOperation: (name, operation) => outside(ctx.runOperation(name, operation)),
    clock: { now: () => clock.now(), sleep: (ms) => outside(clock.sleep(ms)) },
    isJustRead: (object) => object === latest,
  };
}
