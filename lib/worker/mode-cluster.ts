/**
 * The cluster of one sync where objects have modes of their own (DESIGN D9): each write asks for the mode of its object.
 * In enforce it is made; in assist, if the object has been unsettled for the grace time and the write only finishes what is
 * half done (assist.ts); else it is recorded. What comes after a recorded write rests on it, and so is recorded too.
 */
import { isDeepStrictEqual } from 'node:util';
import { type RecordedWrite, RecordingCluster } from '../cluster/recording.ts';
import { storageClassOf } from '../controller/annotations.ts';
import { ConflictError } from '../controller/errors.ts';
import { annealClaim, annealVolume, type MigrationTable } from '../controller/migration.ts';
import type { Cluster, ObjectEvent } from '../controller/ports.ts';
import type { Kind, Kinds, ObjectKey, PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import { type Assisted, assistClaimHalf, assistClaimPhase, assistVolumeHalf, assistVolumePhase } from './assist.ts';
import type { ClassModes } from './class-modes.ts';
import { MODE_ANNOTATION, type Mode, type ModeRules, modeFor } from './mode.ts';
import { type Held, isHeld, isSynced, isVolume, ReadObjects } from './read-objects.ts';
import { unsettledSince } from './unsettled-since.ts';

/** What decides about a sync's writes, besides the objects. */
export interface ModeClusterOptions {
  readonly modes: ModeRules;
  readonly classes: ClassModes;
  readonly migration: MigrationTable;
  readonly graceMs: number;
  /** When the news that the key came with was first received, in milliseconds since the epoch; undefined: unknown. */
  readonly noticedAt: number | undefined;
  /** Told of an annotation that is no mode. */
  readonly onUnknownMode?: (value: string) => void;
  /** Told why a write was left to others. */
  readonly note?: (observation: string) => void;
}

type Replacing = 'update' | 'updateStatus';

/** See the head of this file. It knows what one sync has read, so it is made for each sync. */
export class ModeCluster implements Cluster {
  readonly #behind: Cluster;
  readonly #options: ModeClusterOptions;
  readonly #recording: RecordingCluster;
  #isRecording = false;
  readonly #objects: ReadObjects;
  /** Given to the sync, and not what the API server has. */
  readonly #imagined = new WeakSet<object>();
  readonly #ofClass = new Map<string, string | undefined>();
  #waitMs = 0;

  /** @param behind where allowed writes go. */
  constructor(behind: Cluster, options: ModeClusterOptions) {
    this.#behind = behind;
    this.#options = options;
    this.#recording = new RecordingCluster(behind);
    this.#objects = new ReadObjects(this);
  }

  /** What was not written, in order. */
  get recorded(): readonly RecordedWrite[] {
    return this.#recording.recorded;
  }

  /** Milliseconds until assist may look again, because the grace time was not over; 0: it need not. */
  get waitMs(): number {
    return this.#waitMs;
  }

  /** Whether the API server has this very object, so that it may be remembered by others. */
  isReal(object: object): boolean {
    return !this.#imagined.has(object);
  }

  /**
   * Whether this sync may do everything about an object. A write without one, such as that of a pod, is about the key's own.
   * @throws ClusterError when nobody knows.
   */
  async isEnforced(object: Held | undefined = this.#objects.first): Promise<boolean> {
    if (this.#isRecording) return false;
    const mode = object === undefined ? this.#options.modes.mode : await this.#modeOf(object);
    return mode === 'enforce';
  }

  async get<K extends Kind>(kind: K, key: ObjectKey): Promise<Kinds[K] | undefined> {
    const read = await (this.#isRecording ? this.#recording : this.#behind).get(kind, key);
    if (kind === 'StorageClass') this.#options.classes.learn(key.name, read as Kinds['StorageClass'] | undefined);
    if (isSynced(kind) && read !== undefined && this.isReal(read)) this.#objects.read(kind, read as Held);
    return read;
  }

  list<K extends Kind>(kind: K, options?: { namespace?: string; fieldSelector?: string }): Promise<Kinds[K][]> {
    return this.#behind.list(kind, options);
  }

  async create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    const isAllowed = await this.isEnforced(isHeld(kind, object) ? object : undefined);
    return isAllowed ? await this.#behind.create(kind, object) : await this.#record('create', kind, object);
  }

  async delete<K extends Kind>(kind: K, object: Kinds[K]): Promise<void> {
    if (await this.isEnforced(isHeld(kind, object) ? object : undefined)) {
      await this.#behind.delete(kind, object);
    } else {
      this.#isRecording = true;
      await this.#recording.delete(kind, object);
    }
  }

  update<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#replace('update', kind, object);
  }

  updateStatus<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#replace('updateStatus', kind, object);
  }

  /** Only enforce speaks: in assist the other controller tells users of everything already. */
  async event(event: ObjectEvent): Promise<void> {
    const isAllowed = await this.isEnforced(event.object).catch(() => false);
    await (isAllowed ? this.#behind : this.#recording).event(event);
  }

  async #replace<K extends Kind>(verb: Replacing, kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    if (this.#isRecording || !isSynced(kind)) return await this.#record(verb, kind, object);
    const mode = await this.#modeOf(object as Held);
    if (mode === 'observe') return await this.#record(verb, kind, object);
    if (mode === 'assist') return (await this.#assist(verb, kind, object as Held)) as Kinds[K];
    const written = await this.#behind[verb](kind, object);
    this.#objects.wrote(kind, written as Held);
    return written;
  }

  async #assist(verb: Replacing, kind: SyncKey['kind'], wanted: Held): Promise<Held> {
    const stored = await this.#objects.before(kind, wanted);
    if (stored !== undefined && verb === 'update' && isDeepStrictEqual(this.#annealed(stored), wanted)) {
      // Left out, and taken for done: the phase and the bind do not depend on it.
      this.#note(wanted, 'its migration annotations and finalizers are not its business');
      this.#recording.recorded.push({ verb, kind, object: wanted });
      this.#imagined.add(wanted);
      this.#waitMs = Math.max(0, this.#leftMs());
      return wanted;
    }
    const partner = await this.#objects.partnerOf(wanted);
    const waitMs = this.#leftMs();
    if (waitMs > 0) return await this.#leaveFor(waitMs, verb, kind, wanted);
    const assisted: Assisted<Held> =
      stored === undefined ? { leave: 'it is gone' } : assistOf(verb, stored, wanted, partner);
    if ('leave' in assisted) {
      this.#note(wanted, assisted.leave);
      return await this.#record(verb, kind, wanted);
    }
    let written: Held;
    try {
      written = (await this.#behind[verb](kind, assisted.write)) as Held;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // Somebody works on it at this very moment.
      return await this.#leaveFor(this.#options.graceMs, verb, kind, wanted);
    }
    this.#objects.wrote(kind, written);
    const annealed = this.#annealed(written);
    if (annealed !== written) this.#imagined.add(annealed);
    return annealed;
  }

  async #leaveFor(waitMs: number, verb: Replacing, kind: SyncKey['kind'], wanted: Held): Promise<Held> {
    this.#waitMs = waitMs;
    this.#note(wanted, `others have ${Math.ceil(waitMs / 1_000)} s more to settle it`);
    return await this.#record(verb, kind, wanted);
  }

  async #record<K extends Kind>(verb: 'create' | Replacing, kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    this.#isRecording = true;
    this.#imagined.add(object);
    return await this.#recording[verb](kind, object);
  }

  /** What is left of the grace time, in milliseconds; all that this sync has read counts. */
  #leftMs(): number {
    const { graceMs, noticedAt } = this.#options;
    return graceMs - Math.max(0, Date.now() - unsettledSince(this.#objects.found, noticedAt));
  }

  /** @throws ClusterError when the volume that a claim names, or the class' annotation, cannot be read. */
  async #modeOf(object: Held): Promise<Mode> {
    const { modes, onUnknownMode } = this.#options;
    // A claim's annotations are corrected before its sync reads the volume.
    if (!isVolume(object)) await this.#objects.partnerOf(object);
    const own = this.#objects.volumeOf(object)?.metadata.annotations?.[MODE_ANNOTATION];
    const ofClass = own === undefined ? await this.#annotationOf(storageClassOf(object)) : undefined;
    const { mode, unknown } = modeFor(modes, own, ofClass);
    if (unknown !== undefined) onUnknownMode?.(unknown);
    return mode;
  }

  /** The same for the whole of a sync: storage that was made is also written down. */
  async #annotationOf(className: string): Promise<string | undefined> {
    if (!this.#ofClass.has(className)) {
      this.#ofClass.set(className, await this.#options.classes.annotationOf(className, this.#behind));
    }
    return this.#ofClass.get(className);
  }

  #annealed(object: Held): Held {
    const { migration } = this.#options;
    return isVolume(object) ? annealVolume(object, migration) : annealClaim(object, migration);
  }

  #note({ metadata }: Held, why: string): void {
    this.#options.note?.(`assist leaves ${metadata.name} alone: ${why}`);
  }
}

function assistOf(verb: Replacing, stored: Held, wanted: Held, partner: Held | undefined): Assisted<Held> {
  if (isVolume(stored)) {
    const [volume, claim] = [wanted as PersistentVolume, partner as PersistentVolumeClaim | undefined];
    return verb === 'updateStatus' ? assistVolumePhase(stored, volume) : assistVolumeHalf(stored, volume, claim);
  }
  const [claim, volume] = [wanted as PersistentVolumeClaim, partner as PersistentVolume | undefined];
  return verb === 'updateStatus' ? assistClaimPhase(stored, claim, volume) : assistClaimHalf(stored, claim, volume);
}
