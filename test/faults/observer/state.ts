/** One state of an object, as it was stored, and who wrote it: what the invariants are checked on. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/controller/types.ts';

export type Stored<T> = T & { readonly metadata: { readonly uid: string; readonly resourceVersion: string } };
export type Volume = Stored<PersistentVolume>;
export type Claim = Stored<PersistentVolumeClaim>;

interface Change<K extends string, T> {
  readonly kind: K;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Revision of the store: volumes and claims have one order. */
  readonly at: number;
  readonly object: T;
  /** The state before; undefined of a new object. */
  readonly before: T | undefined;
  /** Whether a function of ours asked for it. */
  readonly isOurs: boolean;
}

export type State = Change<'volume', Volume> | Change<'claim', Claim>;

/** Something that must never happen. */
export interface Violation {
  readonly invariant: 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6';
  readonly what: string;
}

/** All claims as they were at one moment, by uid. */
export type Claims = ReadonlyMap<string, Claim>;
