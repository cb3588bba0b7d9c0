import { type ApiObject, objectAt, stringsAt } from './json.ts';
import type { Page } from './list.ts';
import type { Resource } from './resources.ts';

/** How a column of `kubectl get` gets its text. A number above 0 in `wide` hides it without `-o wide`. */
interface Column {
  readonly name: string;
  readonly text: (object: ApiObject, now: number) => string;
  readonly wide?: true;
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const name: Column = { name: 'Name', text: (object) => object.metadata.name };
const age: Column = { name: 'Age', text: (object, now) => ageOf(object.metadata.creationTimestamp, now) };
const volumeMode: Column = { name: 'VolumeMode', text: (object) => text(spec(object)['volumeMode']), wide: true };

/** The same columns that the real server sends for these kinds; all others get name and age. */
const columns: Readonly<Record<string, readonly Column[]>> = {
  PersistentVolume: [
    name,
    { name: 'Capacity', text: (object) => text(objectAt(spec(object)['capacity'])['storage']) },
    { name: 'Access Modes', text: (object) => modes(spec(object)) },
    { name: 'Reclaim Policy', text: (object) => text(spec(object)['persistentVolumeReclaimPolicy']) },
    { name: 'Status', text: phase },
    { name: 'Claim', text: claimOf },
    { name: 'StorageClass', text: (object) => text(spec(object)['storageClassName']) },
    { name: 'VolumeAttributesClass', text: (object) => text(spec(object)['volumeAttributesClassName'] ?? '<unset>') },
    { name: 'Reason', text: (object) => text(objectAt(object.status)['reason']) },
    age,
    volumeMode,
  ],
  PersistentVolumeClaim: [
    name,
    { name: 'Status', text: phase },
    { name: 'Volume', text: (object) => text(spec(object)['volumeName']) },
    { name: 'Capacity', text: (object) => text(objectAt(objectAt(object.status)['capacity'])['storage']) },
    { name: 'Access Modes', text: (object) => modes(objectAt(object.status)) },
    { name: 'StorageClass', text: (object) => text(spec(object)['storageClassName']) },
    { name: 'VolumeAttributesClass', text: (object) => text(spec(object)['volumeAttributesClassName'] ?? '<unset>') },
    age,
    volumeMode,
  ],
  StorageClass: [
    name,
    { name: 'Provisioner', text: (object) => text(object['provisioner']) },
    { name: 'ReclaimPolicy', text: (object) => text(object['reclaimPolicy']) },
    { name: 'VolumeBindingMode', text: (object) => text(object['volumeBindingMode']) },
    { name: 'AllowVolumeExpansion', text: (object) => String(object['allowVolumeExpansion'] ?? false) },
    age,
  ],
  Pod: [name, { name: 'Status', text: phase }, age],
  Namespace: [name, { name: 'Status', text: phase }, age],
  Event: [
    { name: 'Last Seen', text: (object, now) => ageOf(text(object['lastTimestamp']), now) },
    { name: 'Type', text: (object) => text(object['type']) },
    { name: 'Reason', text: (object) => text(object['reason']) },
    { name: 'Object', text: (object) => `${text(about(object)['kind']).toLowerCase()}/${text(about(object)['name'])}` },
    { name: 'Message', text: (object) => text(object['message']).trim() },
  ],
};

/** Whether a client would rather have a table, as `kubectl get` does. */
export function wantsTable(accept: string | undefined): boolean {
  return /;\s*as=Table\b/.test(accept ?? '');
}

/** The objects as a table; clients format it, the server decides what is worth showing. */
export function tableOf(resource: Resource, page: Page, now: Date): unknown {
  const shown = columns[resource.kind] ?? [name, age];
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {
      resourceVersion: String(page.revision),
      ...(page.continueToken === undefined ? {} : { continue: page.continueToken }),
    },
    columnDefinitions: shown.map((column) => ({
      name: column.name,
      type: 'string',
      format: column === name ? 'name' : '',
      description: '',
      priority: column.wide ? 1 : 0,
    })),
    rows: page.items.map((object) => ({
      cells: shown.map((column) => column.text(object, now.getTime())),
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    })),
  };
}

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const spec = (object: ApiObject) => objectAt(object.spec);
const about = (object: ApiObject) => objectAt(object['involvedObject']);
const modes = (holder: Record<string, unknown>) =>
  stringsAt(holder['accessModes'])
    .map((mode) => shortModes[mode] ?? mode)
    .join(',');

function phase(object: ApiObject): string {
  return object.metadata.deletionTimestamp === undefined ? text(objectAt(object.status)['phase']) : 'Terminating';
}

function claimOf(volume: ApiObject): string {
  const claim = objectAt(spec(volume)['claimRef']);
  return claim['name'] === undefined ? '' : `${text(claim['namespace'])}/${text(claim['name'])}`;
}

function ageOf(time: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return '<unknown>';
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'm'],
  ] as const;
  const [size, unit] = units.find(([length]) => seconds >= 2 * length) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${unit}`;
}
