/** Where field reports happen: an API server with its protection controllers, and this controller running on it. */

import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { ApiReader } from '../../lib/diagnosis/api-reader.ts';
import { diagnose } from '../../lib/diagnosis/diagnose.ts';
import type { DiagnosisKinds, DiagnosisReader, Finding, Subject } from '../../lib/diagnosis/finding.ts';
import type { ApiObject } from '../../local/api-server/json.ts';
import { resourceOf, storageKey } from '../../local/api-server/resources.ts';
import { claim, volume } from '../e2e/objects.ts';
import { startWorld, type World } from '../e2e/world.ts';
import { Kubectl } from './kubectl.ts';

type More<F extends (name: string, more: never) => unknown> = Parameters<F>[1];
const KINDS = ['pods', 'events', 'persistentvolumeclaims', 'persistentvolumes', 'storageclasses', 'nodes'];

export class Place {
  /** What the server does not serve, or serves in another way. */
  readonly served: { -readonly [K in keyof DiagnosisKinds]?: DiagnosisKinds[K][] } = {};
  readonly #world: World;
  readonly #reader: ApiReader;
  readonly kubectl: Kubectl;

  constructor(world: World) {
    this.#world = world;
    this.#reader = new ApiReader({ server: world.server.url, token: async () => 'explain' });
    this.kubectl = new Kubectl(world.server.url);
  }

  static async open(): Promise<Place> {
    return new Place(await startWorld({ server: { protection: true }, system: { plugins: () => [] } }));
  }

  async close(): Promise<void> {
    this.#reader.close();
    await this.#world.stop();
  }

  /** Takes everything away, past all rules. */
  async clear(): Promise<void> {
    for (const kind of Object.keys(this.served)) delete this.served[kind as keyof DiagnosisKinds];
    for (const plural of KINDS) {
      for (const { metadata } of this.#world.server.store.list(plural)) this.remove(plural, metadata);
    }
    await this.settled();
  }

  settled(): Promise<void> {
    return this.#world.system.settled();
  }

  create(plural: string, body: object, namespace = 'default'): void {
    const resource = resourceOf(plural);
    this.#world.server.operations.create({ resource, namespace: resource.namespaced ? namespace : undefined }, body);
  }

  /** A class; without a provisioner one for volumes that exist. */
  storageClass(name: string, provisioner = 'kubernetes.io/no-provisioner', more: object = {}): void {
    this.create('storageclasses', { metadata: { name }, provisioner, volumeBindingMode: 'Immediate', ...more });
  }

  volume(name: string, more: More<typeof volume> = {}): void {
    this.create('persistentvolumes', volume(name, more));
  }

  claim(name: string, more: More<typeof claim> = {}, namespace = 'default'): void {
    const { metadata, ...rest } = claim(name, more);
    this.create('persistentvolumeclaims', { ...rest, metadata: { ...metadata, namespace } }, namespace);
  }

  /** A volume and a claim that are bound to each other. */
  async pair(volumeName: string, claimName: string, more: More<typeof volume> = {}): Promise<void> {
    this.volume(volumeName, more);
    await this.settled();
    this.claim(claimName);
    await this.settled();
  }

  /** A volume whose claim was there and is gone. */
  async released(volumeName: string, claimName: string, more: More<typeof volume> = {}): Promise<void> {
    await this.pair(volumeName, claimName, more);
    this.delete('persistentvolumeclaims', claimName);
    await this.settled();
  }

  delete(plural: string, name: string): void {
    const resource = resourceOf(plural);
    this.#world.server.operations.delete({ resource, namespace: resource.namespaced ? 'default' : undefined, name });
  }

  /** Past all rules, finalizers or not. */
  remove(plural: string, { namespace, name }: { namespace?: string | undefined; name: string }): void {
    this.#world.server.store.commit(plural, storageKey(namespace, name), undefined);
  }

  /** Changes what is stored, past all rules. */
  edit(name: string, change: (volume: PersistentVolume) => object): void {
    const stored = structuredClone(this.getVolume(name)) as PersistentVolume;
    this.#world.server.store.commit('persistentvolumes', name, {
      ...stored,
      ...change(stored),
    } as unknown as ApiObject);
  }

  getVolume(name: string): PersistentVolume | undefined {
    return this.#world.server.store.get('persistentvolumes', { name });
  }

  getClaim(name: string): PersistentVolumeClaim | undefined {
    return this.#world.server.store.get('persistentvolumeclaims', { namespace: 'default', name });
  }

  explain(subject: Subject): Promise<Finding> {
    const { served } = this;
    const api = this.#reader;
    const reader: DiagnosisReader = {
      get: (kind, key) => api.get(kind, key),
      list: async (kind, options) => served[kind] ?? (await api.list(kind, options)),
    };
    return diagnose(reader, subject, { now: Date.now(), rules: { plugins: () => [] } });
  }

  /** `Bound data <-> pv-1 Bound`, as both sides say it. */
  both(claimName: string, volumeName: string): string {
    const [{ spec, status } = {}, bound] = [this.getClaim(claimName), this.getVolume(volumeName)];
    const back = bound?.spec.claimRef?.name ?? 'nobody';
    return `${status?.phase} ${back} <-> ${spec?.volumeName ?? 'nothing'} ${bound?.status?.phase}`;
  }

  /** `Available, reserved for data, Retain`; `gone`. */
  state(volumeName: string): string {
    const found = this.getVolume(volumeName);
    if (found === undefined) return 'gone';
    const { claimRef, persistentVolumeReclaimPolicy } = found.spec;
    const whose = claimRef === undefined ? 'free' : `${claimRef.uid ? 'of' : 'reserved for'} ${claimRef.name}`;
    return `${found.status?.phase}, ${whose}, ${persistentVolumeReclaimPolicy}`;
  }
}
