/** Who wrote which object how often, from the API server's audit log. */
import { storedBy, type Write } from '../observer/audit-log.ts';
import type { State } from '../observer/state.ts';

/** `refused`: another write came first. `unchanged`: the object was like that already, so nothing was stored. */
export type Outcome = 'written' | 'unchanged' | 'refused';

export class WriteCounts {
  /** By uid and user. */
  readonly #counts = new Map<string, Map<string, Record<Outcome, number>>>();
  readonly #writers = new Map<string, string>();
  readonly #deleters = new Map<string, Set<string>>();

  learn(write: Write): void {
    const { verb, user, requestObject, responseObject, responseStatus } = write;
    const code = responseStatus?.code ?? 0;
    const uid = responseObject?.metadata?.uid ?? responseObject?.details?.uid ?? requestObject?.metadata?.uid;
    // What was refused for another reason than a write that came first is no matter of two writers.
    if (uid === undefined || (code >= 300 && code !== 409)) return;
    const version = storedBy(write, (known) => this.#writers.has(known));
    const isGone = verb === 'delete' && responseObject?.metadata?.uid === undefined;
    const outcome: Outcome = code === 409 ? 'refused' : version === undefined && !isGone ? 'unchanged' : 'written';
    const byUser = this.#counts.get(uid) ?? new Map<string, Record<Outcome, number>>();
    const counts = byUser.get(user.username) ?? { written: 0, unchanged: 0, refused: 0 };
    counts[outcome] += 1;
    this.#counts.set(uid, byUser.set(user.username, counts));
    if (version !== undefined && outcome === 'written') this.#writers.set(version, user.username);
    if (verb === 'delete' && outcome !== 'refused')
      this.#deleters.set(uid, (this.#deleters.get(uid) ?? new Set()).add(user.username));
  }

  /** How often those users, or with `except` all others, asked for that. */
  of(uid: string, outcome: Outcome, users: readonly string[], except = false): number {
    const byUser = [...(this.#counts.get(uid) ?? [])].filter(([user]) => users.includes(user) !== except);
    return byUser.reduce((sum, [, counts]) => sum + counts[outcome], 0);
  }

  /** Whether it was that user who wrote this state. */
  isBy(user: string, { type, at, object }: State): boolean {
    if (type === 'DELETED') return this.#deleters.get(object.metadata.uid)?.has(user) ?? false;
    return this.#writers.get(String(at)) === user;
  }
}
