/** One change, judged by what a verdict expects of the object. */
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { Change, Held } from './change.ts';
import { fieldsOf, isAmong, isSame } from './fields.ts';
import { type Expectation, idOf, type Verdict } from './verdict.ts';
import { isOlder } from './versions.ts';

/**
 * `irrelevant`: it says nothing. `step`: on the way; `done`: there. `otherwise`: somewhere else; `taken`: the free volume
 * went to a claim, or to another one. `late`, `overtaken` and `lost` as in `WhyNotCounted`.
 */
export type Judgement = 'irrelevant' | 'step' | 'done' | 'otherwise' | 'taken' | 'late' | 'overtaken' | 'lost';

/**
 * @param expectation goes on to the version of the change where that is on the way.
 * @param verdict the one that it is part of.
 * @param latest objects as they were seen last, by `idOf`.
 */
export function judge(
  expectation: Expectation,
  change: Change,
  verdict: Pick<Verdict, 'key' | 'at'>,
  latest: (id: string) => Held | undefined,
): Judgement {
  const { type, before, after, writer } = change;
  const [was, is] = [before?.metadata.resourceVersion, after.metadata.resourceVersion ?? ''];
  // The version that the verdict was made from, or an older one, arrives after it.
  if (type !== 'DELETED' && expectation.version !== undefined && !isOlder(expectation.version, is)) return 'irrelevant';
  if (was !== expectation.version) return 'lost';
  // No server keeps who deleted an object.
  if (type === 'DELETED' || isGoing(before, after)) return expectation.isDeleted ? 'done' : 'overtaken';
  const [old, now] = [before && fieldsOf(before), fieldsOf(after)];
  expectation.base ??= old ?? new Map();
  if (old !== undefined && isSame(old, now)) {
    expectation.version = is;
    return 'irrelevant';
  }
  if (writer.who !== 'built-in') return 'overtaken';
  if (isEarlierSecond(writer.at, verdict.at)) return 'late';
  if (!isAmong(now, [expectation.base, ...expectation.states])) {
    if (isTaken(expectation.last, change)) return 'taken';
    return isOfOtherSync(verdict.key.kind, change, latest) ? 'overtaken' : 'otherwise';
  }
  expectation.version = is;
  const end = expectation.isDeleted ? undefined : expectation.states.at(-1);
  return end !== undefined && isSame(now, end) ? 'done' : 'step';
}

/** Whether somebody besides the built-in controller has changed what counts, or deletes it. */
export function isByOthers({ type, before, after, writer }: Change): boolean {
  if (type === 'DELETED' || isGoing(before, after)) return true;
  return writer.who !== 'built-in' && (before === undefined || !isSame(fieldsOf(before), fieldsOf(after)));
}

function isGoing(before: Held | undefined, after: Held): boolean {
  return before !== undefined && !before.metadata.deletionTimestamp && Boolean(after.metadata.deletionTimestamp);
}

/** A volume that was free is bound, and not as the verdict would have it: whose turn comes first is chance. */
function isTaken(wanted: Held, { before, after }: Change): boolean {
  const [was, ours, theirs] = [before, wanted, after].map(
    (held) => (held as PersistentVolume | undefined)?.spec.claimRef,
  );
  if (was?.uid || !theirs?.uid) return false;
  return ours?.namespace !== theirs.namespace || ours?.name !== theirs.name;
}

/**
 * A volume is written by its own sync and by that of its claim, which alone gives it an uid, and alone makes it Bound before
 * the claim names it.
 */
function isOfOtherSync(
  own: SyncKey['kind'],
  { kind, before, after }: Change,
  latest: (id: string) => Held | undefined,
): boolean {
  if (kind !== 'PersistentVolume') return false;
  const [was, is] = [before, after] as [PersistentVolume | undefined, PersistentVolume];
  const { uid, namespace, name = '' } = is.spec.claimRef ?? {};
  const isBinding = Boolean(uid) && was?.spec.claimRef?.uid !== uid;
  const isBound = is.status?.phase === 'Bound';
  if (own === 'PersistentVolumeClaim') return !isBinding && !isBound;
  const claim = latest(idOf('PersistentVolumeClaim', namespace === undefined ? { name } : { namespace, name }));
  const isNamed = (claim as PersistentVolumeClaim | undefined)?.spec.volumeName === is.metadata.name;
  return isBinding || (isBound && !isNamed);
}

function isEarlierSecond(writtenAt: string | undefined, at: number): boolean {
  if (writtenAt === undefined) return false;
  return Date.parse(writtenAt) < Math.floor(at / 1_000) * 1_000;
}
