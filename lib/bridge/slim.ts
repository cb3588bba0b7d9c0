/**
 * Slim copies of the objects: what the controller's rules read, and nothing else, so that 100,000 of them fit in a small
 * process. Small values that many objects share (labels, modes, sizes) are kept once and frozen.
 */
import type { ObjectMeta, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../controller/types.ts';

const ANNOTATION_PREFIXES = [
  'pv.kubernetes.io/',
  'volume.kubernetes.io/',
  'volume.beta.kubernetes.io/',
  'volume.alpha.kubernetes.io/',
  'storageclass.kubernetes.io/',
  'storageclass.beta.kubernetes.io/',
  'pv-controller.serverless/',
];
const METADATA = ['namespace', 'name', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'] as const;
/** Fields of a volume's spec that are not its source. */
const VOLUME_FIELDS = [
  'accessModes',
  'capacity',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
] as const;
const DROPPED_VOLUME_FIELDS = ['mountOptions', 'nodeAffinity'];
const CLAIM_STATUS_FIELDS = ['phase', 'accessModes', 'capacity', 'currentVolumeAttributesClassName'] as const;
const CLASS_FIELDS = ['provisioner', 'reclaimPolicy', 'volumeBindingMode', 'parameters', 'mountOptions'] as const;

type Fields = Readonly<Record<string, unknown>>;

/** Makes the copies of one registry. */
export class Slimmer {
  /** Two generations: what nobody has asked for while one filled up is forgotten, or seconds would be kept for ever. */
  #shared = new Map<string, unknown>();
  #older = new Map<string, unknown>();
  readonly #maxShared: number;

  /** @param maxShared values of a generation. */
  constructor(maxShared = 2_500) {
    this.#maxShared = maxShared;
  }

  volume(volume: PersistentVolume): PersistentVolume {
    const { spec, status } = volume;
    const { claimRef, ...fields } = this.#pick(spec, VOLUME_FIELDS);
    return {
      metadata: this.#metadata(volume.metadata, true),
      spec: {
        ...fields,
        ...(claimRef !== undefined && { claimRef: this.#claimRef(claimRef as Fields) }),
        ...this.#source(spec as unknown as Fields),
      },
      ...(status !== undefined && { status: this.#volumeStatus(status) }),
    } as PersistentVolume;
  }

  claim(claim: PersistentVolumeClaim): PersistentVolumeClaim {
    const { spec, status } = claim;
    const { volumeName, ...shared } = spec;
    return {
      metadata: this.#metadata(claim.metadata, false),
      spec: { ...this.#pick(shared, Object.keys(shared)), ...(volumeName !== undefined && { volumeName }) },
      ...(status !== undefined && { status: this.#share(pick(status, CLAIM_STATUS_FIELDS)) }),
    } as PersistentVolumeClaim;
  }

  storageClass(storageClass: StorageClass): StorageClass {
    const metadata = this.#metadata(storageClass.metadata, false);
    return { metadata, ...pick(storageClass, CLASS_FIELDS) } as StorageClass;
  }

  #metadata(metadata: ObjectMeta, withLabels: boolean): ObjectMeta {
    const { labels, annotations, finalizers } = metadata;
    const kept = Object.entries(annotations ?? {}).filter(([key]) =>
      ANNOTATION_PREFIXES.some((p) => key.startsWith(p)),
    );
    const slim: Record<string, unknown> = pick(metadata, METADATA);
    if (slim['namespace'] !== undefined) slim['namespace'] = this.#share(slim['namespace']);
    if (slim['creationTimestamp'] !== undefined) slim['creationTimestamp'] = this.#share(slim['creationTimestamp']);
    if (withLabels && labels !== undefined) slim['labels'] = this.#share(labels);
    if (kept.length > 0) slim['annotations'] = this.#share(Object.fromEntries(kept));
    if (finalizers !== undefined) slim['finalizers'] = this.#share(finalizers);
    return slim as ObjectMeta;
  }

  /** Since when is asked only of volumes that wait for their end (lib/observability/gauges.ts): few, and not alike. */
  #volumeStatus(status: NonNullable<PersistentVolume['status']>): Fields {
    const { phase, lastPhaseTransitionTime } = status;
    const hasSince = (phase === 'Released' || phase === 'Failed') && lastPhaseTransitionTime;
    return hasSince ? { phase, lastPhaseTransitionTime } : this.#share(pick(status, ['phase']));
  }

  #claimRef({ namespace, name, uid }: Fields): Fields {
    return { namespace: this.#share(namespace), name, ...(uid !== undefined && { uid }) };
  }

  /** The source by its key, with what a plugin needs to know it by. */
  #source(spec: Fields): Fields {
    const key = Object.keys(spec).find(
      (name) => !(VOLUME_FIELDS as readonly string[]).includes(name) && !DROPPED_VOLUME_FIELDS.includes(name),
    );
    if (key === undefined) return {};
    const source = (spec[key] ?? {}) as Fields;
    switch (key) {
      case 'csi':
        return this.#share({ csi: { driver: source['driver'], volumeHandle: '' } }) as Fields;
      case 'hostPath':
        return { hostPath: pick(source, ['path']) };
      case 'nfs':
        return { nfs: pick(source, ['server', 'path']) };
      default:
        return this.#share({ [key]: {} }) as Fields;
    }
  }

  #pick(object: object, keys: readonly string[]): Record<string, unknown> {
    const picked = pick(object, keys);
    for (const key of Object.keys(picked)) if (key !== 'claimRef') picked[key] = this.#share(picked[key]);
    return picked;
  }

  #share<T>(value: T): T {
    const key = JSON.stringify(value);
    const young = this.#shared.get(key);
    if (young !== undefined) return young as T;
    if (this.#shared.size >= this.#maxShared) {
      this.#older = this.#shared;
      this.#shared = new Map();
    }
    const known = (this.#older.get(key) as T | undefined) ?? freeze(value);
    this.#shared.set(key, known);
    return known;
  }
}

function pick(object: object, keys: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const key of keys) {
    const value = (object as Fields)[key];
    if (value !== undefined && value !== null) picked[key] = value;
  }
  return picked;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}
