/** A cluster as it was when every kind was listed once: what a diagnosis of all its objects reads. */
import { ClusterError } from '../controller/errors.ts';
import type { ClusterView } from '../controller/needs-sync.ts';
import type { ClusterEvent, ObjectKey, ObjectMeta, PersistentVolumeClaim, StorageClass } from '../controller/types.ts';
import { VolumeIndex } from '../controller/volume-index.ts';
import type { DiagnosisKinds, DiagnosisReader } from '../diagnosis/finding.ts';
import { slimmed } from './slimmed.ts';

export type SnapshotKind = keyof DiagnosisKinds;

export type SnapshotObjects = { readonly [K in SnapshotKind]: readonly DiagnosisKinds[K][] };

/** Lists all objects of a kind. `keep` makes of each what is held, as it arrives; what it makes undefined is dropped. */
export type ListAll = <K extends SnapshotKind>(
  kind: K,
  keep: (object: DiagnosisKinds[K]) => DiagnosisKinds[K] | undefined,
) => Promise<DiagnosisKinds[K][]>;

/** A kind that the server did not give. */
export interface Unread {
  readonly kind: SnapshotKind;
  readonly error: ClusterError;
}

const KINDS: readonly SnapshotKind[] = [
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  'Pod',
  'Node',
  'VolumeAttachment',
  'CSIDriver',
  'Event',
];
const EVENTS_ABOUT = 'involvedObject.uid=';
/** Without these nothing can be said. */
const NEEDED: readonly SnapshotKind[] = ['PersistentVolume', 'PersistentVolumeClaim'];

/**
 * Lists every kind. One that is refused is left out and told; without volumes or claims there is no snapshot.
 * @param onProgress objects held so far.
 * @throws ClusterError when volumes or claims cannot be listed, or the server cannot be reached at all.
 */
export async function takeSnapshot(
  listAll: ListAll,
  onProgress: (count: number) => void = () => {},
): Promise<Snapshot> {
  let count = 0;
  const objects: Partial<Record<SnapshotKind, readonly unknown[]>> = {};
  const unread: Unread[] = [];
  const read = async <K extends SnapshotKind>(kind: K) => {
    const keep = (object: DiagnosisKinds[K]) => {
      const kept = slimmed(kind, object);
      if (kept !== undefined) onProgress(++count);
      return kept;
    };
    try {
      objects[kind] = await listAll(kind, keep);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (NEEDED.includes(kind)) throw cannotList(kind, error);
      unread.push({ kind, error });
      objects[kind] = [];
    }
  };
  // Volumes and claims one right after the other: the less changes in between, the fewer pairs look half-done.
  await Promise.all(NEEDED.map(read));
  await Promise.all(KINDS.filter((kind) => !NEEDED.includes(kind)).map(read));
  return new Snapshot(objects as SnapshotObjects, unread);
}

/** Answers from memory. A kind that was not given is an error, never an empty list: nothing is concluded from it. */
export class Snapshot implements DiagnosisReader, ClusterView {
  readonly objects: SnapshotObjects;
  readonly unread: readonly Unread[];
  /** Built once, for all diagnoses. */
  readonly volumes: VolumeIndex;
  readonly #byKey: ReadonlyMap<SnapshotKind, ReadonlyMap<string, unknown>>;
  readonly #groups = new Map<string, Map<string, unknown[]>>();

  constructor(objects: Partial<SnapshotObjects>, unread: readonly Unread[] = []) {
    const none = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as SnapshotObjects;
    this.objects = { ...none, ...objects };
    this.unread = unread;
    this.volumes = new VolumeIndex(this.objects.PersistentVolume);
    this.#byKey = new Map(
      KINDS.map((kind) => [kind, new Map(this.objects[kind].map((object) => [keyOf(object.metadata), object]))]),
    );
  }

  /** False for a kind that the server did not give. */
  has(kind: SnapshotKind): boolean {
    return !this.unread.some((unread) => unread.kind === kind);
  }

  volume(name: string) {
    return this.volumes.get(name);
  }

  claim(key: ObjectKey): PersistentVolumeClaim | undefined {
    return this.#find('PersistentVolumeClaim', key);
  }

  storageClass(name: string): StorageClass | undefined {
    return this.#find('StorageClass', { name });
  }

  storageClasses(): readonly StorageClass[] {
    return this.objects.StorageClass;
  }

  async get<K extends SnapshotKind>(kind: K, key: ObjectKey): Promise<DiagnosisKinds[K] | undefined> {
    return this.#find(this.#given(kind), key);
  }

  /** @throws Error for a selector that it does not know: to pass over it would be a wrong answer. */
  async list<K extends SnapshotKind>(
    kind: K,
    { namespace, fieldSelector }: { namespace?: string; fieldSelector?: string } = {},
  ): Promise<DiagnosisKinds[K][]> {
    const objects: readonly DiagnosisKinds[K][] = this.objects[this.#given(kind)];
    if (kind === 'Event' && fieldSelector?.startsWith(EVENTS_ABOUT)) {
      return this.#groupedBy(kind, 'about', aboutOf).get(fieldSelector.slice(EVENTS_ABOUT.length)) ?? [];
    }
    if (fieldSelector !== undefined) throw new Error(`a snapshot cannot select ${kind}s by ${fieldSelector}`);
    if (namespace === undefined) return [...objects];
    return this.#groupedBy(kind, 'namespace', ({ metadata }) => metadata.namespace ?? '').get(namespace) ?? [];
  }

  #given<K extends SnapshotKind>(kind: K): K {
    const unread = this.unread.find((one) => one.kind === kind);
    if (unread === undefined) return kind;
    const { code, reason } = unread.error;
    // Why, is told once for the kind and not of each object.
    throw new ClusterError(`${kind} objects were not read`, { code, reason, cause: unread.error });
  }

  #find<K extends SnapshotKind>(kind: K, key: ObjectKey): DiagnosisKinds[K] | undefined {
    return this.#byKey.get(kind)?.get(keyOf(key)) as DiagnosisKinds[K] | undefined;
  }

  /** Grouped once by each field. */
  #groupedBy<K extends SnapshotKind>(kind: K, field: string, fieldOf: (object: DiagnosisKinds[K]) => string) {
    const name = `${kind} ${field}`;
    const known = this.#groups.get(name) ?? Map.groupBy<string, DiagnosisKinds[K]>(this.objects[kind], fieldOf);
    this.#groups.set(name, known as Map<string, unknown[]>);
    return known as Map<string, DiagnosisKinds[K][]>;
  }
}

function cannotList(kind: SnapshotKind, error: ClusterError): ClusterError {
  const { message, code, reason } = error;
  return new ClusterError(`cannot list ${kind}s, without which nothing can be said: ${message}`, {
    code,
    reason,
    cause: error,
  });
}

function aboutOf(event: { metadata: ObjectMeta }): string {
  return (event as ClusterEvent).involvedObject.uid ?? '';
}

function keyOf({ namespace = '', name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
