/**
 * What an observer observes: the volumes and claims of a cluster, listed and watched for ever, with their managedFields.
 * Each kind's events come in the order of its watch. What a list finds missing after a watch that broke is told as deleted.
 */
import { type BridgeClock, systemClock } from '../bridge/clock.ts';
import { ListWatch } from '../bridge/list-watch.ts';
import type { WatchedKind, WatchSource } from '../bridge/ports.ts';
import { DEFAULT_SETTINGS } from '../bridge/settings.ts';
import type { Kinds, SyncKey } from '../controller/types.ts';
import type { Held } from './change.ts';
import type { ObservedEvent } from './observer.ts';
import { idOf } from './verdict.ts';

/** Lists and watches whose objects keep their managedFields; `ApiServerCluster` is one. */
export interface ManagedSource extends Pick<WatchSource, 'watch'> {
  listWithVersion<K extends WatchedKind>(
    kind: K,
    options: { namespace?: string; signal: AbortSignal; withManagers: boolean },
    map: (item: Kinds[K]) => Kinds[K],
  ): Promise<{ readonly items: Kinds[K][]; readonly resourceVersion: string }>;
}

/** Until when, and who is told what went wrong on the way. */
export interface WatchedEventsOptions {
  /** Ends the events. */
  readonly signal: AbortSignal;
  /** A list or a watch failed, and will be tried again. */
  readonly onFailed?: (kind: string, error: unknown) => void;
  readonly clock?: BridgeClock;
}

/** @example for await (const { kind, type, object } of watchedEvents(cluster, { signal })) … */
export async function* watchedEvents(
  source: ManagedSource,
  options: WatchedEventsOptions,
): AsyncGenerator<ObservedEvent> {
  const { signal } = options;
  let told: ObservedEvent[] = [];
  let wake = () => {};
  const tell = (event: ObservedEvent) => {
    told.push(event);
    wake();
  };
  const followed = (['PersistentVolume', 'PersistentVolumeClaim'] as const).map((kind) =>
    follow(source, kind, tell, options),
  );
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (!signal.aborted || told.length > 0) {
      const events = told;
      told = [];
      yield* events;
      if (told.length > 0 || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (signal.aborted) await Promise.all(followed);
  }
}

/** Resolves when the signal is aborted. */
function follow(
  source: ManagedSource,
  kind: SyncKey['kind'],
  tell: (event: ObservedEvent) => void,
  { signal, onFailed, clock = systemClock }: WatchedEventsOptions,
): Promise<void> {
  const held = new Map<string, Held>();
  const take = (type: ObservedEvent['type'], object: Held) => {
    const id = idOf(kind, object.metadata);
    if (type === 'DELETED') held.delete(id);
    else held.set(id, object);
    tell({ kind, type, object });
  };
  const loop = new ListWatch<SyncKey['kind']>({
    source: withManagers(source),
    kind,
    handler: {
      slim: (object) => object,
      onList: async (objects) => {
        const present = new Set(objects.map(({ metadata }) => idOf(kind, metadata)));
        for (const [id, object] of held) if (!present.has(id)) take('DELETED', object);
        for (const object of objects) take('ADDED', object);
      },
      onEvent: async (type, object) => take(type, object),
    },
    settings: DEFAULT_SETTINGS,
    clock,
    hooks: { failed: (what, error) => onFailed?.(what, error) },
  });
  return loop.run(signal);
}

function withManagers(source: ManagedSource): WatchSource {
  return {
    listWithVersion: (kind, options, map) => source.listWithVersion(kind, { ...options, withManagers: true }, map),
    watch: (kind, options) => source.watch(kind, { ...options, withManagers: true }),
  };
}
