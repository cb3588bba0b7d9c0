/**
 * Follows a cluster and scores the controller against the one that is built in: for each change it asks for a verdict on
 * the keys that it concerns, tells the audit trail of what it saw, and judges the verdicts by what comes next. It holds
 * the latest version of each volume and claim, with its managedFields, and writes nothing.
 */
import type { AuditSink } from '../audit/record.ts';
import { seenRecords, transitionsSeen } from '../audit/trail.ts';
import { type Writer, writerOf } from '../audit/writer.ts';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { Held } from './change.ts';
import type { Decision } from './decide.ts';
import { keysAfter, WaitingClaims } from './keys.ts';
import { Lags } from './lags.ts';
import { Scorer, type ScorerOptions } from './score.ts';
import type { Scoreboard } from './scoreboard.ts';
import { idOf } from './verdict.ts';
import { isOlder } from './versions.ts';
import type { QueueFigures, QueueName } from './workqueue.ts';

/** One event of a watch of volumes or claims; lists come as ADDED. */
export interface ObservedEvent {
  readonly kind: SyncKey['kind'];
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Held;
}

/** What an observer works with. */
export interface ObserverOptions {
  /** In the order of each kind's watch. The observation ends with it. */
  readonly events: AsyncIterable<ObservedEvent>;
  /** The verdict on a key, as the cluster is now. A rejection is told to `onFailed`, and is no verdict. */
  readonly decide: (key: SyncKey) => Promise<Decision>;
  /** Verdicts that are reached side by side. Default 4. */
  readonly concurrency?: number;
  readonly onRecord?: AuditSink;
  readonly onFailed?: (key: SyncKey, error: unknown) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly limits?: Omit<ScorerOptions, 'latest'>;
}

/**
 * @example
 * const observer = new Observer({ events, decide: (key) => decide(key, cluster, contextFor) });
 * console.log(scoreText(await observer.run(), { ours: observer.queues() }));
 */
export class Observer {
  readonly #options: ObserverOptions;
  readonly #now: () => number;
  readonly #latest = new Map<string, Held>();
  readonly #scorer: Scorer;
  readonly #waitingClaims = new WaitingClaims();
  /** Keys that wait for a verdict, by name: a key that changes again meanwhile is looked at once. */
  readonly #waiting = new Map<string, { readonly key: SyncKey; readonly since: number }>();
  /** From the change to the verdict, by queue. */
  readonly #waits = new Lags();
  readonly #running = new Set<Promise<void>>();

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#scorer = new Scorer({ ...options.limits, latest: (id) => this.#latest.get(id) });
  }

  /** Works until the events end. @returns the final score. @throws whatever `events` throws. */
  async run(): Promise<Scoreboard> {
    for await (const event of this.#options.events) this.#take(event);
    await this.idle();
    return this.board();
  }

  /** How it stands now. */
  board(): Scoreboard {
    this.#scorer.expire(this.#now());
    return this.#scorer.board();
  }

  /** How many keys wait for a verdict, and how long it took to reach one: to be put beside the built-in controller's. */
  queues(): Readonly<Record<QueueName, QueueFigures>> {
    const waits = new Map(this.#waits.summary().map((each) => [each.transition, each]));
    const of = (kind: SyncKey['kind'], name: QueueName): QueueFigures => {
      const { p50, p99 } = waits.get(name) ?? {};
      const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1_000);
      const depth = [...this.#waiting.values()].filter(({ key }) => key.kind === kind).length;
      return { depth, p50: seconds(p50), p99: seconds(p99) };
    };
    return { claims: of('PersistentVolumeClaim', 'claims'), volumes: of('PersistentVolume', 'volumes') };
  }

  /** Resolves when every verdict that was asked for is reached. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #take({ kind, type, object }: ObservedEvent): void {
    const id = idOf(kind, object.metadata);
    const before = this.#latest.get(id);
    const [held, version] = [before?.metadata.resourceVersion, object.metadata.resourceVersion ?? ''];
    // A list after a watch that broke tells again of what is known.
    const isOld = held !== undefined && (held === version || isOlder(version, held));
    if (type !== 'DELETED' && isOld) return;
    if (type === 'DELETED') this.#latest.delete(id);
    else this.#latest.set(id, object);
    const at = this.#now();
    const seen = {
      type: type === 'ADDED' && before !== undefined ? 'MODIFIED' : type,
      kind,
      before,
      after: object,
      at,
    };
    for (const record of seenRecords(seen, this.#volumeUidOf(kind, object))) this.#options.onRecord?.(record);
    this.#scorer.change({ ...seen, writer: writerOfChange(kind, before, object) });
    this.#scorer.expire(at);
    this.#waitingClaims.take(seen);
    for (const key of [...keysAfter(seen), ...this.#waitingClaims.for(seen)]) this.#want(key);
  }

  #want(key: SyncKey): void {
    const name = idOf(key.kind, key);
    if (!this.#waiting.has(name)) this.#waiting.set(name, { key, since: this.#now() });
    if (this.#running.size >= (this.#options.concurrency ?? 4)) return;
    const running = this.#work().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #work(): Promise<void> {
    for (const [name, { key, since }] of this.#waiting) {
      this.#waiting.delete(name);
      try {
        const begunAt = this.#now();
        const { writes, notes } = await this.#options.decide(key);
        const at = this.#now();
        this.#waits.add(key.kind === 'PersistentVolume' ? 'volumes' : 'claims', at - since);
        this.#scorer.verdict({ key, at, begunAt, writes, notes });
      } catch (error) {
        this.#options.onFailed?.(key, error);
      }
    }
  }

  #volumeUidOf(kind: SyncKey['kind'], object: Held): string | undefined {
    if (kind === 'PersistentVolume') return object.metadata.uid;
    const { volumeName } = (object as PersistentVolumeClaim).spec;
    if (!volumeName) return undefined;
    return (this.#latest.get(idOf('PersistentVolume', { name: volumeName })) as PersistentVolume | undefined)?.metadata
      .uid;
  }
}

/** Of the field that it is about; else of whatever changed. */
function writerOfChange(kind: SyncKey['kind'], before: Held | undefined, after: Held): Writer {
  const [transition] = transitionsSeen('MODIFIED', kind, before, after);
  return writerOf(before, after, kind, transition?.of);
}
