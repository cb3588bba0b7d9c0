/** Sees by watches of its own when volumes and claims come to the phase that they are waited for in. */
import type { ApiServerCluster } from '../../../lib/cluster/api-server.ts';
import type { SyncKey } from '../../../lib/controller/types.ts';

type Kind = SyncKey['kind'];

const patienceMs = 90_000;
const lookMs = 250;

export class Observer {
  readonly #cluster: ApiServerCluster;
  readonly #stopping = new AbortController();
  readonly #waiting = new Map<string, { readonly phase: string; readonly resolve: (at: number) => void }>();
  readonly #failed = Promise.withResolvers<never>();
  #followed: Promise<unknown> = Promise.resolve();
  #lastHitAt = 0;

  private constructor(cluster: ApiServerCluster) {
    this.#cluster = cluster;
    this.#failed.promise.catch(() => {});
  }

  /** Resolves when both watches are open. @param cluster is not closed by `stop`. */
  static async start(cluster: ApiServerCluster): Promise<Observer> {
    const observer = new Observer(cluster);
    const kinds = ['PersistentVolume', 'PersistentVolumeClaim'] as const;
    const opened = kinds.map(() => Promise.withResolvers<void>());
    observer.#followed = Promise.all(
      kinds.map((kind, index) => observer.#follow(kind, () => opened[index]?.resolve())),
    );
    observer.#followed.catch((error) => observer.#failed.reject(error));
    await Promise.race([Promise.all(opened.map(({ promise }) => promise)), observer.#failed.promise]);
    return observer;
  }

  /** @returns when the object was seen in that phase, by `performance.now()`. Ask before it can be: the past is not kept. */
  when(kind: Kind, name: string, phase: string): Promise<number> {
    this.#lastHitAt = performance.now();
    return new Promise((resolve) => this.#waiting.set(`${kind} ${name}`, { phase, resolve }));
  }

  /** Waits for all of them. @throws Error when nothing that is waited for has come for a minute and a half. */
  async all(moments: readonly Promise<number>[]): Promise<number[]> {
    const stuck = Promise.withResolvers<never>();
    const timer = setInterval(() => {
      if (performance.now() - this.#lastHitAt < patienceMs) return;
      const [first, { phase = '' } = {}] = this.#waiting.entries().next().value ?? [];
      stuck.reject(new Error(`${this.#waiting.size} objects did not come, among them ${first} to be ${phase}`));
    }, lookMs);
    try {
      return await Promise.race([Promise.all(moments), this.#failed.promise, stuck.promise]);
    } finally {
      clearInterval(timer);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#followed.catch(() => {});
  }

  async #follow(kind: Kind, onOpen: () => void): Promise<void> {
    const { signal } = this.#stopping;
    let { resourceVersion } = await this.#cluster.version(kind);
    while (!signal.aborted) {
      for await (const event of this.#cluster.watch(kind, { resourceVersion, signal, onOpen })) {
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        if (event.type === 'BOOKMARK') continue;
        const key = `${kind} ${event.object.metadata.name}`;
        const waiting = this.#waiting.get(key);
        if (waiting === undefined || event.object.status?.phase !== waiting.phase) continue;
        this.#waiting.delete(key);
        this.#lastHitAt = performance.now();
        waiting.resolve(this.#lastHitAt);
      }
    }
  }
}
