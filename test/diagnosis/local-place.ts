/** The place of every run: the API server in memory, and the whole pipeline in this process. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { ApiReader } from '../../lib/diagnosis/api-reader.ts';
import { diagnose } from '../../lib/diagnosis/diagnose.ts';
import type { DiagnosisKinds, DiagnosisReader, Finding, Subject } from '../../lib/diagnosis/finding.ts';
import type { ApiObject } from '../../local/api-server/json.ts';
import { resourceOf, storageKey } from '../../local/api-server/resources.ts';
import { startWorld, type World } from '../e2e/world.ts';
import { Kubectl } from './kubectl.ts';
import { type Key, Place, type Plural } from './place.ts';

const PLURALS: readonly Plural[] = ['pods', 'events', 'persistentvolumeclaims', 'persistentvolumes', 'storageclasses'];

/** See the head of this file. */
export class LocalPlace extends Place {
  /** What the server does not serve. */
  readonly #served = new Map<string, object[]>();
  readonly #world: World;
  readonly #reader: ApiReader;
  readonly #kubectl: Kubectl;

  private constructor(world: World) {
    super();
    this.#world = world;
    this.#reader = new ApiReader({ server: world.server.url, token: async () => 'explain' });
    this.#kubectl = new Kubectl(world.server.url);
  }

  static async open(): Promise<Place> {
    return new LocalPlace(await startWorld({ server: { protection: true }, system: { plugins: () => [] } }));
  }

  async close(): Promise<void> {
    this.#reader.close();
    await this.#world.stop();
  }

  async clear(): Promise<void> {
    this.#served.clear();
    for (const plural of PLURALS) {
      for (const { metadata } of this.#world.server.store.list(plural)) await this.remove(plural, metadata);
    }
    await this.settled();
  }

  settled(): Promise<void> {
    return this.#world.system.settled();
  }

  async create(plural: Plural, body: object, namespace = 'default'): Promise<void> {
    this.#world.server.operations.create(targetIn(plural, namespace), body);
  }

  async delete(plural: Plural, name: string): Promise<void> {
    this.#world.server.operations.delete({ ...targetIn(plural, 'default'), name });
  }

  async remove(plural: Plural, { namespace, name }: Key): Promise<void> {
    this.#world.server.store.commit(plural, storageKey(namespace, name), undefined);
  }

  async edit(name: string, change: (volume: PersistentVolume) => object): Promise<void> {
    const stored = structuredClone(await this.getVolume(name)) as PersistentVolume;
    const edited = { ...stored, ...change(stored) } as unknown as ApiObject;
    this.#world.server.store.commit('persistentvolumes', name, edited);
  }

  async serve(kind: keyof DiagnosisKinds, object: object): Promise<void> {
    this.#served.set(kind, [...(this.#served.get(kind) ?? []), object]);
  }

  async getVolume(name: string): Promise<PersistentVolume | undefined> {
    return this.#world.server.store.get('persistentvolumes', { name });
  }

  async getClaim(name: string): Promise<PersistentVolumeClaim | undefined> {
    return this.#world.server.store.get('persistentvolumeclaims', { namespace: 'default', name });
  }

  explain(subject: Subject): Promise<Finding> {
    const [served, api] = [this.#served, this.#reader];
    const reader: DiagnosisReader = {
      get: (kind, key) => api.get(kind, key),
      list: async (kind, options) => (served.get(kind) as never) ?? (await api.list(kind, options)),
    };
    return diagnose(reader, subject, { now: Date.now(), rules: { plugins: () => [] } });
  }

  run(command: string): Promise<void> {
    return this.#kubectl.run(command);
  }
}

function targetIn(plural: Plural, namespace: string) {
  const resource = resourceOf(plural);
  return { resource, namespace: resource.namespaced ? namespace : undefined };
}
