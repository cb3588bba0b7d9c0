/**
 * What the controller's next sync would do: the sync itself, run over a recording cluster. Nothing here decides; whatever
 * a diagnosis says of the controller's rules is read from what this run recorded.
 */
import { RecordingCluster } from '../cluster/recording.ts';
import { ClusterError, findCause } from '../controller/errors.ts';
import { PluginRegistry } from '../controller/plugins.ts';
import type { Cluster, ObjectEvent, SyncContext } from '../controller/ports.ts';
import { reconcile } from '../controller/reconcile.ts';
import type { Kind, Kinds, ObjectKey } from '../controller/types.ts';
import type { VolumeIndex } from '../controller/volume-index.ts';
import { dryPlugin } from '../worker/dry-plugin.ts';
import { ObservedCluster } from '../worker/observed-cluster.ts';
import type { Transition } from '../worker/transition.ts';
import type { DiagnosisRules, Subject } from './finding.ts';

/** What one sync would have done. */
export interface Rehearsal {
  /** Changes of phase and binding, in order. */
  readonly transitions: readonly Transition[];
  /** Objects that would be written, in order, each once: `PersistentVolume pv-1`. */
  readonly writes: readonly string[];
  readonly events: readonly ObjectEvent[];
  /** What the branches of the state machine observed. */
  readonly notes: readonly string[];
  /** The objects contradict each other, or a plugin gave up: the sync would end with this. */
  readonly failure: Error | undefined;
}

type Reads = Pick<Cluster, 'get' | 'list'>;

export interface Stage {
  readonly reads: Reads;
  readonly volumes: VolumeIndex;
  readonly rules: DiagnosisRules;
  readonly now: number;
}

/**
 * One sync of the subject.
 * @throws ClusterError when a read fails: nothing can be said then.
 */
export async function rehearse(stage: Stage, subject: Subject): Promise<Rehearsal> {
  const recording = new RecordingCluster(stage.reads);
  const transitions: Transition[] = [];
  const cluster = new ObservedCluster(subject, recording, { onTransition: (change) => transitions.push(change) });
  const notes: string[] = [];
  const ctx: SyncContext = { ...contextOver(stage, cluster), note: (observation) => notes.push(observation) };
  let failure: Error | undefined;
  try {
    await reconcile(ctx, { key: subject });
  } catch (error) {
    if (findCause(error, ClusterError) !== undefined || !(error instanceof Error)) throw error;
    failure = error;
  }
  const written = recording.recorded.flatMap((write) => (write.verb === 'event' ? [] : [nameOf(write)]));
  const events = recording.recorded.flatMap((write) => (write.verb === 'event' ? [write.event] : []));
  return { transitions, writes: [...new Set(written)], events, notes, failure };
}

/** The surroundings of the controller's functions, for those that only look. */
export function lookingContext(stage: Stage): SyncContext {
  return contextOver(stage, new RecordingCluster(stage.reads));
}

function contextOver({ volumes, rules, now }: Stage, cluster: Cluster): SyncContext {
  return {
    ...rules,
    cluster,
    plugins: new PluginRegistry(rules.plugins(cluster).map(dryPlugin)),
    pool: { volumes: () => volumes, drop: () => {}, hold: () => () => {}, store: () => {} },
    enqueue: async () => {},
    runOperation: (_name, operation) => operation(),
    clock: { now: () => now, sleep: async () => {} },
    note: () => {},
    redelivered: false,
  };
}

/** The same stage, where one object is as given: asks what the controller would say had it not said it already. */
export function instead<K extends Kind>(stage: Stage, kind: K, object: Kinds[K]): Stage {
  const isIt = (asked: Kind, { namespace, name }: ObjectKey) =>
    asked === kind && name === object.metadata.name && namespace === object.metadata.namespace;
  const reads: Reads = {
    get: async (asked, key) =>
      isIt(asked, key) ? (object as unknown as Kinds[typeof asked]) : await stage.reads.get(asked, key),
    list: (asked, options) => stage.reads.list(asked, options),
  };
  return { ...stage, reads };
}

/** In words, what would be written; `nothing`. */
export function nextOf({ transitions, writes, failure, events }: Rehearsal): string {
  const changes = transitions.map(({ kind, name, of, from, to }) => `${short(kind)} ${name}: ${of} ${from} -> ${to}`);
  const changed = new Set(transitions.map(({ kind, name }) => `${kind} ${name}`));
  const others = writes.filter((name) => !changed.has(name)).map((name) => `writes ${name}`);
  const all = [...changes, ...others];
  if (failure !== undefined) return [...all, `fails: ${failure.message}`].join('; ');
  if (all.length > 0) return all.join('; ');
  const reasons = [...new Set(events.map(({ reason }) => reason))];
  return reasons.length === 0 ? 'nothing' : `nothing but the event ${reasons.join(', ')}`;
}

/** The event that the sync would emit about its subject, and so what it decided. */
export function eventOf({ events }: Rehearsal, ...reasons: readonly string[]): ObjectEvent | undefined {
  return events.find(({ reason }) => reasons.includes(reason));
}

function nameOf({ kind, object }: { kind: Kind; object: Kinds[Kind] }): string {
  const { namespace, name } = object.metadata;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

function short(kind: Subject['kind']): string {
  return kind === 'PersistentVolume' ? 'volume' : 'claim';
}
