/** States and audit lines for tests of what is made of them. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../lib/controller/types.ts';
import type { Write } from '../../observer/audit-log.ts';
import type { Claim, State, Volume } from '../../observer/state.ts';
import type { Writer } from '../blame.ts';

export interface Step {
  readonly volume?: PersistentVolume;
  readonly claim?: PersistentVolumeClaim;
  readonly writer?: Writer;
  readonly isDeleted?: boolean;
}

/** States in this order, and who wrote each; by a user unless said otherwise. */
export function history(...steps: readonly Step[]): { states: State[]; writerOf: (state: State) => Writer } {
  const last = new Map<string, Volume | Claim>();
  const writers = new Map<number, Writer>();
  const states = steps.map(({ volume, claim, writer = 'user', isDeleted = false }, index) => {
    const object = (volume ?? claim) as Volume & Claim;
    const before = last.get(object.metadata.uid);
    last.set(object.metadata.uid, object);
    writers.set(index, writer);
    const type = isDeleted ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
    const kind = volume === undefined ? 'claim' : 'volume';
    return { kind, type, at: index, object, before, isOurs: writer === 'ours' } as State;
  });
  return { states, writerOf: ({ at }) => writers.get(at) ?? 'user' };
}

/** A line of the audit log. @param read the version that it was about; none: it does not say. */
export function write(
  username: string,
  uid: string,
  version: number,
  { verb = 'update', read, code = 200 }: { verb?: string; read?: number; code?: number } = {},
): Write {
  const answer = code < 300 ? { metadata: { uid, resourceVersion: String(version) } } : {};
  return {
    verb,
    user: { username },
    requestURI: '/',
    requestObject: { metadata: { uid, ...(read !== undefined && { resourceVersion: String(read) }) } },
    responseObject: answer,
    responseStatus: { code },
  };
}
