import { describe, expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../controller/types.ts';
import { Slimmer } from './slim.ts';

const fat: PersistentVolume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: {
    name: 'pv-1',
    uid: 'u-1',
    resourceVersion: '5',
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionTimestamp: '2026-01-02T00:00:00Z',
    labels: { zone: 'a', 'any.org/label': 'kept' },
    annotations: {
      'pv.kubernetes.io/provisioned-by': 'ebs.csi.aws.com',
      'volume.beta.kubernetes.io/storage-class': 'old',
      'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi',
      'pv-controller.serverless/recycler-pod': 'uid',
      'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(1_000),
    },
    finalizers: ['kubernetes.io/pv-protection'],
    managedFields: [{ manager: 'm' }],
  },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '10Gi' },
    claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one', uid: 'c-1' },
    csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1', volumeAttributes: { a: 'b' } },
    mountOptions: ['ro'],
    nodeAffinity: {},
    persistentVolumeReclaimPolicy: 'Delete',
    storageClassName: 'gp3',
    volumeAttributesClassName: 'gold',
    volumeMode: 'Filesystem',
  },
  status: { phase: 'Bound', message: 'm' },
};

const claim: PersistentVolumeClaim = {
  metadata: {
    namespace: 'ns',
    name: 'one',
    labels: { app: 'a' },
    annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
  },
  spec: { accessModes: ['ReadWriteOnce'], volumeName: 'pv-1', selector: { matchLabels: { a: 'b' } } },
  status: {
    phase: 'Bound',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '10Gi' },
    currentVolumeAttributesClassName: 'gold',
    conditions: [{ type: 'Resizing', status: 'True' }],
  },
};

describe('Slimmer', () => {
  it('keeps of a volume what the rules read', () => {
    expect(new Slimmer().volume(fat)).toEqual({
      metadata: {
        name: 'pv-1',
        uid: 'u-1',
        resourceVersion: '5',
        creationTimestamp: '2026-01-01T00:00:00Z',
        deletionTimestamp: '2026-01-02T00:00:00Z',
        labels: { zone: 'a', 'any.org/label': 'kept' },
        annotations: {
          'pv.kubernetes.io/provisioned-by': 'ebs.csi.aws.com',
          'volume.beta.kubernetes.io/storage-class': 'old',
          'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi',
          'pv-controller.serverless/recycler-pod': 'uid',
        },
        finalizers: ['kubernetes.io/pv-protection'],
      },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '10Gi' },
        claimRef: { namespace: 'ns', name: 'one', uid: 'c-1' },
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: '' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'gp3',
        volumeAttributesClassName: 'gold',
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Bound' },
    });
  });

  it('keeps of a claim its spec and what its status tells of the binding', () => {
    const slim = new Slimmer().claim(claim);
    expect(slim.spec).toEqual(claim.spec);
    expect(slim.metadata.annotations).toEqual({ 'pv.kubernetes.io/bind-completed': 'yes' });
    expect(slim.metadata.labels).toBeUndefined();
    expect(slim.status).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '10Gi' },
      currentVolumeAttributesClassName: 'gold',
    });
  });

  it.each([
    [{ hostPath: { path: '/a', type: 'Directory' } }, { hostPath: { path: '/a' } }],
    [{ nfs: { server: 's', path: '/a', readOnly: true } }, { nfs: { server: 's', path: '/a' } }],
    [{ awsElasticBlockStore: { volumeID: 'v' } }, { awsElasticBlockStore: {} }],
    [{}, {}],
  ])('keeps of the source %j what tells the plugin: %j', (source, kept) => {
    expect(new Slimmer().volume({ metadata: { name: 'pv' }, spec: source }).spec).toEqual(kept);
  });

  it.each([
    ['Released', true],
    ['Failed', true],
    ['Bound', false],
    ['Available', false],
  ])('keeps since when a volume is %s: %s', (phase, isKept) => {
    const lastPhaseTransitionTime = '2026-01-03T00:00:00Z';
    const { status } = new Slimmer().volume({ ...fat, status: { phase, lastPhaseTransitionTime, message: 'm' } });
    expect(status).toEqual(isKept ? { phase, lastPhaseTransitionTime } : { phase });
  });

  it.each(['Bound', 'Released'])('of a slim object keeps all: %s', (phase) => {
    const slimmer = new Slimmer();
    const volume = slimmer.volume({ ...fat, status: { phase, lastPhaseTransitionTime: '2026-01-03T00:00:00Z' } });
    expect(slimmer.volume(volume)).toEqual(volume);
    expect(slimmer.claim(slimmer.claim(claim))).toEqual(slimmer.claim(claim));
  });

  it('adds nothing to an object that has little, and drops what is null', () => {
    const slimmer = new Slimmer();
    const claimRef = { namespace: 'ns', name: 'one' };
    expect(slimmer.volume({ metadata: { name: 'pv' }, spec: { claimRef } })).toStrictEqual({
      metadata: { name: 'pv' },
      spec: { claimRef },
    });
    const odd = {
      metadata: { name: 'one', deletionTimestamp: null },
      spec: { storageClassName: null, resources: { limits: null } },
    };
    expect(slimmer.claim(odd as unknown as PersistentVolumeClaim)).toStrictEqual({
      metadata: { name: 'one' },
      spec: { resources: { limits: null } },
    });
  });

  it('keeps of a class what the rules read', () => {
    const metadata = { name: 'fast', labels: { app: 'a' }, resourceVersion: '5' };
    const parameters = { type: 'ssd' };
    const fatClass = { metadata, provisioner: 'vendor.com/disk', parameters, allowVolumeExpansion: true };
    expect(new Slimmer().storageClass(fatClass as StorageClass)).toStrictEqual({
      metadata: { name: 'fast', resourceVersion: '5' },
      provisioner: 'vendor.com/disk',
      parameters,
    });
  });

  it('shares equal parts between objects, so nobody may change them', () => {
    const slimmer = new Slimmer();
    const [a, b] = [slimmer.volume(structuredClone(fat)), slimmer.volume(structuredClone(fat))];
    expect(a.metadata.labels).toBe(b.metadata.labels);
    expect(a.spec.capacity).toBe(b.spec.capacity);
    expect(Object.isFrozen(a.spec.capacity)).toBe(true);
    const { selector } = slimmer.claim(claim).spec;
    expect(Object.isFrozen(selector?.matchLabels)).toBe(true);
  });

  it('shares the parts that are often alike, however many volumes are reserved for one claim each', () => {
    const slimmer = new Slimmer(20);
    const reservedFor = (name: string) =>
      slimmer.volume({ ...structuredClone(fat), spec: { ...fat.spec, claimRef: { namespace: 'ns', name } } });
    const { labels } = reservedFor('first').metadata;
    const unlabelled = (name: string) =>
      slimmer.volume({ metadata: { name }, spec: { claimRef: { namespace: 'ns', name } } });
    for (let count = 0; count < 100; count++) unlabelled(`claim-${count}`);
    expect(reservedFor('last').metadata.labels).toBe(labels);
  });

  it('goes on sharing what is often met among ever new parts, and forgets what is not', () => {
    const slimmer = new Slimmer(20);
    const labelled = (count: number) => {
      const volume = structuredClone(fat);
      return slimmer.volume({ ...volume, metadata: { ...volume.metadata, labels: { count: String(count) } } });
    };
    const [first, ...later] = Array.from({ length: 200 }, (_, count) => labelled(count));
    for (const { spec } of later) expect(spec.capacity).toBe(first?.spec.capacity);
    expect(labelled(199).metadata.labels).toBe(later.at(-1)?.metadata.labels);
    expect(labelled(0).metadata.labels).toEqual(first?.metadata.labels);
    expect(labelled(0).metadata.labels).not.toBe(first?.metadata.labels);
  });
});
