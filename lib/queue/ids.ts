/**
 * The two ids of a FIFO message (DESIGN D1, D2). The group id serialises the work on a key. The deduplication id lets two
 * bridges watch one cluster without a leader: SQS keeps one of two messages with equal ids, and remembers an id for five
 * minutes, *even after the message was handled and deleted*. So an id must name what happened, not what it happened to:
 * an id of the bare target would swallow the wake-up of a claim that was looked at a minute ago.
 */
import { createHash } from 'node:crypto';
import type { Cause } from '../controller/ports.ts';
import type { SyncKey } from '../controller/types.ts';

/** `Cause.resourceVersion` of an object that is gone: a deletion seen in a list has no version of its own. */
export const DELETED = 'deleted';

/** What a message is sent for. Every form names its cause, so no caller can forget it. */
export type Occasion =
  /** A bridge saw the target in a new state. Every bridge that sees that state makes the same id. */
  | { readonly form: 'change'; readonly uid: string; readonly resourceVersion: string }
  /**
   * A bridge saw that the target is gone, by its event or by its absence from a list. The version stays out, as only the
   * event has one.
   */
  | { readonly form: 'deleted'; readonly uid: string }
  /**
   * A state of *another* object makes the target worth a look: a worker's enqueue or a bridge's wake. Both share one id,
   * since the second look would find what the first one found. The cause of a deletion has the version `DELETED`.
   */
  | { readonly form: 'enqueue'; readonly cause: Cause }
  /** A sweep over everything. `epoch` numbers the sweeps alike in all bridges, e.g. the start of the hour. */
  | { readonly form: 'resync'; readonly epoch: string | number }
  /**
   * A bridge listed, and the target needs a sync. `listVersion` is the `metadata.resourceVersion` of the lists that this
   * was computed from (several: joined), which names the state of the whole cluster. With it the message gets through
   * though the target's own version was sent, handled and deleted a minute ago: what it is needed for may be its partner,
   * whose change this bridge missed. Two bridges that list one state send one message; from two states, two messages and
   * the second sync finds nothing to do. A clock instead of `listVersion` would swallow the second of two lists.
   */
  | { readonly form: 'relist'; readonly uid: string; readonly resourceVersion: string; readonly listVersion: string }
  /** An operator took the message out of the dead-letter queue. `nonce` is random, or the dead letter's message id. */
  | { readonly form: 'redrive'; readonly nonce: string };

const MAX_GROUP_ID = 128;
/** What SQS takes in ids: printable ASCII without the space. */
const ACCEPTED = /^[!-~]+$/;

/**
 * The message group of a key: `<name>` of a volume, `<namespace>/<name>` of a claim (each kind has its own queue), or its
 * SHA-256 where SQS would refuse that, as over 128 characters.
 */
export function groupId({ namespace, name }: SyncKey): string {
  const group = namespace === undefined ? name : `${namespace}/${name}`;
  return group.length <= MAX_GROUP_ID && ACCEPTED.test(group) ? group : sha256(group);
}

/** The deduplication id of a message to `target` for this occasion: 64 characters, equal for equal occasions only. */
export function deduplicationId(target: SyncKey, occasion: Occasion): string {
  return sha256(
    JSON.stringify([target.kind, target.namespace ?? '', target.name, occasion.form, ...causeOf(occasion)]),
  );
}

function causeOf(occasion: Occasion): readonly string[] {
  switch (occasion.form) {
    case 'change':
      return [occasion.uid, occasion.resourceVersion];
    case 'deleted':
      return [occasion.uid];
    case 'enqueue':
      return [occasion.cause.uid, occasion.cause.resourceVersion];
    case 'resync':
      return [String(occasion.epoch)];
    case 'relist':
      return [occasion.uid, occasion.resourceVersion, occasion.listVersion];
    case 'redrive':
      return [occasion.nonce];
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
