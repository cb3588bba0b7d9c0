import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { Body } from './client.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Body;
}

const patienceMs = 15_000;

/** Reads the lines of a watch. */
export class Watch {
  readonly status: number;
  /** Settles when the server ends the stream. */
  readonly ended: Promise<void>;
  readonly #response: IncomingMessage;
  readonly #events: WatchEvent[] = [];
  #wake: () => void = () => {};
  #taken = 0;

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    const lines = createInterface({ input: response });
    lines.on('line', (line) => {
      this.#events.push(JSON.parse(line));
      this.#wake();
    });
    // The server, or the end of a test, may cut the stream: the events so far stay.
    response.on('error', () => this.#wake());
    lines.on('error', () => this.#wake());
    this.ended = new Promise((resolve) => lines.once('close', resolve));
    void this.ended.then(() => this.#wake());
  }

  /** The next event that passes, in order; events before it are skipped. */
  async next(passes: (event: WatchEvent) => boolean = isChange): Promise<WatchEvent> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      while (this.#taken < this.#events.length) {
        const event = this.#events[this.#taken++];
        if (event !== undefined && passes(event)) return event;
      }
      if (this.#response.readableEnded || Date.now() > deadline) {
        throw new Error(`the watch brought no such event; it brought ${JSON.stringify(this.#events)}`);
      }
      await this.#somethingNew();
    }
  }

  /** Takes several changes. */
  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) events.push(await this.next());
    return events;
  }

  /** Everything that came, whether taken or not. */
  get events(): readonly WatchEvent[] {
    return this.#events;
  }

  close(): void {
    this.#response.destroy();
  }

  #somethingNew(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 200);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function isChange({ type }: WatchEvent): boolean {
  return type !== 'BOOKMARK';
}
