/** What a diagnosis says of one volume or claim, and what it reads: the contract of `explain` and `doctor`. */
import type { VolumePlugin } from '../controller/plugins.ts';
import type { Cluster, SyncRules } from '../controller/ports.ts';
import type { Kinds, ObjectKey, ObjectMeta, SyncKey } from '../controller/types.ts';
import type { VolumeIndex } from '../controller/volume-index.ts';
import type { Cause } from './cause.ts';

/** The object that is asked about. */
export type Subject = SyncKey;

/** How bad it is: nothing to do, waiting for something that is expected, stuck until somebody acts, contradictory. */
export type Severity = 'ok' | 'waiting' | 'stuck' | 'broken';

/** Who has to act next. */
export type Actor = 'nobody' | 'controller' | 'user' | 'provisioner' | 'scheduler' | 'attacher' | 'driver' | 'kubelet';

/** A command that moves the object on. */
export interface Cure {
  /** What it achieves, as an imperative. */
  readonly does: string;
  /** Complete, to be pasted into a POSIX shell. */
  readonly command: string;
  /** Data or access is lost by it; the reason. Left out: nothing is lost. */
  readonly danger?: string;
}

/** A volume that a Pending claim could have, and the first rule that keeps it from being chosen. */
export interface CandidateVerdict {
  readonly volume: string;
  readonly rule: string;
  /** By how much: `needs 8Gi, has 5Gi`. */
  readonly detail: string;
}

/** One object, explained. */
export interface Finding {
  readonly subject: Subject;
  readonly uid: string | undefined;
  /** As a user sees it: the phase, or `Terminating`, or `Missing`. */
  readonly state: string;
  readonly severity: Severity;
  readonly cause: Cause;
  /** Whole sentences, the most important first. */
  readonly why: readonly string[];
  /** What the controller's next sync would write, or `nothing`. */
  readonly next: string;
  readonly actor: Actor;
  readonly cures: readonly Cure[];
  readonly candidates: readonly CandidateVerdict[];
  /** Since when it has been so, RFC 3339, as far as the objects tell. */
  readonly since: string | undefined;
}

/** Kinds that only a diagnosis reads. */
export interface DiagnosisKinds extends Kinds {
  VolumeAttachment: VolumeAttachment;
  CSIDriver: { metadata: ObjectMeta };
}

export interface VolumeAttachment {
  metadata: ObjectMeta;
  spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
  status?: { attached?: boolean; detachError?: { message?: string; time?: string } };
}

/** Reads only. Whoever has a snapshot answers from it; otherwise quorum reads. */
export interface DiagnosisReader {
  get<K extends keyof DiagnosisKinds>(kind: K, key: ObjectKey): Promise<DiagnosisKinds[K] | undefined>;
  list<K extends keyof DiagnosisKinds>(
    kind: K,
    options?: { namespace?: string; fieldSelector?: string },
  ): Promise<DiagnosisKinds[K][]>;
}

/** The controller's rules and plugins, as a diagnosis runs its syncs. */
export interface DiagnosisRules extends Omit<SyncRules, 'plugins'> {
  /** Never touched but through a dry copy that acts on nothing. */
  readonly plugins: (cluster: Cluster) => readonly VolumePlugin[];
}

export interface DiagnosisOptions {
  /** Milliseconds since the epoch: what is old is told from it. */
  readonly now: number;
  /** All volumes, indexed once for many diagnoses of one snapshot. Left out: listed. */
  readonly volumes?: VolumeIndex;
  /** Candidates that a finding names at most; 0 saves looking at all volumes. Default 20. */
  readonly maxCandidates?: number;
  /** Those of the controller in question. Default: those of Kubernetes 1.34 and later with the in-tree plugins. */
  readonly rules?: Partial<DiagnosisRules>;
}
