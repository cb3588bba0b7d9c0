/** A cluster in memory with one controller over it, and what the controller did there. */
import { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import { STANDARD_MIGRATION } from '../../lib/controller/migration.ts';
import { PluginRegistry, type VolumePlugin } from '../../lib/controller/plugins.ts';
import type { Cluster, SyncContext } from '../../lib/controller/ports.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import type { Kind, Kinds, PersistentVolume, PersistentVolumeClaim, SyncKey } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';

type Objects = { [K in Kind]?: Kinds[K][] };

export interface SceneParts extends Partial<Omit<SyncContext, 'cluster'>> {
  readonly cluster?: InMemoryCluster;
  /** Puts another cluster between the controller and this one. */
  readonly over?: (cluster: Cluster) => Cluster;
}

export class Scene {
  readonly cluster: InMemoryCluster;
  readonly ctx: SyncContext;
  readonly enqueued: { key: SyncKey; hint: string | undefined }[] = [];
  readonly operations: string[] = [];
  readonly sleeps: number[] = [];

  constructor(objects: Objects, plugins: VolumePlugin[] = [], parts: SceneParts = {}) {
    const { over = (cluster) => cluster, cluster = new InMemoryCluster(), ...rest } = parts;
    this.cluster = cluster;
    for (const [kind, list] of Object.entries(objects)) {
      for (const object of list) this.cluster.put(kind as Kind, object as Kinds[Kind]);
    }
    this.ctx = {
      cluster: over(this.cluster),
      pool: {
        volumes: async () => new VolumeIndex(this.cluster.all('PersistentVolume')),
        drop: () => {},
        hold: () => () => {},
        store: () => {},
      },
      enqueue: async (key, _cause, hint) => {
        this.enqueued.push({ key, hint: hint?.volumeName });
      },
      runOperation: async (name, operation) => {
        this.operations.push(name);
        await operation();
      },
      clock: {
        now: () => 0,
        sleep: async (ms) => {
          this.sleeps.push(ms);
        },
      },
      note: () => {},
      plugins: new PluginRegistry(plugins),
      features: { volumeAttributesClass: true },
      migration: STANDARD_MIGRATION,
      settings: { dynamicProvisioning: true, createVolumeAttempts: 3, createVolumeIntervalMs: 10, poolMaxAgeMs: 0 },
      redelivered: false,
      ...rest,
    };
  }

  async syncVolume(name: string): Promise<void> {
    await reconcile(this.ctx, { key: { kind: 'PersistentVolume', name } });
  }

  async syncClaim(name: string, hint?: string): Promise<void> {
    const key: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name };
    await reconcile(this.ctx, { key, ...(hint === undefined ? {} : { hint }) });
  }

  volume(name: string): PersistentVolume {
    const found = this.cluster.all('PersistentVolume').find((v) => v.metadata.name === name);
    if (found === undefined) throw new Error(`no volume ${name}`);
    return found;
  }

  claim(name: string): PersistentVolumeClaim {
    const found = this.cluster.all('PersistentVolumeClaim').find((c) => c.metadata.name === name);
    if (found === undefined) throw new Error(`no claim ${name}`);
    return found;
  }

  /** `type reason: message` of every event, in order. */
  get events(): string[] {
    return this.cluster.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }

  /** `verb Kind name` of every write, in order. */
  get writes(): string[] {
    return this.cluster.writes.map(({ verb, kind, object }) => `${verb} ${kind} ${object.metadata.name}`);
  }
}

/** Fails the calls of that verb on that resource: the first `times` of them. */
export function failing(scene: Scene, verb: string, resource: string, error: Error, times = Number.POSITIVE_INFINITY) {
  let left = times;
  scene.cluster.before = (v, r) => {
    if (v === verb && r === resource && left-- > 0) throw error;
  };
}
