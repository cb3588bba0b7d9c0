/**
 * Two writers that undo each other on one field would go on for ever (DESIGN D9): this one notices and stops. It
 * remembers what it changed; a change that it has to make again, with no other of its own in between, was undone.
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
/** Fields that are remembered; the one that was written the longest ago is forgotten first. */
const MAX_FIELDS = 10_000;

/** From one value to another. */
type Change = readonly [from: unknown, to: unknown];

/** What was changed last in a field, and the times at which that had to be done again. */
interface Memory {
  readonly change: Change;
  readonly undoneAt: readonly number[];
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
    const now = this.#settings.now();
    for (const [field, change] of changesOf(before, after)) {
      const key = keyOf(after, field);
      const isAgain = isDeepStrictEqual(this.#memories.get(key)?.change, change);
      const undoneAt = isAgain ? [...this.#undone(after, field, change), now] : [];
      this.#memories.delete(key);
      this.#memories.set(key, { change, undoneAt });
    }
    for (const key of this.#memories.keys()) {
      if (this.#memories.size <= MAX_FIELDS) break;
      this.#memories.delete(key);
    }
  }

  /** When this change had to be made again, within the window. */
  #undone(object: Held, field: string, change: Change): readonly number[] {
    const memory = this.#memories.get(keyOf(object, field));
    if (memory === undefined || !isDeepStrictEqual(memory.change, change)) return [];
    const since = this.#settings.now() - this.#settings.windowMs;
    return memory.undoneAt.filter((at) => at > since);
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
