/** Volumes, claims, classes and pods as users write them, by chance: small, and full of the fields that the rules read. */
import * as annotations from '../../lib/controller/annotations.ts';
import type { PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { NOBODY, NODE } from './names.ts';
import type { Random } from './random.ts';
import { keyOf, type Snapshot } from './snapshot.ts';

type Body = Record<string, unknown>;

/**
 * Each set holds the one before it, so that of the groups that hold what a claim wants no two are equally large: which
 * comes first is undefined. ReadWriteOncePod goes with no other mode.
 */
const OFFERED = [
  ['ReadWriteOnce'],
  ['ReadWriteOnce', 'ReadOnlyMany'],
  ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'],
  ['ReadWriteOncePod'],
];
const REQUESTED = [
  ['ReadWriteOnce'],
  ['ReadOnlyMany'],
  ['ReadWriteMany'],
  ['ReadWriteOnce', 'ReadOnlyMany'],
  ['ReadWriteOncePod'],
];
const PROVISIONERS = [
  'kubernetes.io/host-path',
  'external.example.com',
  'kubernetes.io/aws-ebs',
  'kubernetes.io/no-provisioner',
  'kubernetes.io/glusterfs',
];
const TIERS = ['gold', 'iron'];
/** Names that are chosen before there is such a volume, claim or class, too. */
export const VOLUME_NAMES = ['~v1', '~v2', '~v3', '~v4', '~v5', '~v6'];
export const CLAIM_NAMES = ['~c1', '~c2', '~c3', '~c4'];
/** In this order of their creation: of two defaults the newest wins, and within one second the first by name. */
export const CLASS_NAMES = ['~k9', '~k8', '~k7', '~k6'];

export function volumeDraft(random: Random, state: Snapshot): Body {
  const isRecyclable = random.percent(70);
  return {
    metadata: {
      labels: random.percent(60) ? { tier: random.of(TIERS) } : {},
      annotations: {
        ...(random.percent(25) && { [annotations.PROVISIONED_BY]: random.of(PROVISIONERS) }),
        ...(random.percent(8) && { [annotations.BOUND_BY_CONTROLLER]: 'yes' }),
        ...(random.percent(5) && { [annotations.MIGRATED_TO]: random.of(['ebs.csi.aws.com', '']) }),
        ...(random.percent(5) && { [annotations.BETA_STORAGE_CLASS]: random.of(CLASS_NAMES) }),
        ...(random.percent(5) && { [annotations.PRE_RESIZE_CAPACITY]: '1Gi' }),
      },
      ...(random.percent(10) && { finalizers: [random.of(FINALIZERS)] }),
    },
    spec: {
      capacity: { storage: freeSize(random, state) },
      accessModes: random.weighted(OFFERED.map((modes, i) => [i === 0 ? 5 : 2, modes])),
      persistentVolumeReclaimPolicy: random.of(isRecyclable ? ['Retain', 'Delete', 'Recycle'] : ['Retain', 'Delete']),
      ...(random.percent(50) && { storageClassName: random.of([...CLASS_NAMES.slice(0, 2), '']) }),
      ...(random.percent(10) && { volumeMode: 'Block' }),
      ...(random.percent(30) && { claimRef: claimRefDraft(random, state.claims) }),
      ...(isRecyclable ? recyclableSource(random) : otherSource(random)),
    },
  };
}

export const FINALIZERS = ['example.com/hold', annotations.IN_TREE_FINALIZER, annotations.EXTERNAL_FINALIZER];

/** A size that no volume has: equally large volumes would be a tie. */
export function freeSize(random: Random, { volumes }: Snapshot): string {
  const taken = new Set(volumes.map(({ spec }) => spec.capacity?.['storage']));
  const sizes = Array.from({ length: 12 }, (_, i) => (i % 4 === 3 ? `${(i + 1) * 1500}M` : `${i + 1}Gi`));
  return random.of(sizes.filter((size) => !taken.has(size)));
}

function recyclableSource(random: Random): Body {
  return random.weighted<Body>([
    [6, { hostPath: { path: `/tmp/differential/${random.whole(1, 1_000_000)}` } }],
    [1, { hostPath: { path: '/srv/differential' } }],
    [1, { nfs: { server: 'nfs.example.com', path: '/export' } }],
  ]);
}

function otherSource(random: Random): Body {
  const csi = { driver: 'external.example.com', volumeHandle: String(random.whole(1, 1_000_000)) };
  const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE] }] }];
  return random.weighted<Body>([
    [2, { csi }],
    // Other kinds of volumes may have no attributes class.
    [2, { csi, volumeAttributesClassName: 'fast' }],
    [1, { local: { path: '/mnt/disk' }, nodeAffinity: { required: { nodeSelectorTerms: terms } } }],
    [1, { awsElasticBlockStore: { volumeID: 'vol-1' } }],
  ]);
}

/** By name, by name and uid, or to a claim that never was. */
export function claimRefDraft(random: Random, claims: readonly PersistentVolumeClaim[]): Body {
  const kind = { kind: 'PersistentVolumeClaim', apiVersion: 'v1' };
  if (claims.length === 0 || random.percent(30)) {
    const uid = random.percent(40) ? { uid: NOBODY } : {};
    return { ...kind, namespace: random.of(['~n1', '~n2']), name: random.of(CLAIM_NAMES), ...uid };
  }
  const { namespace, name, uid } = random.of(claims).metadata;
  return { ...kind, namespace, name, ...(random.percent(60) && { uid }) };
}

export function claimDraft(random: Random, { volumes }: Snapshot): Body {
  const volumeNames = [...VOLUME_NAMES.slice(0, 2), ...volumes.map(keyOf as (volume: unknown) => string)];
  return {
    metadata: {
      annotations: {
        ...(random.percent(6) && { [annotations.BETA_STORAGE_CLASS]: random.of(CLASS_NAMES) }),
        ...(random.percent(6) && { [annotations.SELECTED_NODE]: random.of([NODE, 'gone']) }),
        ...(random.percent(4) && { [annotations.BOUND_BY_CONTROLLER]: 'yes' }),
        ...(random.percent(4) && { [annotations.BIND_COMPLETED]: 'yes' }),
      },
    },
    spec: {
      accessModes: random.weighted(REQUESTED.map((modes, i) => [i === 0 ? 8 : 2, modes])),
      resources: { requests: { storage: random.of(['1Gi', '2Gi', '3500M', '5Gi', '9Gi']) } },
      ...random.weighted<Body>([
        [2, { storageClassName: '' }],
        [2, {}],
        [3, { storageClassName: random.of(CLASS_NAMES.slice(0, 2)) }],
        // Most claims should find something.
        [
          volumes.length === 0 ? 0 : 6,
          { storageClassName: random.of(['', ...volumes.map(annotations.storageClassOf)]) },
        ],
      ]),
      ...(random.percent(15) && { selector: { matchLabels: { tier: random.of(TIERS) } } }),
      ...(random.percent(8) && { volumeMode: 'Block' }),
      ...(random.percent(8) && { volumeAttributesClassName: 'fast' }),
      ...(random.percent(25) && { volumeName: random.of(volumeNames) }),
    },
  };
}

export function classDraft(random: Random): Body {
  return {
    metadata: { annotations: random.percent(35) ? { [annotations.DEFAULT_CLASS]: 'true' } : {} },
    provisioner: random.weighted(PROVISIONERS.map((name, i) => [i === 0 ? 4 : 1, name])),
    volumeBindingMode: random.percent(35) ? 'WaitForFirstConsumer' : 'Immediate',
    reclaimPolicy: random.percent(70) ? 'Delete' : 'Retain',
    ...(random.percent(10) && { mountOptions: ['ro'] }),
  };
}

/** A pod that uses a claim; nobody schedules it, but it may be on the node from the start. */
export function podDraft(random: Random, claimName: string): Body {
  return {
    spec: {
      ...(random.percent(50) && { nodeName: NODE }),
      containers: [{ name: 'main', image: 'example.com/none' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  };
}
