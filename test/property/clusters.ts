/** Generated clusters: small, and full of the states that the rules distinguish. */
import fc from 'fast-check';
import * as annotations from '../../lib/controller/annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../lib/controller/types.ts';

export interface GeneratedCluster {
  volumes: PersistentVolume[];
  claims: PersistentVolumeClaim[];
  classes: StorageClass[];
}

const volumeNames = ['pv-a', 'pv-b', 'pv-c', 'pvc-uid-1'];
const claimNames = ['one', 'two', 'three'];
const uids = ['uid-1', 'uid-2', 'uid-3'];
const classNames = ['fast', 'waiting', 'mocked', 'migrated', 'missing', ''];
const provisioners = ['vendor.com/disk', 'kubernetes.io/mock', 'kubernetes.io/aws-ebs', 'kubernetes.io/unknown', ''];
const sizes = ['1Gi', '2Gi', '5G', '0.5Gi', '12e9'];
const modes = fc.subarray(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'], { minLength: 1 });

/** An optional property: absent, or one of these. */
function maybe<T>(...values: T[]): fc.Arbitrary<T | undefined> {
  return fc.option(fc.constantFrom(...values), { nil: undefined });
}

/** Generated records carry undefined; objects from an API server do not. */
function compact<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

const claimRef = fc.record({
  kind: fc.constant('PersistentVolumeClaim'),
  namespace: fc.constantFrom('ns', 'other'),
  name: fc.constantFrom(...claimNames),
  uid: maybe(...uids, ''),
});

const volume = (name: string) =>
  fc
    .record({
      metadata: fc.record({
        name: fc.constant(name),
        uid: fc.constant(`uid-of-${name}`),
        resourceVersion: fc.constant('7'),
        deletionTimestamp: maybe('2026-01-01T00:00:00Z'),
        labels: maybe({ tier: 'gold' }, { tier: 'iron' }),
        finalizers: maybe(
          [annotations.IN_TREE_FINALIZER],
          [annotations.EXTERNAL_FINALIZER],
          ['kubernetes.io/pv-protection'],
        ),
        annotations: fc.record({
          [annotations.BOUND_BY_CONTROLLER]: maybe('yes'),
          [annotations.PROVISIONED_BY]: maybe(...provisioners),
          [annotations.MIGRATED_TO]: maybe('ebs.csi.aws.com', ''),
          [annotations.BETA_STORAGE_CLASS]: maybe(...classNames),
          [annotations.RECYCLER_POD]: maybe('pod/uid-1', 'pod/uid-9'),
        }),
      }),
      spec: fc
        .record({
          capacity: fc.record({ storage: fc.constantFrom(...sizes) }),
          accessModes: modes,
          storageClassName: maybe(...classNames),
          volumeMode: maybe('Filesystem', 'Block'),
          volumeAttributesClassName: maybe('gold', ''),
          persistentVolumeReclaimPolicy: maybe('Retain', 'Delete', 'Recycle', 'Other'),
          claimRef: fc.option(claimRef, { nil: undefined }),
        })
        .chain((spec) =>
          fc
            .constantFrom({ csi: { driver: 'd', volumeHandle: 'h' } }, { hostPath: { path: '/tmp/x' } })
            .map((source) => ({
              ...spec,
              ...source,
            })),
        ),
      status: fc.record({ phase: maybe('Available', 'Bound', 'Released', 'Failed', 'Pending') }),
    })
    .map(compact) as fc.Arbitrary<PersistentVolume>;

const claim = (name: string) =>
  fc
    .record({
      metadata: fc.record({
        namespace: fc.constant('ns'),
        name: fc.constant(name),
        uid: fc.constantFrom(...uids),
        resourceVersion: fc.constant('7'),
        annotations: fc.record({
          [annotations.BIND_COMPLETED]: maybe('yes'),
          [annotations.BOUND_BY_CONTROLLER]: maybe('yes'),
          [annotations.STORAGE_PROVISIONER]: maybe(...provisioners),
          [annotations.MIGRATED_TO]: maybe('ebs.csi.aws.com', ''),
          [annotations.SELECTED_NODE]: maybe('node-1'),
          [annotations.BETA_STORAGE_CLASS]: maybe(...classNames),
        }),
      }),
      spec: fc.record({
        accessModes: modes,
        resources: fc.record({ requests: fc.record({ storage: fc.constantFrom(...sizes) }) }),
        storageClassName: maybe(...classNames),
        volumeMode: maybe('Filesystem', 'Block'),
        volumeAttributesClassName: maybe('gold', ''),
        volumeName: maybe(...volumeNames, 'pv-missing'),
        selector: maybe(
          { matchLabels: { tier: 'gold' } },
          { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] },
          { matchExpressions: [{ key: 'tier', operator: 'Nonsense' }] },
        ),
      }),
      status: fc.record({
        phase: maybe('Pending', 'Bound', 'Lost'),
        accessModes: fc.option(modes, { nil: undefined }),
        capacity: maybe({ storage: '1Gi' }, {}),
        currentVolumeAttributesClassName: maybe('gold'),
      }),
    })
    .map(compact) as fc.Arbitrary<PersistentVolumeClaim>;

const storageClass = (name: string) =>
  fc
    .record({
      metadata: fc.record({
        name: fc.constant(name),
        creationTimestamp: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
        annotations: fc.record({ [annotations.DEFAULT_CLASS]: maybe('true', 'false') }),
      }),
      provisioner: fc.constantFrom(...provisioners.filter((p) => p !== '')),
      volumeBindingMode: maybe('Immediate', 'WaitForFirstConsumer'),
    })
    .map(compact) as fc.Arbitrary<StorageClass>;

export const clusters: fc.Arbitrary<GeneratedCluster> = fc.record({
  volumes: fc.subarray(volumeNames, { minLength: 1 }).chain((names) => fc.tuple(...names.map(volume))),
  claims: fc.subarray(claimNames).chain((names) => fc.tuple(...names.map(claim))),
  classes: fc
    .subarray(['fast', 'waiting', 'mocked', 'migrated'])
    .chain((names) => fc.tuple(...names.map(storageClass))),
});
