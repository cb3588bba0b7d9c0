/** Pending claims: matching, classes, the first consumer. */
import type { Place } from '../place.ts';
import { claimOf, type FieldReport, volumeOf } from './report.ts';

const bothBound = (place: Place) => place.both('data', 'pv-1');
const BOTH_BOUND = 'Bound data <-> pv-1 Bound';
const asking = (storage: string) => ({ resources: { requests: { storage } } });
const DEFAULT = { metadata: { name: 'gp3', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } };
const askedOf = async (place: Place) =>
  (await place.getClaim('data'))?.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'];

export const MATCHING: readonly FieldReport[] = [
  {
    title: '24: the only volume that would fit is being deleted',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.volume('pv-1');
      await place.edit('pv-1', ({ metadata }) => ({ metadata: { ...metadata, finalizers: ['example.com/backup'] } }));
      await place.settled();
      await place.delete('persistentvolumes', 'pv-1');
      await place.claim('data');
    },
    cause: 'no-static-volume',
    says: /pv-1 being deleted since 20/,
  },
  {
    title: '55: the only volume is smaller than the claim',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.volume('pv-1', { capacity: { storage: '5Gi' } });
      await place.claim('data', asking('8Gi'));
    },
    cause: 'no-static-volume',
    says: /pv-1 too small needs 8Gi, has 5Gi/,
    cure: /^Ask for what volume pv-1 has \(size\)/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '57: the labels of the volume do not satisfy the selector',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.volume('pv-1');
      await place.claim('data', { selector: { matchLabels: { tier: 'fast', zone: 'b_1' } } });
    },
    cause: 'no-static-volume',
    says: /labels do not satisfy the selector needs .*"tier":"fast"/,
    cure: /^Ask for what volume pv-1 has \(selector\)/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '57: the same, and the volume is labelled',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.volume('pv-1');
      await place.claim('data', { selector: { matchLabels: { tier: 'fast' } } });
    },
    cause: 'no-static-volume',
    says: /labels do not satisfy the selector/,
    cure: /^Label volume pv-1/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '59: the provisioner refuses a selector',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.storageClass('fast', 'disk.example.com');
      await place.claim('data', { storageClassName: 'fast', selector: { matchLabels: { tier: 'fast' } } });
      await place.settled();
      const { uid } = (await place.getClaim('data'))?.metadata ?? {};
      await place.create('events', {
        metadata: { name: 'refused' },
        involvedObject: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data', uid },
        reason: 'ProvisioningFailed',
        message: 'claim Selector is not supported',
        type: 'Warning',
        source: { component: 'disk.example.com_provisioner-0' },
        lastTimestamp: new Date().toISOString(),
      });
    },
    cause: 'provisioning-failed',
    says: /disk.example.com said .* ago: claim Selector is not supported/,
  },
  {
    title: '62: the claim names a volume that lacks its access mode',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.volume('pv-1');
      await place.claim('data', { volumeName: 'pv-1', accessModes: ['ReadWriteMany'] });
    },
    cause: 'named-volume-unfit',
    says: /incompatible accessMode \(needs ReadWriteMany, has ReadWriteOnce\)/,
    cure: /^Ask for what volume pv-1 has \(accessModes\)/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '65: the claim names a volume of another class',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.volume('pv-1', { storageClassName: 'slow' });
      await place.claim('data', { volumeName: 'pv-1', storageClassName: 'fast' });
    },
    cause: 'named-volume-unfit',
    says: /storageClassName does not match \(needs fast, has slow\)/,
    cure: /^Ask for what volume pv-1 has \(storageClassName\)/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '67: two claims name one volume, and this one came second',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.pair('pv-2', 'other');
      await place.claim('data', { volumeName: 'pv-2' });
      await place.volume('pv-1');
    },
    cause: 'named-volume-taken',
    says: /volume pv-2, which is for claim default\/other, which exists \(Bound\)/,
    cure: /^Ask again without naming a volume/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '69: the volume is reserved for a claim of that name in another namespace',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.volume('pv-1', { claimRef: { namespace: 'kube-public', name: 'data' } });
      await place.claim('data', { volumeName: 'pv-1' });
    },
    cause: 'named-volume-taken',
    says: /for claim kube-public\/data, which does not exist/,
    cure: /^Give volume pv-1 to this claim/,
    isDangerous: true,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '70: the claim that a volume was reserved for got another one',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      await place.pair('pv-2', 'data');
      await place.volume('pv-1', { claimRef: { namespace: 'default', name: 'data' } });
    },
    cause: 'reserved-in-vain',
    says: /reserved for claim default\/data, which is bound to volume pv-2/,
    cure: /^Free the volume for any claim/,
    isDangerous: true,
    healed: (place) => place.state('pv-1'),
    is: 'Available, free, Retain',
  },
  {
    title: '75: the claim names no class, and no class is the default',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.storageClass('gp3', 'ebs.csi.aws.com');
      await place.create('persistentvolumeclaims', {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], ...asking('1Gi') },
      });
    },
    cause: 'no-class',
    says: /No class is marked as the default/,
    cure: /^Make gp3 the default class/,
    healed: askedOf,
    is: 'ebs.csi.aws.com',
  },
  {
    title: '75: the claim has class "", and so gets nothing of the default class',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.storageClass('gp3', 'ebs.csi.aws.com', DEFAULT);
      await place.claim('data');
    },
    cause: 'no-static-volume',
    says: /class is "": such a claim takes a volume that exists/,
    cure: /^Ask for class gp3, which provisions/,
    healed: askedOf,
    is: 'ebs.csi.aws.com',
  },
  {
    title: '77: an operator set a class that does not exist',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.storageClass('gp3', 'ebs.csi.aws.com', DEFAULT);
      await place.claim('data', { storageClassName: 'gp33' });
    },
    cause: 'class-missing',
    says: /names class gp33, and there is no such class/,
    cure: /^Ask for class gp3, which provisions/,
    healed: askedOf,
    is: 'ebs.csi.aws.com',
  },
  {
    title: '79: a class waits for the first consumer, and there is none',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.storageClass('local', 'disk.example.com', { volumeBindingMode: 'WaitForFirstConsumer' });
      await place.volume('pv-1', { storageClassName: 'local' });
      await place.claim('data', { storageClassName: 'local' });
    },
    cause: 'waits-for-consumer',
    says: /No pod in namespace default uses claim data/,
  },
  {
    title: '79: the same, and a pod has no node yet',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.storageClass('local', 'disk.example.com', { volumeBindingMode: 'WaitForFirstConsumer' });
      await place.claim('data', { storageClassName: 'local' });
      const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
      const containers = [{ name: 'c', image: 'busybox' }];
      await place.create('pods', { metadata: { name: 'web-0' }, spec: { containers, volumes } });
    },
    cause: 'waits-for-scheduler',
    says: /Pod web-0 has no node yet/,
  },
  {
    title: '80: a volume reserved for the claim is bound although the class waits',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.storageClass('local', 'disk.example.com', { volumeBindingMode: 'WaitForFirstConsumer' });
      await place.volume('pv-1', { storageClassName: 'local', claimRef: { namespace: 'default', name: 'data' } });
      await place.settled();
      await place.claim('data', { storageClassName: 'local' });
    },
    cause: 'settled',
    says: /Bound to volume pv-1/,
  },
];
