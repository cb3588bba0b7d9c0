/**
 * Two writers that undo each other on one field would go on for ever (DESIGN D9): this one notices and stops. It
 * remembers how it left each field, and what it changed there; a change that it has to make again, though it had left
 * the field otherwise, was undone.
 */
import { isDeepStrictEqual } from 'node:util';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';

type Held = PersistentVolume | PersistentVolumeClaim;

/** A field that somebody else keeps changing back. The key is done: writing once more would only go on with it. */
export class FlipError extends Error {
  override readonly name = 'FlipError';
}

/** From when on it is one. */
export interface FlipSettings {
  /** One change of one field was undone this often within the window: it is not made again. */
  readonly limit: number;
  /** Milliseconds; what is longer ago is forgiven, so that the field is tried again. */
  readonly windowMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const DEFAULTS: FlipSettings = { limit: 3, windowMs: 10 * 60_000, now: Date.now };
/** Fields that are remembered at most; the one that was written the longest ago is forgotten first. */
const MAX_FIELDS = 10_000;

/** Changes of one field that are remembered at most: more steps than any way from one phase to the next has. */
const MAX_CHANGES = 8;

/** From one value to another. */
type Change = readonly [from: unknown, to: unknown];

/** A change that was made, and the times at which it had to be made again. */
interface Made {
  readonly change: Change;
  readonly undoneAt: readonly number[];
}

interface Memory {
  readonly writtenAt: number;
  /** The value that the field was left with. */
  readonly left: unknown;
  /** The last one comes last. */
  readonly made: readonly Made[];
}

/**
 * One per environment, so that with n environments up to n times as many writes happen before all of them have stopped.
 *
 * @example
 * flips.check('PersistentVolume', before, after);
 * flips.wrote('PersistentVolume', before, await cluster.updateStatus('PersistentVolume', after));
 */
export class FlipDetector {
  readonly #settings: FlipSettings;
  readonly #memories = new Map<string, Memory>();

  constructor(settings: Partial<FlipSettings> = {}) {
    this.#settings = { ...DEFAULTS, ...settings };
  }

  /**
   * To be asked before a write.
   * @param before as it was read, `after` as it is to be.
   * @throws FlipError when one of the changed fields has been undone too often.
   */
  check(kind: SyncKey['kind'], before: Held, after: Held): void {
    const { limit, windowMs } = this.#settings;
    for (const [field, change] of changesOf(before, after)) {
      const undone = this.#undone(after, field, change).length;
      if (undone < limit) continue;
      const { namespace, name } = after.metadata;
      const object = namespace === undefined ? name : `${namespace}/${name}`;
      throw new FlipError(
        `${kind} ${object}: somebody else has undone ${field} ${undone} times in ${windowMs / 60_000} minutes; ` +
          'it is left as it is for now',
      );
    }
  }

  /** To be told after a write that succeeded. */
  wrote(before: Held, after: Held): void {
    const { now: clock, windowMs } = this.#settings;
    const now = clock();
    for (const [field, change] of changesOf(before, after)) {
      const key = keyOf(after, field);
      const { left, made = [] } = this.#memories.get(key) ?? {};
      const isAgain = made.some((each) => isDeepStrictEqual(each.change, change));
      const wasUndone = isAgain && !isDeepStrictEqual(left, change[0]);
      const undoneAt = [...this.#undone(after, field, change), ...(wasUndone ? [now] : [])];
      const others = made.filter((each) => !isDeepStrictEqual(each.change, change)).slice(1 - MAX_CHANGES);
      this.#memories.delete(key);
      this.#memories.set(key, { writtenAt: now, left: change[1], made: [...others, { change, undoneAt }] });
    }
    // The oldest come first. Without this the fields of objects that are long gone would fill the memory.
    for (const [key, { writtenAt }] of this.#memories) {
      if (this.#memories.size <= MAX_FIELDS && writtenAt >= now - windowMs) break;
      this.#memories.delete(key);
    }
  }

  /** How many fields are remembered. */
  get size(): number {
    return this.#memories.size;
  }

  /** When this change had to be made again, within the window. */
  #undone(object: Held, field: string, change: Change): readonly number[] {
    const made = this.#memories.get(keyOf(object, field))?.made ?? [];
    const undoneAt = made.find((each) => isDeepStrictEqual(each.change, change))?.undoneAt ?? [];
    const since = this.#settings.now() - this.#settings.windowMs;
    return undoneAt.filter((at) => at > since);
  }
}

/** By uid: an object that was made again under its name starts anew. */
function keyOf({ metadata: { uid, name } }: Held, field: string): string {
  return `${uid ?? name} ${field}`;
}

/** The fields that this controller writes, where they differ. */
function changesOf(before: Held, after: Held): [field: string, change: Change][] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field): [string, Change] => [field, [old.get(field), now.get(field)]])
    .filter(([, [from, to]]) => !isDeepStrictEqual(from, to));
}

function fieldsOf({ metadata, spec, status }: Held): Map<string, unknown> {
  const { claimRef, volumeName, storageClassName } = spec as PersistentVolume['spec'] & PersistentVolumeClaim['spec'];
  return new Map<string, unknown>([
    // With the claim: a volume that is recycled again and again goes through the same phases for another one each time.
    ['status.phase', [status?.phase, claimRef?.uid]],
    // Not its resourceVersion, which is another one at each attempt.
    ['spec.claimRef', claimRef && [claimRef.namespace, claimRef.name, claimRef.uid]],
    ['spec.volumeName', volumeName],
    ['spec.storageClassName', storageClassName],
    ['metadata.finalizers', metadata.finalizers],
    ...Object.entries(metadata.annotations ?? {}).map(
      ([key, value]) => [`metadata.annotations.${key}`, value] as const,
    ),
  ]);
}
