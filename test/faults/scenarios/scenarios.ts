/** What users do while everything fails. Each ends in one state, whatever happens on the way. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scene } from './scene.ts';

/** What the external provisioner is called, in classes. */
export const PROVISIONER = 'faults.example.com';

export type Steps = (scene: Scene) => Promise<void>;

export const SCENARIOS: Readonly<Record<string, Steps>> = {
  /** Two sizes: the smaller one that fits is chosen. */
  async bind(scene) {
    await scene.createVolume('large', { spec: { capacity: { storage: '5Gi' } } });
    await scene.createVolume('fits');
    await scene.untilVolume('large', 'Available');
    await scene.untilVolume('fits', 'Available');
    await scene.createClaim('one');
    await scene.untilBound('one');
  },

  async reserved(scene) {
    const claimRef = { namespace: scene.namespace, name: `${scene.prefix}by-volume` };
    await scene.createVolume('for-one', { spec: { claimRef } });
    await scene.createClaim('by-claim', { spec: { volumeName: `${scene.prefix}chosen` } });
    await scene.createClaim('by-volume');
    await scene.createVolume('chosen', { spec: { capacity: { storage: '2Gi' } } });
    await scene.untilBound('by-volume');
    await scene.untilBound('by-claim');
  },

  /** Its end names no claim: which of the two wins is open. */
  async race(scene) {
    await scene.createVolume('only');
    await scene.untilVolume('only', 'Available');
    await Promise.all([scene.createClaim('rival-1'), scene.createClaim('rival-2')]);
    await scene.until('a winner', () =>
      ['rival-1', 'rival-2'].some((name) => scene.claim(name)?.status?.phase === 'Bound'),
    );
  },

  async retain(scene) {
    await scene.createVolume('kept');
    await scene.createClaim('one');
    await scene.untilBound('one');
    await scene.deleteClaim('one');
    await scene.untilVolume('kept', 'Released');
  },

  async recycle(scene) {
    await scene.createVolume('scrubbed', { spec: { persistentVolumeReclaimPolicy: 'Recycle' } });
    await scene.createClaim('one');
    await scene.untilBound('one');
    await scene.deleteClaim('one');
    await scene.until('claim one gone', () => scene.claim('one') === undefined);
    await scene.untilVolume('scrubbed', 'Available');
  },

  async delete(scene) {
    await scene.createVolume('dropped', { spec: { persistentVolumeReclaimPolicy: 'Delete' } });
    await scene.createClaim('one');
    await scene.untilBound('one');
    await scene.deleteClaim('one');
    await scene.until('volume dropped gone', () => scene.volume('dropped') === undefined);
  },

  /** A disk whose provisioner is away: nobody else may delete it, nor mark it Failed. */
  async csi(scene) {
    const csi = { driver: 'away.example.com', volumeHandle: 'disk' };
    const spec = { hostPath: undefined, csi, persistentVolumeReclaimPolicy: 'Delete' };
    await scene.createVolume('disk', { spec, annotations: { 'pv.kubernetes.io/provisioned-by': 'away.example.com' } });
    await scene.createClaim('one');
    await scene.untilBound('one');
    await scene.deleteClaim('one');
    await scene.untilVolume('disk', 'Released');
  },

  /** With an external provisioner, to the disk and back. */
  async dynamic(scene) {
    await scene.createClass(PROVISIONER);
    const claim = await scene.createClaim('gone');
    await scene.createClaim('stays');
    await scene.untilBound('gone');
    await scene.untilBound('stays');
    await scene.deleteClaim('gone');
    await scene.until('its volume gone', () => scene.volumeNamed(`pvc-${claim.metadata.uid}`) === undefined);
  },

  /** The claim goes as soon as a volume was picked for it, wherever its bind is by then. */
  async vanishing(scene) {
    await scene.createVolume('picked');
    await scene.untilVolume('picked', 'Available');
    await scene.createClaim('one');
    await scene.until('a pick', () => scene.volume('picked')?.spec.claimRef !== undefined);
    await scene.deleteClaim('one');
    await scene.untilVolume('picked', 'Released');
  },

  /** A user, and another controller, who write all the time. */
  async edits(scene) {
    await scene.createVolume('busy', { labels: { round: 'none' } });
    await scene.createClaim('busy', { labels: { round: 'none' } });
    for (let round = 0; round < 12; round++) {
      const metadata = { labels: { round: String(round) }, annotations: { [`note-${round}`]: 'by a user' } };
      await scene.patchVolume('busy', { metadata, spec: { mountOptions: [`round-${round}`] } });
      await scene.patchClaim('busy', { metadata });
      await sleep(25);
    }
    await scene.untilBound('busy');
  },
};

/** Scenarios whose end is the same whichever of these claims wins. */
export const RIVALS = /-rival-\d+/g;
