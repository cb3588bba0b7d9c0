/** One walk over everything that is held, in pieces, so that events are not kept waiting. */
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import { type BridgeClock, pause } from './clock.ts';
import type { Publisher } from './publisher.ts';
import type { Registry } from './registry.ts';

export const SYNCED_KINDS = ['PersistentVolume', 'PersistentVolumeClaim'] as const;

type Visit = (kind: SyncKey['kind'], object: PersistentVolume | PersistentVolumeClaim) => Promise<void> | undefined;

/** What a walk goes over, and what makes it pause. */
export interface PassOptions {
  readonly registry: Registry;
  readonly publisher: Publisher;
  readonly clock: BridgeClock;
}

const PIECE = 1_000;

/** @returns a promise that all messages which `visit` led to are accepted. */
export async function pass(
  { registry, publisher, clock }: PassOptions,
  kinds: readonly SyncKey['kind'][],
  visit: Visit,
): Promise<void> {
  let unaccepted = 0;
  let failure: { readonly error: unknown } | undefined;
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const settle = () => {
    unaccepted--;
    if (unaccepted === 0) finish();
  };
  unaccepted++; // the walk itself
  let visited = 0;
  for (const kind of kinds) {
    for (const object of registry.objects(kind)) {
      const accepted = visit(kind, object);
      if (accepted !== undefined) {
        unaccepted++;
        accepted.then(settle, (error) => {
          failure ??= { error };
          settle();
        });
      }
      if (++visited % PIECE === 0) {
        await pause(clock, 0);
        await publisher.room();
      }
    }
  }
  settle();
  await finished;
  if (failure !== undefined) throw failure.error;
}
