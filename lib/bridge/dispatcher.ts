/**
 * What happens when something changed: the registry takes it in, then the object and its partners are looked at, and a
 * volume that became free is offered around. Until all lists are there once, half of the cluster looks orphaned: so long
 * nothing is looked at, and the events wait for the look at everything that follows.
 */
import type { SeenChange } from '../audit/trail.ts';
import type { Kinds, PersistentVolume, PersistentVolumeClaim, Pod } from '../controller/types.ts';
import { isAskedAnew } from './asked-anew.ts';
import type { Echo } from './echo.ts';
import type { Evaluator } from './evaluator.ts';
import type { ListWatchHandler } from './list-watch.ts';
import { deletionOf, isNewer, type Trigger } from './occasion.ts';
import { claimsOfClass, keysOf, recyclingVolumes } from './partners.ts';
import { type PassOptions, pass, SYNCED_KINDS } from './pass.ts';
import type { BridgeHooks, WatchedKind } from './ports.ts';
import { type Change, type HeldKind, type Registry, syncKeyOf } from './registry.ts';
import type { Wake } from './wake.ts';

/** The parts of a bridge that a change goes through. */
export interface DispatcherOptions extends PassOptions {
  readonly registry: Registry;
  readonly evaluator: Evaluator;
  readonly echo: Echo;
  readonly wake: Wake;
  /** The volume that a recycler pod works for, undefined for other pods. */
  readonly volumeOfPod: (pod: Pod) => string | undefined;
  readonly changed?: BridgeHooks['changed'];
}

type Paired = PersistentVolume | PersistentVolumeClaim;
type Work = Promise<void> | undefined;

/** Takes lists and events in; each call's promise is that of the acceptance of all messages that it led to. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #listVersions = new Map<HeldKind, string>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #firstLook = Promise.withResolvers<void>();
  #looks = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#firstLook.promise.catch(() => {}); // a stop concerns those who wait for it
  }

  /** Resolves when volumes, claims and classes have been listed once. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get isReady(): boolean {
    return this.#listVersions.size === 3;
  }

  /** Looks at everything that are under way. */
  get looks(): number {
    return this.#looks;
  }

  /** The handler of one resource. */
  handler<K extends WatchedKind>(kind: K): ListWatchHandler<K> {
    if (kind === 'Pod') {
      const pods: ListWatchHandler<'Pod'> = {
        slim: ({ metadata: { name } }) => ({ metadata: { name } }),
        onList: (_pods, version) => this.#onPods(version),
        onEvent: (_type, pod) => this.#onPod(pod),
      };
      return pods as ListWatchHandler<WatchedKind> as ListWatchHandler<K>;
    }
    const held: ListWatchHandler<HeldKind> = {
      slim: (object) => this.#options.registry.slim(kind, object),
      onList: (items, version) => this.#onList(kind, items, version),
      onEvent: (type, object) =>
        type === 'DELETED' ? this.#onDeleted(kind, object) : this.#onChanged(kind, type, object),
    };
    return held as ListWatchHandler<WatchedKind> as ListWatchHandler<K>;
  }

  #onChanged<K extends HeldKind>(kind: K, type: 'ADDED' | 'MODIFIED', object: Kinds[K]): Promise<void> {
    const change = this.#options.registry.set(kind, object);
    if (change === undefined) return Promise.resolve();
    this.#tell(type, change, object);
    const { uid = '', resourceVersion: version = '' } = object.metadata;
    const cause = { uid, resourceVersion: version };
    // A new object is always looked at once: its user is to be told why it waits, which no write would bring about.
    const isNew = type === 'ADDED' && change.before?.metadata.uid !== uid;
    const own: Trigger = isNew
      ? { version, reason: 'added', force: true, urgent: true }
      : { version, reason: type === 'ADDED' ? 'added' : 'modified', ...(isAskedAnew(change) && { force: true }) };
    // So is a claim that names a new volume and cannot have it, or whose class is there now and binds later.
    const isNews = isNew && kind !== 'PersistentVolumeClaim';
    const others: Trigger = { version, cause, ...(isNew && { urgent: true }), ...(isNews && { force: true }) };
    return all([this.#replaced(change, version), ...this.#lookAround(change, own, others)]);
  }

  #onDeleted<K extends HeldKind>(kind: K, object: Kinds[K]): Promise<void> {
    const held = this.#options.registry.delete(kind, object);
    if (held !== undefined) this.#tell('DELETED', held, object);
    const change = held ?? { kind, before: object };
    return all(this.#deleted(change, object.metadata.resourceVersion ?? ''));
  }

  #onList<K extends HeldKind>(kind: K, items: Kinds[K][], version: string): Promise<void> {
    const changes = this.#options.registry.replace(kind, items);
    const isFirst = !this.isReady;
    this.#listVersions.set(kind, version);
    const listVersion = [...this.#listVersions.values()].join(',');
    const works = changes.flatMap((change): Work[] => {
      if (change.after === undefined) return this.#deleted(change, version);
      const trigger = { version, listVersion };
      return isFirst
        ? [this.#replaced(change, version)]
        : [this.#replaced(change, version), ...this.#lookAround(change, trigger, trigger)];
    });
    if (isFirst && this.isReady) {
      this.#ready.resolve();
      const newest = [...this.#listVersions.values()].reduce((a, b) => (isNewer(a, b) ? a : b));
      this.#firstLook.resolve(this.#lookAtAll(SYNCED_KINDS, { version: newest, listVersion }));
    } else if (!isFirst && kind !== 'StorageClass') {
      works.push(this.#lookAtAll([kind as 'PersistentVolume' | 'PersistentVolumeClaim'], { version, listVersion }));
    }
    return all(isFirst ? [...works, this.#firstLook.promise] : works);
  }

  /** Only what was held before: of anything else nobody knows what changed. */
  #tell(type: SeenChange['type'], { kind, before }: Change, object: Kinds[HeldKind]): void {
    const { changed, registry, clock } = this.#options;
    if (changed === undefined || kind === 'StorageClass' || before === undefined) return;
    const after = object as Paired;
    const uid =
      kind === 'PersistentVolume' ? after.metadata.uid : volumeUidOfClaim(registry, after as PersistentVolumeClaim);
    changed({ type, kind, before: before as Paired, after, at: clock.now() }, uid);
  }

  #onPod(pod: Pod): Promise<void> {
    const name = this.#options.volumeOfPod(pod);
    if (name === undefined) return Promise.resolve();
    if (!this.isReady) return this.#firstLook.promise;
    const { uid = '', resourceVersion = '' } = pod.metadata;
    const trigger: Trigger = { version: resourceVersion, cause: { uid, resourceVersion }, force: true, urgent: true };
    return all([this.#options.echo.look({ kind: 'PersistentVolume', name }, trigger)]);
  }

  /** A pod may have finished, or gone, while nobody watched. */
  #onPods(version: string): Promise<void> {
    if (!this.isReady) return this.#firstLook.promise;
    const trigger = { version, listVersion: version };
    return all(recyclingVolumes(this.#options.registry).map((key) => this.#options.echo.look(key, trigger)));
  }

  /** An object of the same name and another uid: the old one's deletion was missed. */
  #replaced({ kind, before, after }: Change, version: string): Work {
    if (before === undefined || after === undefined || before.metadata.uid === after.metadata.uid) return undefined;
    return all(this.#deleted({ kind, before }, version));
  }

  #deleted(change: Change, version: string): Work[] {
    const { kind, before } = change;
    if (before === undefined) return [];
    if (kind === 'StorageClass') {
      const { uid = '' } = before.metadata;
      // Its claims are told that they now wait for a class.
      const trigger = { version, cause: { uid, resourceVersion: version }, force: true };
      return this.#lookAround(change, trigger, trigger);
    }
    const trigger = deletionOf(before as Paired, version);
    this.#options.evaluator.forget(kind, before as Paired);
    if (this.#holdsVolumeOf(kind, before as Paired)) {
      // All that a claim's delete handler does is to send the volume, needed or not (BEHAVIOUR 2.2): so the bridge does.
      const handled: Trigger = { ...trigger, force: true, urgent: true };
      return this.#lookAround(change, handled, handled);
    }
    return [this.#options.evaluator.sendDeleted(kind, before as Paired), ...this.#lookAround(change, trigger, trigger)];
  }

  /** Whether this is a claim, and the volume that it names is there to be looked at. */
  #holdsVolumeOf(kind: WatchedKind, object: Paired): boolean {
    if (kind !== 'PersistentVolumeClaim' || !this.isReady) return false;
    const { volumeName } = (object as PersistentVolumeClaim).spec;
    return !!volumeName && this.#options.registry.volume(volumeName) !== undefined;
  }

  #lookAround(change: Change, own: Trigger, others: Trigger): Work[] {
    const { registry, echo, wake } = this.#options;
    if (!this.isReady) return [this.#firstLook.promise];
    if (change.kind === 'StorageClass') {
      // No sync writes a class, so this is nobody's echo.
      const trigger = { ...others, urgent: true };
      return claimsOfClass(registry, change as Change<'StorageClass'>).map((key) => echo.look(key, trigger));
    }
    const looks = keysOf(registry, change).map((key) => echo.look(key, key.kind === change.kind ? own : others));
    const woken =
      change.kind === 'PersistentVolume'
        ? wake.volumeChanged(change as Change<'PersistentVolume'>)
        : wake.claimChanged(change as Change<'PersistentVolumeClaim'>);
    return [...looks, ...woken];
  }

  async #lookAtAll(kinds: readonly ('PersistentVolume' | 'PersistentVolumeClaim')[], trigger: Trigger): Promise<void> {
    this.#looks++;
    try {
      await pass(this.#options, kinds, (kind, object) => this.#options.echo.look(syncKeyOf(kind, object), trigger));
    } finally {
      this.#looks--;
    }
  }
}

function volumeUidOfClaim(registry: Registry, { spec }: PersistentVolumeClaim): string | undefined {
  return spec.volumeName ? registry.volume(spec.volumeName)?.metadata.uid : undefined;
}

function all(works: readonly Work[]): Promise<void> {
  const pending = works.filter((work) => work !== undefined);
  if (pending.length === 0) return Promise.resolve();
  return pending.length === 1 && pending[0] !== undefined ? pending[0] : Promise.all(pending).then(() => {});
}
