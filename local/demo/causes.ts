/**
 * Why a phase changed, in the controller's own words: what a sync noted just before it noted the change. Both are said
 * before the write, so the cause is known when the observer sees its effect.
 */
import type { SyncKey } from '../../lib/controller/types.ts';
import { keyOf } from '../../lib/queue/message.ts';
import type { KeyHooks } from '../../lib/worker/hooks.ts';

const CHANGE = /^(volume|claim) (\S+): phase \S+ -> (\S+)$/;

export class Causes {
  /** The last observation of each sync that is under way. */
  readonly #observed = new Map<string, string>();
  readonly #causes = new Map<string, string>();

  /** To be told of every sync. */
  readonly hooks: KeyHooks = {
    onNote: (key, observation) => this.#note(key, observation),
    onDone: (key) => this.#observed.delete(keyOf(key)),
    onFailed: (key) => this.#observed.delete(keyOf(key)),
  };

  /** @param subject `volume disk-1`, `claim shop/data`. */
  of(subject: string, phase: string): string | undefined {
    return this.#causes.get(`${subject} ${phase}`);
  }

  /** A new act: what was the cause of the last one explains nothing any more. */
  clear(): void {
    this.#causes.clear();
  }

  #note(key: SyncKey, observation: string): void {
    const [, kind, name, phase] = CHANGE.exec(observation) ?? [];
    if (phase === undefined) {
      this.#observed.set(keyOf(key), observation);
      return;
    }
    const cause = this.#observed.get(keyOf(key));
    if (cause !== undefined) this.#causes.set(`${kind} ${name} ${phase}`, cause);
  }
}
