/**
 * How far one sync reaches: over which cluster it runs, and with which pool, plugins and queue, by the modes. Where nothing
 * can be more than observed, that is a cluster without any way to write.
 */
import { type RecordedWrite, RecordingCluster } from '../cluster/recording.ts';
import type { VolumePlugin } from '../controller/plugins.ts';
import type { Cluster, Enqueue, Note, SyncRules, VolumePool } from '../controller/ports.ts';
import type { SyncKey } from '../controller/types.ts';
import { type CallInfo, Postponement } from '../queue/worker.ts';
import { ClassModes } from './class-modes.ts';
import { dryPlugin } from './dry-plugin.ts';
import { stronger } from './mode.ts';
import { ModeCluster } from './mode-cluster.ts';
import { moded } from './moded-plugin.ts';
import { ObservedCluster } from './observed-cluster.ts';
import type { SyncHooks, SyncSurroundings } from './surroundings.ts';
import { poolOfReal, readOnlyPool } from './sync-pool.ts';

const DEFAULT_GRACE_MS = 60_000;

/** What a sync works with, and what became of it. */
export interface Reach {
  readonly cluster: Cluster;
  readonly pool: VolumePool;
  readonly plugins: readonly VolumePlugin[];
  readonly enqueue: Enqueue;
  /** To be asked when the sync is over. */
  end(): Ending;
}

interface Ending {
  /** What was not written; undefined where there is nothing to tell. */
  readonly verdict?: readonly RecordedWrite[];
  readonly postponement?: Postponement;
}

type Rules = Omit<SyncRules, 'plugins'>;

/** @returns what makes the reach of each sync of an environment. */
export function createReach(surroundings: SyncSurroundings) {
  const { mode, maxMode = mode } = surroundings;
  const max = stronger(mode, maxMode);
  const classes = new ClassModes();
  return (key: SyncKey, info: CallInfo, rules: Rules, note: Note, hooks: SyncHooks): Reach => {
    const live = surroundings.cluster(info.signal);
    const onVolume = (uid: string) => hooks.onVolume?.(key, uid);
    if (max === 'observe') return observing(surroundings, new RecordingCluster(live), key, onVolume);

    const observed = new ObservedCluster(key, live, {
      onVolume,
      onTransition: (transition, written) => hooks.onTransition?.(key, transition, written),
      flips: surroundings.flips,
    });
    const unknown = new Set<string>();
    const cluster = new ModeCluster(observed, {
      modes: { mode, max },
      classes,
      migration: rules.migration,
      graceMs: surroundings.graceMs ?? DEFAULT_GRACE_MS,
      noticedAt: info.noticedAt,
      onUnknownMode: (value) => unknown.add(value),
      note,
    });
    return {
      cluster,
      pool: poolOfReal(surroundings.pool, (volume) => cluster.isReal(volume)),
      plugins: surroundings.plugins(cluster).map((plugin) => moded(plugin, (object) => cluster.isEnforced(object))),
      enqueue: surroundings.enqueue(info.signal),
      end: () => {
        for (const value of unknown) hooks.onUnknownMode?.(key, value);
        return endingOf(cluster);
      },
    };
  };
}

function observing(
  surroundings: SyncSurroundings,
  recording: RecordingCluster,
  key: SyncKey,
  onVolume: (uid: string) => void,
): Reach {
  const cluster = new ObservedCluster(key, recording, { onVolume });
  return {
    cluster,
    pool: readOnlyPool(surroundings.pool),
    plugins: surroundings.plugins(cluster).map(dryPlugin),
    enqueue: async () => {},
    end: () => ({ verdict: recording.recorded }),
  };
}

/** While the grace time runs there is no verdict yet. Events alone are none: in assist others tell users. */
function endingOf({ recorded, waitMs }: ModeCluster): Ending {
  if (waitMs > 0) return { postponement: new Postponement(waitMs) };
  return recorded.some(({ verb }) => verb !== 'event') ? { verdict: recorded } : {};
}
