/**
 * Whether the process is worth keeping. Kubernetes restarts a pod that says no, and a restart lists the whole cluster
 * again; so a failing API server or queue must not be a reason, only a loop that neither works nor fails any more. A
 * blocked event loop needs no test of its own: the probe itself then gets no answer.
 */
import type { BridgeHealth } from '../lib/bridge/bridge.ts';
import type { WatchedKind } from '../lib/bridge/ports.ts';

/**
 * A healthy watch has a bookmark a minute, a silent one fails after 100 s, and after a failure a loop waits for a minute
 * at most: five minutes without anything are none of these.
 */
export const STUCK_AFTER_MS = 300_000;

/** Collects signs of life of the bridge's loops. */
export class Liveness {
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #signs = new Map<WatchedKind, number>();
  #general: number;

  /** @param now milliseconds since the epoch. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#startedAt = now();
    this.#general = this.#startedAt;
  }

  /** One of the loops got a failure or an answer. */
  sign(kind: WatchedKind): void {
    this.#signs.set(kind, this.#now());
  }

  /** Something happened that any loop may be waiting for: a start that is tried again, an answer of the queue. */
  generalSign(): void {
    this.#general = this.#now();
  }

  /**
   * The loops that are stuck; none: the process is alive.
   * @param health of the bridge; undefined while it waits for the API server's first answer.
   */
  stuck(health: BridgeHealth | undefined): string[] {
    const now = this.#now();
    if (health === undefined) return now - this.#general > STUCK_AFTER_MS ? ['start'] : [];
    return Object.entries(health.resources)
      .filter(([kind, { lastActivity = this.#startedAt }]) => {
        const sign = this.#signs.get(kind as WatchedKind) ?? this.#startedAt;
        return now - Math.max(lastActivity, sign, this.#general) > STUCK_AFTER_MS;
      })
      .map(([kind]) => kind);
  }
}
