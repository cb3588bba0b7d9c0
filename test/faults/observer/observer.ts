/**
 * Sees every state of every volume and claim by watches of its own, straight at the API server, and learns from the audit
 * log who wrote it. It shares no code with what it observes but the names of annotations.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '../../control-plane/harness.ts';
import { changesBetween, type Versions } from '../../control-plane/settling.ts';
import { Watch } from '../../control-plane/watching.ts';
import { type AuditLog, storedBy, type Write } from './audit-log.ts';
import { violationsIn } from './invariants.ts';
import { chain, type Link, latest, versionsIn } from './links.ts';
import type { Claim, State, Violation, Volume } from './state.ts';

const EXPLAINED_WITHIN_MS = 10_000;
const SEEN_WITHIN_MS = 10_000;

/** What was stored between two moments, by whomever. */
export interface Window {
  readonly states: readonly State[];
  readonly violations: readonly Violation[];
}

export class Observer {
  readonly #volumes: Watch<Volume>;
  readonly #claims: Watch<Claim>;
  readonly #log: AuditLog;
  readonly #writers = new Map<string, string>();
  readonly #deleters = new Map<string, Set<string>>();
  readonly #blind: Write[] = [];
  /** What there was at the end of the last window, by uid. */
  readonly #before = { volumes: new Map<string, Volume>(), claims: new Map<string, Claim>() };
  readonly #ours: ReadonlySet<string>;

  private constructor(volumes: Watch<Volume>, claims: Watch<Claim>, log: AuditLog, ours: readonly string[]) {
    this.#volumes = volumes;
    this.#claims = claims;
    this.#log = log;
    this.#ours = new Set(ours);
  }

  /** @param ours names of the users whose writes are checked. */
  static async start(plane: ControlPlane, log: AuditLog, ours: readonly string[]): Promise<Observer> {
    const [volumes, claims] = await Promise.all([
      Watch.start<Volume>(plane, '/api/v1/persistentvolumes'),
      Watch.start<Claim>(plane, '/api/v1/persistentvolumeclaims'),
    ]);
    return new Observer(volumes, claims, log, ours);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#volumes.stop(), this.#claims.stop()]);
  }

  /** The volume as the watch has seen it last; undefined when there is none. */
  volume(name: string): Volume | undefined {
    return latest(this.#volumes.events, ({ metadata }) => metadata.name === name);
  }

  claim(namespace: string, name: string): Claim | undefined {
    return latest(this.#claims.events, ({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  }

  /** All states of the objects of one run, in the order of the store. */
  async states(run: string): Promise<State[]> {
    const volumes = chain(this.#volumes.events.filter(({ object }) => runOf(object) === run));
    const claims = chain(this.#claims.events.filter(({ object }) => runOf(object) === run));
    return await this.#inOrder(volumes, claims);
  }

  /** What a run has done that it must not, I4 aside. */
  async violations(run: string): Promise<Violation[]> {
    const found = violationsIn(await this.states(run));
    return [...found, ...this.blindWrites(run)];
  }

  /** The part of I6 that no state shows: writes of a run that did not say which version they were about. */
  blindWrites(run: string): Violation[] {
    return this.#blind.filter(({ requestURI }) => requestURI.includes(run)).map(withoutVersion);
  }

  /**
   * All that was stored since the last call, of whatever run, and what of it must not have happened; it is forgotten then,
   * for runs that have no end. Not to be mixed with the questions about single runs.
   * @param end the versions of all volumes and claims while nobody writes: the window reaches up to there.
   * @throws Error when the watches have not seen them in time.
   */
  async takeWindow(end: Versions): Promise<Window> {
    await this.#untilSeen(end);
    const before = new Map(this.#before.claims);
    const volumes = chain(this.#volumes.events.splice(0), this.#before.volumes);
    const claims = chain(this.#claims.events.splice(0), this.#before.claims);
    const states = await this.#inOrder(volumes, claims);
    const violations = [...violationsIn(states, before), ...this.#blind.splice(0).map(withoutVersion)];
    const last = states.at(-1)?.at ?? 0;
    for (const version of this.#writers.keys()) if (Number(version) <= last) this.#writers.delete(version);
    for (const { type, object } of states) if (type === 'DELETED') this.#deleters.delete(object.metadata.uid);
    return { states, violations };
  }

  async #untilSeen(end: Versions): Promise<void> {
    const deadline = performance.now() + SEEN_WITHIN_MS;
    for (;;) {
      const seen = new Map([
        ...versionsIn('volume', this.#volumes.events, this.#before.volumes),
        ...versionsIn('claim', this.#claims.events, this.#before.claims),
      ]);
      const missing = changesBetween(seen, end);
      if (missing.length === 0) return;
      if (performance.now() > deadline) throw new Error(`the observer has not seen: ${missing.join(', ')}`);
      await sleep(20);
    }
  }

  async #inOrder(volumes: readonly Link<Volume>[], claims: readonly Link<Claim>[]): Promise<State[]> {
    await this.#explain([...volumes, ...claims]);
    const states: State[] = [
      ...volumes.map((each) => ({ kind: 'volume' as const, ...each, isOurs: this.#isOurs(each) })),
      ...claims.map((each) => ({ kind: 'claim' as const, ...each, isOurs: this.#isOurs(each) })),
    ];
    return states.sort((one, other) => one.at - other.at);
  }

  #isOurs({ type, object, at }: Link<Volume | Claim>): boolean {
    const deleters = this.#deleters.get(object.metadata.uid);
    if (type === 'DELETED') return [...(deleters ?? [])].some((user) => this.#ours.has(user));
    return this.#ours.has(this.#writers.get(String(at)) ?? '');
  }

  /** Reads on in the log until it tells the writer of each state: it may lag behind the watch. */
  async #explain(links: readonly Link<Volume | Claim>[]): Promise<void> {
    const deadline = performance.now() + EXPLAINED_WITHIN_MS;
    for (;;) {
      for (const write of await this.#log.next()) this.#learn(write);
      const unknown = links.filter(({ type, object, at }) =>
        type === 'DELETED' ? !this.#deleters.has(object.metadata.uid) : !this.#writers.has(String(at)),
      );
      const [first] = unknown;
      if (first === undefined) return;
      if (performance.now() > deadline) {
        throw new Error(`nobody wrote ${first.type} ${first.object.metadata.name} at ${first.at}, says the audit log`);
      }
      await sleep(20);
    }
  }

  #learn(write: Write): void {
    const { verb, user, requestObject, responseObject, responseStatus } = write;
    if ((responseStatus?.code ?? 0) >= 300) return;
    const stored = storedBy(write, (version) => this.#writers.has(version));
    if (stored !== undefined) this.#writers.set(stored, user.username);
    const deleted = verb === 'delete' ? (responseObject?.details?.uid ?? responseObject?.metadata?.uid) : undefined;
    if (deleted !== undefined) {
      this.#deleters.set(deleted, (this.#deleters.get(deleted) ?? new Set()).add(user.username));
    }
    const isBlind = verb === 'patch' || (verb === 'update' && !requestObject?.metadata?.resourceVersion);
    if (isBlind && this.#ours.has(user.username)) this.#blind.push(write);
  }
}

function withoutVersion({ verb, requestURI }: Write): Violation {
  return { invariant: 'I6', what: `${verb} ${requestURI} did not say which version it is about` };
}

/** Every object of a run has a class of that run. */
export function runOf({ spec }: Volume | Claim): string {
  return (spec.storageClassName ?? '').split('-')[0] ?? '';
}
