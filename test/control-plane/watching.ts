/** A watch that remembers what it saw, for tests that look at what an object passed through and not only at its end. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from './harness.ts';

interface Watched {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** One line of a watch. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

const pollMilliseconds = 10;
const timeoutMilliseconds = 30_000;

/** Follows one collection from now on; a watch that breaks is opened again where it broke. */
export class Watch<T extends Watched> {
  /** Everything seen so far, in order. */
  readonly events: WatchEvent<T>[] = [];
  /** When the last event came, by `performance.now()`. */
  lastEventAt = 0;
  readonly #stopping = new AbortController();
  readonly #path: string;
  #running: Promise<void> = Promise.resolve();
  #failure: unknown;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when the watch is open: what is written after this is seen. */
  static async start<T extends Watched>(plane: ControlPlane, path: string): Promise<Watch<T>> {
    const watch = new Watch<T>(path);
    const { body } = await plane.client().request<{ metadata: { resourceVersion: string } }>('GET', `${path}?limit=1`);
    const agent = new Agent({ ca: await readFile(plane.caFile, 'utf8') });
    const headers = { authorization: `Bearer ${plane.token()}`, accept: 'application/json' };
    let version = body.metadata.resourceVersion;
    const open = async (): Promise<IncomingMessage> => {
      const url = new URL(`${path}?watch=1&resourceVersion=${version}`, plane.url);
      const outgoing = request(url, { agent, headers, signal: watch.#stopping.signal }).end();
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      if (incoming.statusCode !== 200) throw new Error(`watch of ${path}: ${incoming.statusCode}`);
      return incoming;
    };
    const follow = async (first: IncomingMessage) => {
      for (let incoming = first; ; incoming = await open()) {
        try {
          for await (const line of createInterface({ input: incoming })) version = watch.#take(line);
        } catch (error) {
          if (watch.#stopping.signal.aborted || (error as Error).message.startsWith('watch of')) throw error;
        }
      }
    };
    watch.#running = follow(await open())
      .catch((error: unknown) => {
        if (!watch.#stopping.signal.aborted) watch.#failure = error;
      })
      .finally(() => agent.destroy());
    return watch;
  }

  /** Waits until the events satisfy this, which gets all of them; gives what it gave. */
  async until<R>(what: string, look: (events: readonly WatchEvent<T>[]) => R | undefined | false): Promise<R> {
    const deadline = Date.now() + timeoutMilliseconds;
    for (;;) {
      const seen = look(this.events);
      if (seen !== undefined && seen !== false) return seen;
      if (this.#failure !== undefined) throw this.#failure;
      if (Date.now() > deadline) throw new Error(`${this.#path}: not seen in ${timeoutMilliseconds} ms: ${what}`);
      await sleep(pollMilliseconds);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #take(line: string): string {
    const event = JSON.parse(line) as WatchEvent<T>;
    if (event.type === ('ERROR' as string)) throw new Error(`watch of ${this.#path}: ${line}`);
    this.events.push(event);
    this.lastEventAt = performance.now();
    return event.object.metadata.resourceVersion;
  }
}
