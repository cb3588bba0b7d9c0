/**
 * Every Kubernetes Event that the controller emits, for docs/events.md; test/monitoring/events.test.ts holds it against
 * the code. The reasons are upstream's.
 */

/** One kind of Event. */
export interface EventReason {
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  /** The object that it is about. */
  readonly kind: 'PersistentVolume' | 'PersistentVolumeClaim';
  /** When it is emitted, and where that is not plain what its user can do. */
  readonly when: string;
}

const VOLUME = 'PersistentVolume';
const CLAIM = 'PersistentVolumeClaim';

export const EVENTS: readonly EventReason[] = [
  {
    reason: 'FailedBinding',
    type: 'Normal',
    kind: CLAIM,
    when: 'No volume fits, and the claim has no class that one could be provisioned by.',
  },
  {
    reason: 'FailedBinding',
    type: 'Warning',
    kind: CLAIM,
    when: 'The claim names a volume that is bound to another claim.',
  },
  {
    reason: 'VolumeMismatch',
    type: 'Warning',
    kind: CLAIM,
    when: 'The volume and the claim that belong together by name do not fit: too small, another mode or class. The message says which.',
  },
  {
    reason: 'VolumeMismatch',
    type: 'Warning',
    kind: VOLUME,
    when: 'The volume is reserved for a claim of another volumeMode.',
  },
  {
    reason: 'WaitForFirstConsumer',
    type: 'Normal',
    kind: CLAIM,
    when: 'The class binds with the first pod that uses the claim, and there is none yet.',
  },
  {
    reason: 'WaitForPodScheduled',
    type: 'Normal',
    kind: CLAIM,
    when: 'The same, and the pods that use the claim have no node yet.',
  },
  {
    reason: 'ExternalProvisioning',
    type: 'Normal',
    kind: CLAIM,
    when: 'A volume was asked for from a provisioner outside of the controller. If none comes, look at that provisioner.',
  },
  {
    reason: 'ProvisioningFailed',
    type: 'Warning',
    kind: CLAIM,
    when: 'No volume can be provisioned: the class is missing, names a plugin that is not there, or the plugin failed.',
  },
  {
    reason: 'ProvisioningSucceeded',
    type: 'Normal',
    kind: CLAIM,
    when: 'An in-tree plugin has provisioned a volume for the claim.',
  },
  {
    reason: 'ProvisioningCleanupFailed',
    type: 'Warning',
    kind: CLAIM,
    when: 'A provisioned volume could not be saved, and its storage could not be deleted: delete it by hand.',
  },
  {
    reason: 'ClaimLost',
    type: 'Warning',
    kind: CLAIM,
    when: 'A bound claim has lost its volume, or its reference to it.',
  },
  {
    reason: 'ClaimMisbound',
    type: 'Warning',
    kind: CLAIM,
    when: 'Two claims are bound to one volume, and this one is not the one that the volume names.',
  },
  {
    reason: 'VolumeDelete',
    type: 'Normal',
    kind: VOLUME,
    when: 'The storage is still in use and cannot be deleted yet; it is tried again.',
  },
  {
    reason: 'VolumeFailedDelete',
    type: 'Warning',
    kind: VOLUME,
    when: 'The storage could not be deleted; the volume is Failed, and the delete is tried again.',
  },
  {
    reason: 'VolumeRecycled',
    type: 'Normal',
    kind: VOLUME,
    when: 'The volume is scrubbed, and Available again.',
  },
  {
    reason: 'VolumeFailedRecycle',
    type: 'Normal',
    kind: VOLUME,
    when: 'Pods still use the volume, so it is not scrubbed yet.',
  },
  {
    reason: 'VolumeFailedRecycle',
    type: 'Warning',
    kind: VOLUME,
    when: 'The volume could not be scrubbed, or no plugin can; it is Failed.',
  },
  {
    reason: 'RecyclerPod',
    type: 'Normal',
    kind: VOLUME,
    when: 'An event of the pod that scrubs the volume.',
  },
  {
    reason: 'RecyclerPod',
    type: 'Warning',
    kind: VOLUME,
    when: 'A warning about the pod that scrubs the volume.',
  },
  {
    reason: 'VolumeUnknownReclaimPolicy',
    type: 'Warning',
    kind: VOLUME,
    when: 'The volume’s reclaim policy is none of Retain, Delete and Recycle; it is Failed.',
  },
];
