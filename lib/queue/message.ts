/**
 * The message of both queues, version 1 (DESIGN D2): which key to look at and why, never state to act on.
 * The one exception is `deleted`: what the delete handler needs of an object that nobody can read any more.
 */
import * as z from 'zod/mini';
import { isNamespaceName, isObjectName } from '../controller/names.ts';
import type { SyncKey } from '../controller/types.ts';

/** Bytes of the largest body that is read. Our own are below 3 KiB; a queue takes up to 1 MiB from anybody. */
const MAX_BODY_BYTES = 256 * 1024;
const MAX_SHOWN = 100;

/** Why a key is to be looked at. For people and metrics only: the sync itself reads the object and decides by that. */
export type Reason = 'added' | 'modified' | 'deleted' | 'resync' | 'enqueued' | 'redrive';

/** A message after it was checked. `uid` and `resourceVersion` are of the object as the sender saw it. */
export interface SyncMessage {
  readonly v: 1;
  readonly kind: SyncKey['kind'];
  /** Claims only. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly reason: Reason;
  /** For a claim: the volume to try first. It adds a candidate and decides nothing. */
  readonly hint?: { readonly volumeName: string };
  /** The object's last known state, present when it is gone. */
  readonly deleted?: DeletedObject;
}

/** What a deleted object was bound to; references that cannot exist are dropped when a message is read. */
export interface DeletedObject {
  /** Of a volume: the claim that it was bound or reserved to. */
  readonly claimRef?: { readonly namespace: string; readonly name: string; readonly uid?: string };
  /** Of a claim: the volume that it was bound or reserved to. */
  readonly volumeName?: string;
  /** RFC 3339. */
  readonly deletionTimestamp?: string;
}

/** A message that no retry can heal. Its place is the dead-letter queue, never the front of its group. */
export class BadMessageError extends Error {
  override readonly name = 'BadMessageError';
  /** The path of the field that is wrong, such as `deleted.claimRef.uid`; `body` when it is the whole of it. */
  readonly field: string;
  /** What was found there, as JSON, cut to about 100 characters. */
  readonly value: string;

  constructor(field: string, value: unknown, why: string, cause?: unknown) {
    const shown = show(value);
    super(`bad message: ${field} ${why}, got ${shown}`, cause === undefined ? undefined : { cause });
    this.field = field;
    this.value = shown;
  }
}

/** JSON, so that a line break in a body cannot forge a log line; cut before it is quoted, for bodies of a megabyte. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_SHOWN + 1)) : toJson(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested so deeply that writing it overflows the stack, which reading it did not.
    return typeof value;
  }
}

// Not zod's own checks of a length: they are made of whatever has one, and throw for one that is no number.
const text = (max: number) =>
  z.string('must be a string').check(
    z.refine((value) => value !== '', 'is empty'),
    z.refine((value) => value.length <= max, 'is too long'),
  );
const MAX_TOKEN = 253;
const token = text(MAX_TOKEN);

// Unknown keys are tolerated and dropped: bridge and worker are deployed one after the other, and a field that a newer
// bridge adds must not send every key to the dead-letter queue. What may not be ignored comes with another `v`.
const schema = z.object(
  {
    v: z.literal(1, 'must be 1'),
    kind: z.enum(['PersistentVolume', 'PersistentVolumeClaim'], 'must be PersistentVolume or PersistentVolumeClaim'),
    namespace: z.exactOptional(
      z.string('must be a string').check(z.refine(isNamespaceName, 'must be a DNS-1123 label of up to 63 characters')),
    ),
    name: z
      .string('must be a string')
      .check(z.refine(isObjectName, 'must be a DNS-1123 subdomain of up to 253 characters')),
    uid: z.exactOptional(token),
    resourceVersion: z.exactOptional(token),
    reason: z.enum(
      ['added', 'modified', 'deleted', 'resync', 'enqueued', 'redrive'],
      'must be one of added, modified, deleted, resync, enqueued, redrive',
    ),
    hint: z.exactOptional(z.object({ volumeName: z.string('must be a string') }, 'must be an object')),
    deleted: z.exactOptional(
      z.object(
        {
          claimRef: z.exactOptional(
            z.object(
              {
                namespace: z.string('must be a string'),
                name: z.string('must be a string'),
                uid: z.exactOptional(z.string('must be a string')),
              },
              'must be an object',
            ),
          ),
          volumeName: z.exactOptional(z.string('must be a string')),
          deletionTimestamp: z.exactOptional(text(64)),
        },
        'must be an object',
      ),
    ),
  },
  'must be a JSON object',
);

/**
 * Reads a message body.
 * @param expectedKind the kind of the queue; the other kind in it is refused, since its worker could not sync it.
 * @throws BadMessageError for anything that is no message of version 1.
 */
export function parseMessage(body: string, expectedKind?: SyncKey['kind']): SyncMessage {
  // Before JSON.parse: a body of a megabyte of nested arrays costs memory that a worker has not.
  if (body.length > MAX_BODY_BYTES || Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw new BadMessageError('body', body, `is over ${MAX_BODY_BYTES} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    throw new BadMessageError('body', body, 'is not JSON', error);
  }
  const message = check(value);
  if (expectedKind !== undefined && message.kind !== expectedKind) {
    throw new BadMessageError('kind', message.kind, `must be ${expectedKind} in this queue`);
  }
  return message;
}

/**
 * The body of a message; `parseMessage` of it gives the message back.
 * @throws BadMessageError for a message that the worker would refuse, so that it fails where it was made.
 */
export function formatMessage(message: SyncMessage): string {
  return JSON.stringify(check(message));
}

/** The key that a message is about. */
export function syncKey({ kind, namespace, name }: SyncKey): SyncKey {
  return namespace === undefined ? { kind, name } : { kind, namespace, name };
}

/** A key (or a message's) as one string: `PersistentVolume/<name>`, `PersistentVolumeClaim/<namespace>/<name>`. */
export function keyOf({ kind, namespace, name }: SyncKey): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

function check(value: unknown): SyncMessage {
  const result = z.safeParse(schema, value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const path = issue?.path ?? [];
    const found = path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], value);
    throw new BadMessageError(path.join('.') || 'body', found, issue?.message ?? 'is invalid');
  }
  const message = result.data;
  if (message.kind === 'PersistentVolume' && message.namespace !== undefined) {
    throw new BadMessageError('namespace', message.namespace, 'must be absent for a volume');
  } else if (message.kind === 'PersistentVolumeClaim' && message.namespace === undefined) {
    throw new BadMessageError('namespace', undefined, 'must be present for a claim');
  }
  return withoutImpossibleNames(message);
}

/**
 * Drops the references to objects that cannot exist. They come from fields that users write and the server does not
 * check, so an odd `spec.volumeName` must neither reach a URL nor turn the claim's own message into poison.
 */
function withoutImpossibleNames(message: SyncMessage): SyncMessage {
  const { hint, deleted, ...rest } = message;
  return {
    ...rest,
    ...(hint !== undefined && isObjectName(hint.volumeName) && { hint }),
    ...(deleted !== undefined && { deleted: possibleReferences(deleted) }),
  };
}

function possibleReferences({ claimRef, volumeName, deletionTimestamp }: DeletedObject): DeletedObject {
  const isPossible =
    claimRef !== undefined &&
    isNamespaceName(claimRef.namespace) &&
    isObjectName(claimRef.name) &&
    // Nobody checks a claimRef's uid: a long one would make a body that the worker refuses.
    (claimRef.uid ?? '').length <= MAX_TOKEN;
  return {
    ...(isPossible && { claimRef }),
    ...(volumeName !== undefined && isObjectName(volumeName) && { volumeName }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}
