/** A cluster with one of each trouble that `doctor` tells, for tests, screenshots and measurements. */
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../controller/types.ts';
import type { DiagnosisKinds } from '../../diagnosis/finding.ts';
import { Snapshot, type SnapshotObjects, type Unread } from '../snapshot.ts';

export const NOW = Date.parse('2026-11-30T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type VolumeSpec = PersistentVolume['spec'];
type ClaimSpec = PersistentVolumeClaim['spec'];

interface VolumeLook {
  readonly phase?: string;
  readonly claim?: string;
  readonly claimUid?: string;
  readonly size?: string;
  readonly age?: number;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
  readonly deleted?: number;
  readonly spec?: Partial<VolumeSpec>;
}

/** A CSI volume of class gp3, policy Retain. */
export function volumeOf(name: string, look: VolumeLook = {}): PersistentVolume {
  const {
    phase = 'Available',
    claim,
    claimUid,
    size = '10Gi',
    age = DAY,
    annotations,
    finalizers,
    deleted,
    spec,
  } = look;
  const [namespace, claimName] = claim?.split('/') ?? [];
  const uid = claimUid ?? `uid-of-${claimName}`;
  return {
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: {
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: ago(age),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ...(deleted !== undefined && { deletionTimestamp: ago(deleted) }),
    },
    spec: {
      capacity: { storage: size },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'gp3',
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` },
      ...(namespace !== undefined &&
        claimName !== undefined && { claimRef: { namespace, name: claimName, ...(uid !== '' && { uid }) } }),
      ...spec,
    },
    status: { phase, lastPhaseTransitionTime: ago(age) },
  };
}

interface ClaimLook {
  readonly phase?: string;
  readonly volume?: string;
  readonly age?: number;
  readonly deleted?: number;
  readonly finalizers?: string[];
  readonly spec?: Partial<ClaimSpec>;
}

/** A claim of class gp3 for 10Gi; one that names a volume has been bound. */
export function claimOf(key: string, look: ClaimLook = {}): PersistentVolumeClaim {
  const [namespace = '', name = ''] = key.split('/');
  const { phase = 'Bound', volume, age = DAY, deleted, finalizers, spec } = look;
  return {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: {
      namespace,
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: ago(age),
      ...(finalizers && { finalizers }),
      ...(deleted !== undefined && { deletionTimestamp: ago(deleted) }),
      ...(volume !== undefined && { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'gp3',
      resources: { requests: { storage: '10Gi' } },
      ...(volume !== undefined && { volumeName: volume }),
      ...spec,
    },
    status: {
      phase,
      ...(phase === 'Bound' && { accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } }),
    },
  };
}

/** A volume and a claim that are bound to each other, and both sides say so. */
export function pairOf(
  name: string,
  look: VolumeLook = {},
): { volume: PersistentVolume; claim: PersistentVolumeClaim } {
  const key = `team-a/claim-${name}`;
  return {
    volume: volumeOf(name, { phase: 'Bound', claim: key, ...look }),
    claim: claimOf(key, { volume: name, ...(look.age !== undefined && { age: look.age }) }),
  };
}

export function classOf(name: string, more: Partial<StorageClass> = {}): StorageClass {
  return {
    kind: 'StorageClass',
    apiVersion: 'storage.k8s.io/v1',
    metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1' },
    provisioner: 'ebs.csi.aws.com',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    ...more,
  };
}

export function nodeOf(name: string): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': 'eu-west-1a' } },
  };
}

export function driverOf(name: string): DiagnosisKinds['CSIDriver'] {
  return { metadata: { name } };
}

export function podOf(key: string, claimName: string, more: Partial<Pod> = {}): Pod {
  const [namespace = '', name = ''] = key.split('/');
  return {
    metadata: { namespace, name, uid: `uid-of-${name}`, resourceVersion: '1' },
    spec: { containers: [], volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
    status: { phase: 'Pending' },
    ...more,
  };
}

/** Node affinity as local volumes have it. */
export function onNode(name: string): Pick<VolumeSpec, 'nodeAffinity'> {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }];
  return { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } };
}

/** All of it. */
export function troubledCluster(more: Partial<SnapshotObjects> = {}, unread: readonly Unread[] = []): Snapshot {
  const healthy = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => pairOf(`pv-${name}`, { age: 90 * DAY }));
  const drifted = pairOf('pv-drifted', { annotations: { 'pv.kubernetes.io/provisioned-by': 'ebs.csi.aws.com' } });
  const local = pairOf('pv-local', { spec: onNode('node-gone') });
  const orphan = pairOf('pv-of-nobody', { spec: { csi: { driver: 'csi.gone.example', volumeHandle: 'x' } } });
  const pairs = [...healthy, drifted, local, orphan];
  return new Snapshot(
    {
      PersistentVolume: [
        ...pairs.map(({ volume }) => volume),
        volumeOf('pv-free', { size: '100Gi', age: 40 * DAY }),
        volumeOf('pv-released-old', { phase: 'Released', claim: 'team-a/old', size: '500Gi', age: 214 * DAY }),
        volumeOf('pv-released-new', { phase: 'Released', claim: 'team-a/new', size: '20Gi', age: 3 * DAY }),
        volumeOf('pv-failed', {
          phase: 'Failed',
          claim: 'team-b/recycled',
          age: 10 * DAY,
          spec: { persistentVolumeReclaimPolicy: 'Recycle', storageClassName: 'nfs' },
        }),
        volumeOf('pv-terminating', {
          phase: 'Bound',
          claim: 'team-a/kept',
          deleted: 2 * DAY,
          finalizers: ['kubernetes.io/pv-protection'],
        }),
        volumeOf('pv-taken', { phase: 'Bound', claim: 'team-b/winner' }),
      ],
      PersistentVolumeClaim: [
        ...pairs.map(({ claim }) => claim),
        claimOf('team-a/kept', { volume: 'pv-terminating' }),
        claimOf('team-b/winner', { volume: 'pv-taken' }),
        claimOf('team-b/loser', { volume: 'pv-taken', phase: 'Lost', age: 5 * DAY }),
        claimOf('team-b/lost', { volume: 'pv-deleted', phase: 'Lost', age: 30 * DAY }),
        claimOf('team-c/classless', { phase: 'Pending', age: 2 * HOUR, spec: { storageClassName: 'no-such-class' } }),
        claimOf('team-c/waiting', { phase: 'Pending', age: HOUR / 2, spec: { storageClassName: 'late' } }),
      ],
      StorageClass: [classOf('gp3'), classOf('late', { volumeBindingMode: 'WaitForFirstConsumer' })],
      Node: [nodeOf('node-1'), nodeOf('node-2')],
      CSIDriver: [driverOf('ebs.csi.aws.com')],
      VolumeAttachment: [
        {
          metadata: { name: 'csi-0123' },
          spec: { attacher: 'ebs.csi.aws.com', nodeName: 'node-gone', source: { persistentVolumeName: 'pv-a' } },
        },
      ],
      ...more,
    },
    unread,
  );
}

function ago(ms: number): string {
  return new Date(NOW - ms).toISOString();
}
