/** A third writer that disagrees for ever: whatever is written to one field of one object, it puts back at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../control-plane/harness.ts';
import type { Claim, Volume } from '../observer/state.ts';

/** What it fights over. */
export interface Quarrel {
  /** Of the object. */
  readonly path: string;
  /** Whether the field has been written again. */
  isWritten(object: Volume & Claim): boolean;
  /** A merge patch that takes it away. */
  readonly undo: object;
  /** The patch is one of the status. */
  readonly isStatus?: boolean;
}

const POLL_MS = 5;

export class Opponent {
  readonly #client: ApiClient;
  readonly #quarrel: Quarrel;
  readonly #stopping = new AbortController();
  readonly #working: Promise<void>;
  #undone = 0;
  #provocations = 0;

  constructor(client: ApiClient, quarrel: Quarrel) {
    this.#client = client;
    this.#quarrel = quarrel;
    this.#working = this.#work();
  }

  /** How often it had to put the field back so far. */
  get undone(): number {
    return this.#undone;
  }

  /** Writes beside the field, which is one more reason for everybody to look at the object. */
  async provoke(): Promise<void> {
    this.#provocations += 1;
    await this.#patch(this.#quarrel.path, { metadata: { labels: { provoked: String(this.#provocations) } } });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { path, undo, isStatus = false } = this.#quarrel;
    while (!this.#stopping.signal.aborted) {
      const { status, body } = await this.#client.request<Volume & Claim>('GET', path);
      if (status === 200 && this.#quarrel.isWritten(body)) {
        await this.#patch(isStatus ? `${path}/status` : path, undo);
        this.#undone += 1;
      }
      await sleep(POLL_MS);
    }
  }

  async #patch(path: string, patch: object): Promise<void> {
    const { status, body } = await this.#client.request('PATCH', path, patch);
    if (status !== 200) throw new Error(`PATCH ${path}: ${status} ${JSON.stringify(body)}`);
  }
}
