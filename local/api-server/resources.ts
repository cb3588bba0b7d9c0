/** One kind of object that the server keeps. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  /** What a fieldSelector may name besides `metadata.name` and, where there is one, `metadata.namespace`. */
  readonly selectableFields: readonly string[];
}

const core = { group: '', version: 'v1', namespaced: true, hasStatus: true, selectableFields: [] } as const;
const cluster = { ...core, namespaced: false } as const;

/** Every resource of the server, in the order in which discovery lists them. */
export const resources: readonly Resource[] = [
  {
    ...core,
    plural: 'events',
    singular: 'event',
    shortNames: ['ev'],
    kind: 'Event',
    hasStatus: false,
    selectableFields: [
      'involvedObject.kind',
      'involvedObject.namespace',
      'involvedObject.name',
      'involvedObject.uid',
      'involvedObject.apiVersion',
      'involvedObject.resourceVersion',
      'involvedObject.fieldPath',
      'reason',
      'reportingComponent',
      'source',
      'type',
    ],
  },
  {
    ...cluster,
    plural: 'namespaces',
    singular: 'namespace',
    shortNames: ['ns'],
    kind: 'Namespace',
    selectableFields: ['status.phase'],
  },
  {
    ...cluster,
    plural: 'nodes',
    singular: 'node',
    shortNames: ['no'],
    kind: 'Node',
    selectableFields: ['spec.unschedulable'],
  },
  {
    ...core,
    plural: 'persistentvolumeclaims',
    singular: 'persistentvolumeclaim',
    shortNames: ['pvc'],
    kind: 'PersistentVolumeClaim',
  },
  {
    ...cluster,
    plural: 'persistentvolumes',
    singular: 'persistentvolume',
    shortNames: ['pv'],
    kind: 'PersistentVolume',
  },
  {
    ...core,
    plural: 'pods',
    singular: 'pod',
    shortNames: ['po'],
    kind: 'Pod',
    selectableFields: ['spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'status.phase', 'status.podIP'],
  },
  {
    ...cluster,
    group: 'storage.k8s.io',
    plural: 'storageclasses',
    singular: 'storageclass',
    shortNames: ['sc'],
    kind: 'StorageClass',
    hasStatus: false,
  },
  {
    ...core,
    group: 'coordination.k8s.io',
    plural: 'leases',
    singular: 'lease',
    shortNames: [],
    kind: 'Lease',
    hasStatus: false,
  },
];

const byPlural = new Map(resources.map((resource) => [resource.plural, resource]));

/** The resource of a plural name; plural names are unique across the groups served here. */
export function resourceOf(plural: string): Resource {
  const resource = byPlural.get(plural);
  if (resource === undefined) throw new Error(`the local API server has no resource ${plural}`);
  return resource;
}

/** The resource that a path names, if the server has it. */
export function findResource(group: string, version: string, plural: string): Resource | undefined {
  const resource = byPlural.get(plural);
  return resource?.group === group && resource.version === version ? resource : undefined;
}

/** `v1` or `storage.k8s.io/v1`. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The plural as error messages write it: `persistentvolumes`, `storageclasses.storage.k8s.io`. */
export function qualifiedPlural(resource: Resource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** The kind as messages of failed validation write it. */
export function qualifiedKind(resource: Resource): string {
  return resource.group === '' ? resource.kind : `${resource.kind}.${resource.group}`;
}

/** Where an object is kept: `namespace/name`, or `name` for cluster-scoped kinds. Its order is the order of lists. */
export function storageKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}
