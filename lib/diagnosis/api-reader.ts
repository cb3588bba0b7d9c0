/** Reads of a real API server, for diagnoses of single objects. It has no way to write. */
import { ApiServerCluster } from '../cluster/api-server.ts';
import type { Connection } from '../cluster/connection.ts';
import { ResourceClient } from '../cluster/resource-client.ts';
import { type ResourceType, typeOf } from '../cluster/resources.ts';
import { Transport } from '../cluster/transport.ts';
import type { ServerVersion } from '../controller/features.ts';
import type { Kind, Kinds, ObjectKey } from '../controller/types.ts';
import type { DiagnosisKinds, DiagnosisReader } from './finding.ts';

type StorageKind = Exclude<keyof DiagnosisKinds, Kind>;

const STORAGE_TYPES: Readonly<Record<StorageKind, ResourceType>> = {
  VolumeAttachment: storage('VolumeAttachment', 'volumeattachments'),
  CSIDriver: storage('CSIDriver', 'csidrivers'),
};

/** Where objects of this kind live in the API. */
export function typeOfDiagnosed(kind: keyof DiagnosisKinds): ResourceType {
  return isStorageKind(kind) ? STORAGE_TYPES[kind] : typeOf(kind);
}

/** A page of a large cluster's volumes may take longer than a sync may wait. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * @example
 * const reader = new ApiReader(connection);
 * const finding = await diagnose(reader, { kind: 'PersistentVolume', name: 'pv-1' }, { now: Date.now() });
 * reader.close();
 */
export class ApiReader implements DiagnosisReader {
  readonly #root: ApiServerCluster;
  readonly #cluster: ApiServerCluster;
  readonly #transport: Transport;
  readonly #storage: ResourceClient;

  /**
   * @param signal ends every request.
   * @throws ConnectionError when the connection's fields are wrong. Nothing is sent yet.
   */
  constructor(connection: Connection, signal: AbortSignal = new AbortController().signal) {
    const options = { requestTimeoutMs: REQUEST_TIMEOUT_MS };
    this.#root = new ApiServerCluster(connection, { ...options, events: { emit: false } });
    this.#cluster = this.#root.withSignal(signal);
    this.#transport = new Transport(connection, options);
    this.#storage = new ResourceClient(this.#transport, signal);
  }

  async get<K extends keyof DiagnosisKinds>(kind: K, key: ObjectKey): Promise<DiagnosisKinds[K] | undefined> {
    if (isStorageKind(kind)) return await this.#storage.get(STORAGE_TYPES[kind], key);
    return (await this.#cluster.get(kind as Kind, key)) as DiagnosisKinds[K] | undefined;
  }

  async list<K extends keyof DiagnosisKinds>(
    kind: K,
    options: { namespace?: string; fieldSelector?: string } = {},
  ): Promise<DiagnosisKinds[K][]> {
    if (isStorageKind(kind)) return (await this.#storage.list<DiagnosisKinds[K]>(STORAGE_TYPES[kind], options)).items;
    return (await this.#cluster.list(kind as Kind, options)) as Kinds[Kind][] as DiagnosisKinds[K][];
  }

  /** @throws ClusterError */
  serverVersion(): Promise<ServerVersion> {
    return this.#cluster.serverVersion();
  }

  /** Ends all requests and closes the connections. */
  close(): void {
    this.#root.close();
    this.#transport.close();
  }
}

function isStorageKind(kind: keyof DiagnosisKinds): kind is StorageKind {
  return Object.hasOwn(STORAGE_TYPES, kind);
}

function storage(kind: StorageKind, plural: string): ResourceType {
  return { kind, apiVersion: 'storage.k8s.io/v1', group: 'storage.k8s.io', plural, namespaced: false };
}
