/** Runs one conformance case on the in-memory cluster: the three modes of BEHAVIOUR appendix A. */
import { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import { AlreadyExistsError } from '../../lib/controller/errors.ts';
import { type MigrationTable, STANDARD_MIGRATION } from '../../lib/controller/migration.ts';
import { PluginRegistry } from '../../lib/controller/plugins.ts';
import type { SyncContext } from '../../lib/controller/ports.ts';
import { reconcile, type Work } from '../../lib/controller/reconcile.ts';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import type { Action, Case } from './data.ts';
import { MockPlugin } from './mock-plugin.ts';

const MAX_ROUNDS = 100;

export class Harness {
  readonly cluster = new InMemoryCluster();
  readonly #case: Case;
  readonly #ctx: SyncContext;
  readonly #queue: Work[] = [];
  #failedSyncs = 0;
  readonly #timedOperations = new Set<string>();

  constructor(testCase: Case) {
    this.#case = testCase;
    for (const volume of testCase.initialVolumes) this.cluster.put('PersistentVolume', volume);
    for (const claim of testCase.initialClaims) this.cluster.put('PersistentVolumeClaim', claim);
    for (const storageClass of testCase.storageClasses) this.cluster.put('StorageClass', storageClass);
    for (const pod of testCase.pods) this.cluster.put('Pod', pod);
    for (const node of testCase.nodes) this.cluster.put('Node', node);
    this.#injectErrors();
    this.#ctx = this.#context();
  }

  /** @returns whether the sync failed. */
  async singleSync(): Promise<boolean> {
    try {
      await reconcile(this.#ctx, { key: this.#syncKey() });
      return false;
    } catch {
      return true;
    }
  }

  /** Repeats until a full pass over everything writes nothing. @returns whether a sync failed on the way. */
  async multiSync(): Promise<boolean> {
    this.#queue.push({ key: this.#syncKey() });
    await this.#drain();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const before = this.cluster.writes.length;
      await this.#resync();
      if (this.cluster.writes.length === before) return this.#failedSyncs > 0;
    }
    throw new Error(`no fixpoint after ${MAX_ROUNDS} rounds`);
  }

  /** Objects arrive, the steps happen, one resync follows. @returns whether a sync failed on the way. */
  async controllerRun(): Promise<boolean> {
    await this.#resync();
    for (const step of this.#case.steps) {
      this.#step(step);
      await this.#drain();
    }
    await this.#resync();
    return this.#failedSyncs > 0;
  }

  async #resync(): Promise<void> {
    for (const { metadata } of this.cluster.all('PersistentVolumeClaim')) this.#queue.push({ key: claimKey(metadata) });
    for (const { metadata } of this.cluster.all('PersistentVolume'))
      this.#queue.push({ key: volumeKey(metadata.name) });
    await this.#drain();
  }

  /** Failed syncs are tried again by the next resync. Every write brings its object back, as its event would. */
  async #drain(): Promise<void> {
    for (let i = 0; i < MAX_ROUNDS * 10; i++) {
      const work = this.#queue.shift();
      if (work === undefined) return;
      const before = this.cluster.writes.length;
      await reconcile(this.#ctx, work).catch(() => {
        this.#failedSyncs += 1;
      });
      for (const { kind, object, verb } of this.cluster.writes.slice(before)) {
        if (verb === 'delete') continue;
        if (kind === 'PersistentVolume') this.#queue.push({ key: volumeKey(object.metadata.name) });
        else this.#queue.push({ key: claimKey(object.metadata as PersistentVolumeClaim['metadata']) });
      }
    }
    throw new Error('the queue never became empty');
  }

  #step(step: Action): void {
    const { name = '', namespace = 'default' } = step;
    if (step.op === 'deleteClaim') {
      const claim = this.cluster.all('PersistentVolumeClaim').find((c) => c.metadata.name === name);
      this.cluster.remove('PersistentVolumeClaim', { namespace, name });
      const { volumeName } = claim?.spec ?? {};
      const deleted = [{ uid: claim?.metadata.uid ?? '', ...(volumeName ? { volumeName } : {}) }];
      this.#queue.push({ key: claimKey({ namespace, name }), deleted });
    } else if (step.op === 'deleteVolume') {
      const volume = this.cluster.all('PersistentVolume').find((v) => v.metadata.name === name);
      this.cluster.remove('PersistentVolume', { name });
      const ref = volume?.spec.claimRef;
      const claimRef = ref?.name ? { namespace: ref.namespace ?? '', name: ref.name } : undefined;
      const deleted = [{ uid: volume?.metadata.uid ?? '', ...(claimRef ? { claimRef } : {}) }];
      this.#queue.push({ key: volumeKey(name), deleted });
    } else if (step.op === 'addClaim' && step.object) {
      this.cluster.put('PersistentVolumeClaim', step.object);
      this.#queue.push({ key: claimKey(step.object.metadata) });
    } else if (step.op !== 'waitUntil' && step.op !== 'assert') {
      // waitUntil and assert look at caches and timings that this system does not have.
      throw new Error(`unknown step ${step.op}`);
    }
  }

  #syncKey(): SyncKey {
    const { sync } = this.#case;
    if (sync === null) throw new Error('the case names no object to sync');
    return sync.kind === 'volume'
      ? volumeKey(sync.name)
      : claimKey({ namespace: sync.namespace ?? 'default', name: sync.name });
  }

  #context(): SyncContext {
    const { options, plugin } = this.#case;
    const { cluster } = this;
    return {
      cluster,
      pool: {
        volumes: async () => new VolumeIndex(cluster.all('PersistentVolume')),
        drop: () => {},
        hold: () => () => {},
        store: () => {},
      },
      enqueue: async (key, _cause, hint) => {
        if (this.#case.mode !== 'singleSync') this.#queue.push({ key, ...(hint ? { hint: hint.volumeName } : {}) });
      },
      runOperation: async (name, operation) => {
        if (name.startsWith('delete-')) this.#timedOperations.add(/^delete-(.*)\[/.exec(name)?.[1] ?? '');
        this.#inject();
        if (name.startsWith('provision-')) this.#timedOperations.add(/^provision-(.*)\[/.exec(name)?.[1] ?? '');
        await operation().catch(() => {}); // scheduling never fails a sync; the resync tries again
      },
      clock: { now: () => Date.now(), sleep: async () => {} },
      note: () => {},
      plugins: new PluginRegistry(plugin === null ? [] : [new MockPlugin(plugin)]),
      features: { volumeAttributesClass: options.featureGates['VolumeAttributesClass'] ?? true },
      migration: migrationOf(options.csiMigration),
      settings: {
        dynamicProvisioning: options.enableDynamicProvisioning,
        createVolumeAttempts: options.createProvisionedPVRetryCount,
        createVolumeIntervalMs: options.createProvisionedPVIntervalMs,
        poolMaxAgeMs: 0,
      },
      redelivered: false,
    };
  }

  #injectErrors(): void {
    const pending = [...this.#case.apiErrors];
    this.cluster.before = (verb, resource) => {
      const at = pending.findIndex((error) => error.verb === verb && error.resource === resource);
      if (at < 0) return;
      const [error] = pending.splice(at, 1);
      throw error?.kind === 'AlreadyExists' ? new AlreadyExistsError(error.message) : new Error(error?.message);
    };
  }

  #inject(): void {
    const { injectedOperation } = this.#case;
    if (injectedOperation === null) return;
    const needed = injectedOperation.condition?.operationTimestampExists;
    if (needed !== undefined && !this.#timedOperations.has(needed)) return;
    for (const action of injectedOperation.actions) this.#apply(action);
  }

  #apply(action: Action): void {
    const { name = '' } = action;
    if (action.op === 'deleteVolume') this.cluster.remove('PersistentVolume', { name });
    else if (action.op === 'addVolume' && action.object) this.cluster.put('PersistentVolume', action.object);
    else if (action.op === 'addClaim' && action.object) this.cluster.put('PersistentVolumeClaim', action.object);
    else if (action.op === 'setNodes') for (const node of action.objects ?? []) this.cluster.put('Node', node);
    else if (action.op === 'patchVolume') this.#patchVolume(name, action.set ?? {});
    else throw new Error(`unknown injected operation ${action.op}`);
  }

  #patchVolume(name: string, set: Record<string, unknown>): void {
    const volume = this.cluster.all('PersistentVolume').find((v) => v.metadata.name === name);
    if (volume === undefined) throw new Error(`no volume ${name} to patch`);
    const patched = structuredClone(volume);
    for (const [path, value] of Object.entries(set)) setPath(patched, path.split('.'), value);
    this.cluster.put('PersistentVolume', patched);
  }
}

function setPath(object: unknown, path: string[], value: unknown): void {
  const last = path.pop() ?? '';
  let at = object as Record<string, unknown>;
  for (const part of path) at = at[part] as Record<string, unknown>;
  if (value === null) delete at[last];
  else at[last] = value;
}

function migrationOf(option: Case['options']['csiMigration']): MigrationTable {
  if (option === null) return STANDARD_MIGRATION;
  return { isMigrated: () => option.allPluginsMigrated, driverOf: () => option.csiNameForAnyPlugin };
}

function volumeKey(name: string): SyncKey {
  return { kind: 'PersistentVolume', name };
}

function claimKey({ namespace, name }: { namespace: string; name: string }): SyncKey {
  return { kind: 'PersistentVolumeClaim', namespace, name };
}

/** Name, without versions, and with absent and empty made the same. */
export function comparable(objects: readonly (PersistentVolume | PersistentVolumeClaim)[]): Record<string, unknown> {
  return Object.fromEntries(
    objects.map((object) => {
      const copy = structuredClone(object) as PersistentVolume;
      delete copy.metadata.resourceVersion;
      delete copy.spec.claimRef?.resourceVersion;
      return [`${object.metadata.namespace ?? ''}/${object.metadata.name}`, withoutEmpty(copy)];
    }),
  );
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value === '' || value === null ? undefined : value;
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, withoutEmpty(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
