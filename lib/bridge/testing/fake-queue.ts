/** A FIFO queue in memory: deduplication, one message of a key at a time, outages. */
import { deduplicationId } from '../../queue/ids.ts';
import { formatMessage, keyOf, type SyncMessage } from '../../queue/message.ts';
import type { OutgoingMessage } from '../../queue/producer.ts';
import type { Sender } from '../ports.ts';

export class FakeQueue implements Sender {
  /** What was accepted, without the duplicates. */
  readonly messages: SyncMessage[] = [];
  /** Calls of `send` that were accepted, the duplicates too. */
  accepted = 0;
  refused = 0;
  /** Refuses everything. */
  isDown = false;
  /** Milliseconds until a message is accepted. */
  latencyMs = 0;
  /** Takes messages as a worker does; what it throws brings the message back. */
  worker: ((message: SyncMessage) => Promise<void>) | undefined;
  readonly #ids = new Set<string>();
  readonly #groups = new Map<string, Promise<void>>();
  #working = 0;
  #hold: PromiseWithResolvers<void> | undefined;

  async send(entries: readonly OutgoingMessage[], { signal }: { signal: AbortSignal }): Promise<void> {
    if (this.latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.latencyMs));
    await this.#hold?.promise;
    signal.throwIfAborted();
    if (this.isDown) {
      this.refused++;
      throw new Error('the queue is away');
    }
    for (const { message, occasion } of entries) {
      formatMessage(message);
      this.accepted++;
      const id = deduplicationId(message, occasion);
      if (this.#ids.has(id)) continue;
      this.#ids.add(id);
      this.messages.push(message);
      this.#deliver(message);
    }
  }

  /** From now on nothing is answered. */
  hold(): void {
    this.#hold = Promise.withResolvers();
  }

  release(): void {
    this.#hold?.resolve();
    this.#hold = undefined;
  }

  get isIdle(): boolean {
    return this.#working === 0;
  }

  /** Keys of the accepted messages since a position in `messages`. */
  keys(from = 0): string[] {
    return this.messages.slice(from).map(keyOf);
  }

  #deliver(message: SyncMessage): void {
    const { worker } = this;
    if (worker === undefined) return;
    this.#working++;
    const work = async () => {
      for (let attempt = 0; attempt < 20; attempt++) {
        try {
          await worker(message);
          break;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      this.#working--;
    };
    const before = this.#groups.get(keyOf(message)) ?? Promise.resolve();
    this.#groups.set(keyOf(message), before.then(work));
  }
}
