/** What a field report is here: how it comes to it, what is to be told, and what heals it. */
import type { Cause } from '../../../lib/diagnosis/cause.ts';
import type { Subject } from '../../../lib/diagnosis/finding.ts';
import type { Place } from '../place.ts';

export interface FieldReport {
  /** Its number among the field reports, and what people saw. */
  readonly title: string;
  readonly subject: Subject;
  readonly happens: (place: Place) => Promise<void> | void;
  readonly cause: Cause;
  /** Somewhere among the reasons and candidates. */
  readonly says: RegExp;
  /** The cure to run, by what it does; left out where waiting is right. */
  readonly cure?: RegExp;
  /** It must say what it destroys, exactly when it does. */
  readonly isDangerous?: true;
  /** Words of a command that only the user knows. */
  readonly fillIn?: readonly [placeholder: string, value: string];
  /** Why a real API server does not let it come to this. */
  readonly impossible?: string;
  /** What is so afterwards, and was not before. */
  readonly healed?: (place: Place) => unknown;
  readonly is?: unknown;
}

/** The volume of that name. */
export function volumeOf(name: string): Subject {
  return { kind: 'PersistentVolume', name };
}

/** The claim of that name in namespace `default`. */
export function claimOf(name: string): Subject {
  return { kind: 'PersistentVolumeClaim', namespace: 'default', name };
}
