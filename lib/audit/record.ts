/**
 * One record of the audit trail: a phase or a binding that changed, who changed it and why. Its form is version 1 and
 * is described by schema.ts; fields may be added to a version, none is taken away or changes its meaning.
 */
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { Transition } from '../worker/transition.ts';
import { type Who, writerOf } from './writer.ts';

/** See schema.ts for what each field means. What is not known is left out. */
export interface AuditRecord {
  readonly v: 1;
  readonly time: string;
  readonly kind: SyncKey['kind'];
  readonly name: string;
  readonly uid?: string;
  readonly volumeUid?: string;
  readonly of: Transition['of'];
  readonly from: string;
  readonly to: string;
  readonly who: Who;
  readonly manager?: string;
  readonly how: 'made' | 'seen';
  readonly reason?: string;
  readonly versions?: { readonly before?: string; readonly after?: string };
  readonly cause?: AuditCause;
  readonly latencyMs?: number;
}

/** What made the sync look at its key. */
export interface AuditCause {
  readonly reason?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly messages?: readonly string[];
}

/** Takes the records, each with the key whose sync made it, if one did. It must not throw, nor wait. */
export type AuditSink = (record: AuditRecord, key?: SyncKey) => void;

/** An object before and after a write; `before` is undefined where the writer had not seen it. */
export interface Written {
  readonly before: PersistentVolume | PersistentVolumeClaim | undefined;
  readonly after: PersistentVolume | PersistentVolumeClaim;
}

/** What users wrote, such as `spec.volumeName`, has no limit that a server keeps. */
const MAX_TEXT = 1_000;

/** A text that is fit for a log line. */
export function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** What is known of a change besides itself. */
export interface Circumstances {
  /** Milliseconds since the epoch: when the server's answer came, or the event. */
  readonly at: number;
  readonly written?: Written;
  readonly volumeUid?: string;
  readonly reason?: string;
  readonly cause?: AuditCause;
  /** Milliseconds since the epoch. */
  readonly causedAt?: number;
}

/** A change that this controller has written. */
export function madeRecord(transition: Transition, circumstances: Circumstances): AuditRecord {
  const { at, causedAt } = circumstances;
  return {
    ...recordOf(transition, circumstances),
    who: 'us',
    how: 'made',
    ...(causedAt !== undefined && { latencyMs: Math.max(0, Math.round(at - causedAt)) }),
  };
}

/** A change that a watch told of. Who deleted an object is not known: no server keeps it. */
export function seenRecord(transition: Transition, circumstances: Circumstances & { written: Written }): AuditRecord {
  const { before, after } = circumstances.written;
  const isGone = transition.to === 'deleted';
  const {
    who,
    manager,
    at: writtenAt,
  } = isGone
    ? { who: 'unknown' as const }
    : { at: undefined, ...writerOf(before, after, transition.kind, transition.of) };
  const latencyMs = writtenAt === undefined ? Number.NaN : circumstances.at - Date.parse(writtenAt);
  return {
    ...recordOf(transition, circumstances),
    who,
    ...(manager !== undefined && { manager: shortened(manager) }),
    how: 'seen',
    ...(Number.isFinite(latencyMs) && { latencyMs: Math.max(0, latencyMs) }),
  };
}

function recordOf({ kind, name, of, from, to }: Transition, circumstances: Circumstances) {
  const { at, written, reason, cause } = circumstances;
  const uid = written?.after.metadata.uid;
  const volumeUid = circumstances.volumeUid ?? (kind === 'PersistentVolume' ? uid : undefined);
  const before = written?.before?.metadata.resourceVersion;
  const after = written?.after.metadata.resourceVersion;
  const versions = { ...(before && { before }), ...(after && { after }) };
  return {
    v: 1,
    time: new Date(at).toISOString(),
    kind,
    name,
    ...(uid && { uid }),
    ...(volumeUid && { volumeUid }),
    of,
    from: shortened(from),
    to: shortened(to),
    ...(reason !== undefined && { reason: shortened(reason) }),
    ...(Object.keys(versions).length > 0 && { versions }),
    ...(cause !== undefined && { cause }),
  } as const;
}
