/**
 * Sees every state of every volume and claim by watches of its own, straight at the API server, and learns from the audit
 * log who wrote it. It shares no code with what it observes but the names of annotations.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '../../control-plane/harness.ts';
import { Watch, type WatchEvent } from '../../control-plane/watching.ts';
import type { AuditLog, Write } from './audit-log.ts';
import { violationsIn } from './invariants.ts';
import type { Claim, State, Violation, Volume } from './state.ts';

const EXPLAINED_WITHIN_MS = 10_000;

export class Observer {
  readonly #volumes: Watch<Volume>;
  readonly #claims: Watch<Claim>;
  readonly #log: AuditLog;
  readonly #writers = new Map<string, string>();
  readonly #deleters = new Map<string, Set<string>>();
  readonly #blind: Write[] = [];
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
    await this.#explain([...volumes, ...claims]);
    const states: State[] = [
      ...volumes.map((each) => ({ kind: 'volume' as const, ...each, isOurs: this.#isOurs(each) })),
      ...claims.map((each) => ({ kind: 'claim' as const, ...each, isOurs: this.#isOurs(each) })),
    ];
    return states.sort((one, other) => one.at - other.at);
  }

  /** What a run has done that it must not, I4 aside. */
  async violations(run: string): Promise<Violation[]> {
    const found = violationsIn(await this.states(run));
    const blind = this.#blind.filter(({ requestURI }) => requestURI.includes(run));
    return [
      ...found,
      ...blind.map(({ verb, requestURI }) => ({
        invariant: 'I6' as const,
        what: `${verb} ${requestURI} did not say which version it is about`,
      })),
    ];
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
    const { uid, resourceVersion } = responseObject?.metadata ?? {};
    if (resourceVersion !== undefined) this.#writers.set(resourceVersion, user.username);
    const deleted = verb === 'delete' ? (responseObject?.details?.uid ?? uid) : undefined;
    if (deleted !== undefined) {
      this.#deleters.set(deleted, (this.#deleters.get(deleted) ?? new Set()).add(user.username));
    }
    const isBlind = verb === 'patch' || (verb === 'update' && !requestObject?.metadata?.resourceVersion);
    if (isBlind && this.#ours.has(user.username)) this.#blind.push(write);
  }
}

interface Link<T> {
  readonly type: State['type'];
  readonly at: number;
  readonly object: T;
  readonly before: T | undefined;
}

/** Each event with the state before it. */
function chain<T extends Volume | Claim>(events: readonly WatchEvent<T>[]): Link<T>[] {
  const last = new Map<string, T>();
  return events.map(({ type, object }) => {
    const { uid, resourceVersion } = object.metadata;
    const before = last.get(uid);
    last.set(uid, object);
    return { type, at: Number(resourceVersion), object, before };
  });
}

function latest<T>(events: readonly WatchEvent<T>[], isMeant: (object: T) => boolean): T | undefined {
  const event = events.findLast(({ object }) => isMeant(object));
  return event?.type === 'DELETED' ? undefined : event?.object;
}

/** Every object of a run has a class of that run. */
export function runOf({ spec }: Volume | Claim): string {
  return (spec.storageClassName ?? '').split('-')[0] ?? '';
}
