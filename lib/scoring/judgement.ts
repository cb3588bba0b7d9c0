/** One change, judged by what a verdict expects of the object. */
import type { PersistentVolume } from '../controller/types.ts';
import type { Change, Held } from './change.ts';
import { fieldsOf, isAmong, isSame } from './fields.ts';
import type { Expectation } from './verdict.ts';
import { isOlder } from './versions.ts';

/**
 * `irrelevant`: it says nothing. `step`: on the way; `done`: there. `otherwise`: somewhere else; `taken`: the free volume
 * went to a claim, or to another one. `late`, `overtaken` and `lost` as in `WhyNotCounted`.
 */
export type Judgement = 'irrelevant' | 'step' | 'done' | 'otherwise' | 'taken' | 'late' | 'overtaken' | 'lost';

/**
 * @param expectation goes on to the version of the change where that is on the way.
 * @param verdictAt milliseconds since the epoch.
 */
export function judge(expectation: Expectation, change: Change, verdictAt: number): Judgement {
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
  if (isEarlierSecond(writer.at, verdictAt)) return 'late';
  if (!isAmong(now, [expectation.base, ...expectation.states])) {
    return isTaken(expectation.last, change) ? 'taken' : 'otherwise';
  }
  expectation.version = is;
  const end = expectation.isDeleted ? undefined : expectation.states.at(-1);
  return end !== undefined && isSame(now, end) ? 'done' : 'step';
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

function isEarlierSecond(writtenAt: string | undefined, at: number): boolean {
  if (writtenAt === undefined) return false;
  return Date.parse(writtenAt) < Math.floor(at / 1_000) * 1_000;
}
