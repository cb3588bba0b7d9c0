/** What a write changed of a volume or a claim, in the two things that people follow: its phase and its binding. */
import type { Kind, Kinds, PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';

/** One change that was written. */
export interface Transition {
  readonly kind: SyncKey['kind'];
  /** A volume's name, or a claim's `namespace/name`. */
  readonly name: string;
  readonly of: 'phase' | 'binding';
  /** A phase, or the name of the other half; `none` when there was none. */
  readonly from: string;
  /** Likewise; the phase of an object that is gone is `deleted`. */
  readonly to: string;
}

/** The verbs of the cluster port that write. */
export type WriteVerb = 'create' | 'update' | 'updateStatus' | 'delete';

const NONE = 'none';

/**
 * @param before the object as this sync last saw it. Not seen: an update is then that of a free volume, chosen from the
 *   pool, and the phase before it is `unknown`.
 * @param after as stored; of a delete, as it was.
 */
export function transitionsOf(
  verb: WriteVerb,
  kind: Kind,
  before: Kinds[Kind] | undefined,
  after: Kinds[Kind],
): Transition[] {
  if (kind !== 'PersistentVolume' && kind !== 'PersistentVolumeClaim') return [];
  const [known, now] = [before as Paired | undefined, after as Paired];
  const { namespace, name } = now.metadata;
  const change = (of: Transition['of'], from: string, to: string): Transition[] =>
    from === to ? [] : [{ kind, name: namespace === undefined ? name : `${namespace}/${name}`, of, from, to }];
  const binding = () => change('binding', known === undefined ? NONE : partnerOf(kind, known), partnerOf(kind, now));
  switch (verb) {
    case 'create':
      return [...binding(), ...change('phase', NONE, phaseOf(now))];
    case 'update':
      return binding();
    case 'updateStatus':
      return change('phase', known === undefined ? 'unknown' : phaseOf(known), phaseOf(now));
    case 'delete':
      return change('phase', phaseOf(now), 'deleted');
  }
}

type Paired = PersistentVolume | PersistentVolumeClaim;

function phaseOf({ status }: Paired): string {
  return status?.phase || NONE;
}

/** A claimRef without a uid is a reservation: nobody is bound yet. */
function partnerOf(kind: Kind, object: Paired): string {
  if (kind === 'PersistentVolumeClaim') return (object as PersistentVolumeClaim).spec.volumeName || NONE;
  const { claimRef } = (object as PersistentVolume).spec;
  return claimRef?.uid ? `${claimRef.namespace}/${claimRef.name}` : NONE;
}
