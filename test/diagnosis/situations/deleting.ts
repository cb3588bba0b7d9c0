/** Order of deletion, finalizers, reclaim and its failures. */
import type { Place } from '../place.ts';
import { claimOf, type FieldReport, volumeOf } from './report.ts';

const EXTERNAL = 'external-provisioner.volume.kubernetes.io/finalizer';
const csi = (driver: string) => ({ csi: { driver, volumeHandle: 'v' }, persistentVolumeReclaimPolicy: 'Delete' });
/** No controller has a plugin for these. */
const LOCAL = {
  local: { path: '/mnt/disk' },
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['worker-1'] }] },
      ],
    },
  },
};
const state = (place: Place) => place.state('pv-1');
const driver = (name: string) => ({ metadata: { name } });

async function deletedFirst(place: Place, more: object): Promise<void> {
  await place.pair('pv-1', 'data', more);
  await place.edit('pv-1', ({ metadata }) => ({
    metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), EXTERNAL] },
  }));
  await place.delete('persistentvolumes', 'pv-1');
}

export const DELETING: readonly FieldReport[] = [
  {
    title: '29: the volume was deleted before its claim, and the data is to be kept',
    subject: volumeOf('pv-1'),
    happens: (place) => deletedFirst(place, csi('disk.example.com')),
    cause: 'terminating-bound',
    says: /bound to claim default\/data.*Policy Delete: the data is deleted then.*external-provisioner, until the storage/s,
    cure: /^Keep the data/,
    healed: state,
    is: 'Bound, of data, Retain',
  },
  {
    title: '29: the same, and the claim is to go too',
    subject: volumeOf('pv-1'),
    happens: (place) => deletedFirst(place, csi('disk.example.com')),
    cause: 'terminating-bound',
    says: /It stays in use until the claim is gone/,
    cure: /^Delete claim default\/data/,
    isDangerous: true,
    healed: state,
    is: 'Released, of data, Delete',
  },
  {
    title: '30: a volume stays Terminating with its protection, since it is bound',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      await place.pair('pv-1', 'data');
      await place.delete('persistentvolumes', 'pv-1');
    },
    cause: 'terminating-bound',
    says: /pv-protection is held by the protection controller, while the volume is Bound/,
    cure: /^Delete claim default\/data/,
    isDangerous: true,
    healed: state,
    is: 'gone',
  },
  {
    title: '30: a claim stays Terminating, since a pod uses it',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.pair('pv-1', 'data');
      const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
      const containers = [{ name: 'c', image: 'busybox' }];
      const spec = { containers, volumes, nodeName: 'worker-1', terminationGracePeriodSeconds: 0 };
      await place.create('pods', { metadata: { name: 'web-0' }, spec });
      await place.delete('persistentvolumeclaims', 'data');
    },
    cause: 'terminating-used',
    says: /Pod web-0 on node worker-1 uses the claim/,
    cure: /^End pod web-0/,
    isDangerous: true,
    healed: state,
    is: 'Released, of data, Retain',
  },
  {
    title: '34: the finalizer of in-tree plugins is on a CSI volume',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      await place.volume('pv-1', csi('disk.example.com'));
      await place.edit('pv-1', ({ metadata }) => ({
        metadata: { ...metadata, finalizers: ['kubernetes.io/pv-controller'] },
      }));
      await place.settled();
      await place.delete('persistentvolumes', 'pv-1');
    },
    cause: 'stray-finalizer',
    says: /should never have been set on it/,
    cure: /^Take finalizer kubernetes.io\/pv-controller off/,
    healed: state,
    is: 'gone',
  },
  {
    title: '24: a volume stays Terminating with a finalizer of a backup program',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      await place.volume('pv-1');
      await place.edit('pv-1', ({ metadata }) => ({ metadata: { ...metadata, finalizers: ['example.com/backup'] } }));
      await place.settled();
      await place.delete('persistentvolumes', 'pv-1');
    },
    cause: 'foreign-finalizer',
    says: /example.com\/backup is held by whoever set it/,
    cure: /^Take finalizer example.com\/backup off by hand/,
    isDangerous: true,
    healed: state,
    is: 'gone',
  },
  {
    title: '40: a dynamic volume is Failed, so that its provisioner never deletes it',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      const annotations = { 'pv.kubernetes.io/provisioned-by': 'disk.example.com' };
      await place.released('pv-1', 'data', { ...csi('disk.example.com'), annotations });
      await place.edit('pv-1', () => ({ status: { phase: 'Failed', message: 'no plugin' } }));
    },
    cause: 'deleter-locked-out',
    says: /Failed \(no plugin\), and disk.example.com deletes the storage of Released volumes only/,
    cure: /^Have disk.example.com delete the storage/,
    isDangerous: true,
    healed: state,
    is: 'Released, of data, Delete',
  },
  {
    title: '42: a volume made by hand has a driver that is not installed',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      await place.serve('CSIDriver', driver('other.example.com'));
      await place.released('pv-1', 'data', csi('disk.example.com'));
    },
    cause: 'driver-missing',
    says: /Nothing called disk.example.com is installed/,
    cure: /^Keep the data instead/,
    healed: state,
    is: 'Available, reserved for data, Retain',
  },
  {
    title: '44: the storage of a local volume cannot be deleted',
    subject: volumeOf('pv-1'),
    happens: (place) => place.released('pv-1', 'data', { ...LOCAL, persistentVolumeReclaimPolicy: 'Delete' }),
    cause: 'delete-failed',
    says: /error getting deleter volume plugin for volume "pv-1": no volume plugin matched/,
    cure: /^Free the volume for the next claim/,
    healed: state,
    is: 'Available, reserved for data, Retain',
  },
  {
    title: '45: a volume of an old server has a policy that does not exist',
    subject: volumeOf('pv-1'),
    impossible: 'the servers of today refuse such a policy, also where it is there already',
    happens: async (place) => {
      await place.released('pv-1', 'data');
      await place.edit('pv-1', ({ spec }) => ({ spec: { ...spec, persistentVolumeReclaimPolicy: 'Reuse' } }));
    },
    cause: 'policy-unknown',
    says: /unrecognized PersistentVolumeReclaimPolicy: Reuse/,
    cure: /^Keep the data, whatever/,
    healed: state,
    is: 'Failed, of data, Retain',
  },
  {
    title: '47: the storage is still attached, to a node that is gone',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      const spec = { attacher: 'disk.example.com', nodeName: 'worker-1', source: { persistentVolumeName: 'pv-1' } };
      await place.serve('VolumeAttachment', { metadata: { name: 'csi-77' }, spec, status: { attached: true } });
      await place.released('pv-1', 'data', csi('disk.example.com'));
    },
    cause: 'still-attached',
    says: /Attached to node worker-1, which does not exist any more \(VolumeAttachment csi-77, disk.example.com\)/,
  },
  {
    title: '49: all volumes are Failed, since nothing recycles them',
    subject: volumeOf('pv-1'),
    happens: (place) => place.released('pv-1', 'data', { ...LOCAL, persistentVolumeReclaimPolicy: 'Recycle' }),
    cause: 'recycle-failed',
    says: /No recycler plugin found for the volume!/,
    cure: /^Free the volume for the next claim/,
    healed: state,
    is: 'Available, reserved for data, Retain',
  },
  {
    title: '50: a volume is not scrubbed while a pod uses it',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      await place.pair('pv-1', 'data', { persistentVolumeReclaimPolicy: 'Recycle' });
      const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
      await place.create('pods', {
        metadata: { name: 'web-0' },
        spec: { containers: [{ name: 'c', image: 'i' }], volumes },
      });
      await place.remove('persistentvolumeclaims', { namespace: 'default', name: 'data' });
    },
    cause: 'recycle-in-use',
    says: /used by pods: default\/web-0/,
    cure: /^Keep the data instead/,
    healed: state,
    is: 'Available, reserved for data, Retain',
  },
  {
    title: '84: a migrated volume is left to its CSI driver',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      await place.serve('CSIDriver', driver('ebs.csi.aws.com'));
      await place.released('pv-1', 'data', {
        awsElasticBlockStore: { volumeID: 'vol-1' },
        persistentVolumeReclaimPolicy: 'Delete',
        annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/aws-ebs' },
      });
    },
    cause: 'waits-for-deleter',
    says: /ebs.csi.aws.com deletes the storage/,
  },
];
