/** Released, used again, bound anew, lost. */
import type { Place } from '../place.ts';
import { claimOf, type FieldReport, volumeOf } from './report.ts';

const named = (claimName: string) => ({
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  namespace: 'default',
  name: claimName,
});
const bothBound = (place: Place) => place.both('data', 'pv-1');
const BOTH_BOUND = 'Bound data <-> pv-1 Bound';

export const RELEASING: readonly FieldReport[] = [
  {
    title: '2: a claim recreated under its old name stays Pending',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.released('pv-1', 'data');
      await place.claim('data');
    },
    cause: 'predecessor-released',
    says: /pv-1 is Released and holds the data of an earlier claim default\/data/,
    cure: /^Free the volume for the next claim named default\/data/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '4: a volume that only names its claim waits for it',
    subject: volumeOf('pv-1'),
    happens: (place) => place.volume('pv-1', { claimRef: named('data') }),
    cause: 'reserved',
    says: /reserved by name for claim default\/data, which does not exist yet/,
    cure: /^Create the claim default\/data/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '5: a Released volume is to be free for anybody',
    subject: volumeOf('pv-1'),
    happens: (place) => place.released('pv-1', 'data'),
    cause: 'retained',
    says: /Claim default\/data \(uid .*\) is gone; policy Retain keeps/,
    cure: /^Free the volume for any claim that fits/,
    isDangerous: true,
    healed: (place) => place.state('pv-1'),
    is: 'Available, free, Retain',
  },
  {
    title: '9: a restored claim names a volume that was not restored',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.volume('pv-1');
      await place.claim('data', { volumeName: 'big' });
    },
    cause: 'named-volume-missing',
    says: /names volume big, and there is no such volume/,
    cure: /^Ask again without naming a volume/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '10: a restored claim is Lost, since its volume is not there',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.pair('pv-1', 'data');
      await place.remove('persistentvolumes', { name: 'pv-1' });
    },
    cause: 'volume-gone',
    says: /Volume pv-1 does not exist any more/,
    cure: /^Make the volume again/,
    fillIn: ['VOLUME_HANDLE', 'vol-0a1b'],
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '12: an administrator pointed the volume at another claim',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.pair('pv-1', 'data');
      await place.claim('other', { volumeName: 'pv-1', storageClassName: 'none' });
      const { uid } = (await place.getClaim('other'))?.metadata ?? {};
      await place.edit('pv-1', ({ spec }) => ({ spec: { ...spec, claimRef: { ...named('other'), uid } } }));
    },
    cause: 'misbound',
    says: /the volume names claim default\/other, which is Bound/,
    cure: /^Give volume pv-1 back to this claim/,
    isDangerous: true,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '14: a manifest applied again wiped the uid of a bound pair, and the claim is Lost',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.pair('pv-1', 'data');
      await place.edit('pv-1', ({ spec }) => ({ spec: { ...spec, claimRef: named('data') } }));
    },
    cause: 'uid-wiped',
    says: /names this claim without its uid/,
    cure: /^Bind volume pv-1 to claim default\/data again/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '14: the same, told of the volume',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      await place.pair('pv-1', 'data');
      await place.edit('pv-1', ({ spec }) => ({ spec: { ...spec, claimRef: named('data') } }));
    },
    cause: 'uid-wiped',
    says: /the volume has lost the claim's uid/,
    cure: /^Bind volume pv-1 to claim default\/data again/,
    healed: bothBound,
    is: BOTH_BOUND,
  },
  {
    title: '15: a Released volume is to be attached again to its claim',
    subject: volumeOf('pv-1'),
    happens: (place) => place.released('pv-1', 'data'),
    cause: 'retained',
    says: /until somebody decides/,
    cure: /^Free the volume for the next claim/,
    healed: (place) => place.state('pv-1'),
    is: 'Available, reserved for data, Retain',
  },
  {
    title: '19: a bound volume is left alone',
    subject: volumeOf('pv-1'),
    happens: (place) => place.pair('pv-1', 'data', { persistentVolumeReclaimPolicy: 'Delete' }),
    cause: 'settled',
    says: /Bound to claim default\/data/,
  },
  {
    title: '25: a Released volume stays Released when a claim of the old name is bound elsewhere',
    subject: volumeOf('pv-1'),
    happens: async (place) => {
      await place.released('pv-1', 'data');
      await place.pair('pv-2', 'data');
    },
    cause: 'retained',
    says: /A claim of that name exists again, bound to volume pv-2: it is another one/,
  },
  {
    title: '32: a volume was deleted by force under its claim, and the claim is given up',
    subject: claimOf('data'),
    happens: async (place) => {
      await place.pair('pv-1', 'data');
      await place.remove('persistentvolumes', { name: 'pv-1' });
    },
    cause: 'volume-gone',
    says: /deleted although the claim was bound to it/,
    cure: /^Give the claim up/,
    isDangerous: true,
    healed: (place) => place.getClaim('data'),
    is: undefined,
  },
  {
    title: '90: a Released volume with policy Retain is to be deleted after all',
    subject: volumeOf('pv-1'),
    happens: (place) => place.released('pv-1', 'data', { csi: { driver: 'disk.example.com', volumeHandle: 'v' } }),
    cause: 'retained',
    says: /until somebody decides/,
    cure: /^Give the storage up/,
    isDangerous: true,
    healed: (place) => place.state('pv-1'),
    is: 'Released, of data, Delete',
  },
  {
    title: '99: the volume that is asked about is gone',
    subject: volumeOf('pv-1'),
    happens: () => {},
    cause: 'missing',
    says: /There is no volume pv-1/,
  },
];
