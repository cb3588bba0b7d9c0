/** One verdict that was not followed, in full. */
import type { Change, Held } from './change.ts';
import type { Disagreement } from './scoreboard.ts';
import type { Verdict } from './verdict.ts';

/**
 * @param latest what the verdict was about, as it is: for one that nothing happened to.
 * @param change what happened instead.
 */
export function disagreementOf(
  { key, at, writes, notes = [] }: Verdict,
  how: Disagreement['how'],
  latest: Held | undefined,
  change?: Change,
): Disagreement {
  return {
    key,
    how,
    at,
    before: change === undefined ? latest : change.before,
    wanted: writes.flatMap((write) => (write.verb === 'event' ? [] : [write])),
    notes,
    ...(change !== undefined && {
      happened: {
        object: change.after,
        isDeleted: change.type === 'DELETED',
        manager: change.writer.manager ?? 'unknown',
        at: change.at,
      },
    }),
  };
}
