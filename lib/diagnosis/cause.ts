/** Every cause that a diagnosis can name: what it means, how bad it is, and who acts next unless a finding says otherwise. */
import type { Actor, Severity } from './finding.ts';

interface About {
  /** One line, for people. */
  readonly meaning: string;
  readonly severity: Severity;
  readonly actor: Actor;
}

/** The closed list, in the order in which it is documented. */
export const CAUSES = {
  settled: about('ok', 'nobody', 'Volume and claim are bound to each other.'),
  free: about('ok', 'nobody', 'The volume is Available for whichever claim fits.'),
  missing: about('ok', 'user', 'There is no object of this name.'),
  'controller-behind': about('waiting', 'controller', 'The controller has the next step; its next sync takes it.'),
  contradiction: about('broken', 'user', 'The objects contradict each other, so the controller leaves them alone.'),

  'waits-for-consumer': about('waiting', 'user', 'The class binds when a pod uses the claim, and none does.'),
  'waits-for-scheduler': about('waiting', 'scheduler', 'Pods use the claim and have no node yet; then it is bound.'),
  'waits-for-provisioner': about('waiting', 'provisioner', 'The provisioner was asked for a volume a moment ago.'),
  'provisioner-silent': about('stuck', 'provisioner', 'The provisioner was asked for a volume and has not answered.'),
  'provisioning-failed': about('stuck', 'provisioner', 'The provisioner said why it makes no volume.'),
  'driver-missing': about('stuck', 'driver', 'The driver that must act is not installed in this cluster.'),
  'plugin-missing': about('stuck', 'user', 'The class names an in-tree plugin that cannot provision.'),
  'provisioning-off': about('stuck', 'user', 'No volume fits, and dynamic provisioning is switched off.'),
  'no-static-volume': about('stuck', 'user', 'No volume fits, and nothing provisions one for this claim.'),
  'no-class': about('stuck', 'user', 'No volume fits; the claim names no class and the cluster has no default.'),
  'class-missing': about('stuck', 'user', 'The class that the claim names does not exist.'),
  'named-volume-missing': about('stuck', 'user', 'The claim names a volume that does not exist.'),
  'named-volume-unfit': about('stuck', 'user', 'The claim names a volume that does not fit it.'),
  'named-volume-taken': about('stuck', 'user', 'The claim names a volume that is for another claim.'),
  'predecessor-released': about('stuck', 'user', 'A Released volume holds the data of an earlier claim of this name.'),
  'reserved-volume-unfit': about('stuck', 'user', 'The volume that is reserved for the claim cannot serve it.'),

  'volume-gone': about('broken', 'user', 'The volume that the claim was bound to does not exist any more.'),
  'volume-name-lost': about('broken', 'user', 'The claim was bound and names no volume any more.'),
  misbound: about('broken', 'user', 'The volume that the claim names is bound to another claim.'),
  'uid-wiped': about('broken', 'user', 'The volume names the claim it was bound to, without its uid.'),

  reserved: about('waiting', 'user', 'The volume waits for the claim that it is reserved for.'),
  'reserved-in-vain': about('stuck', 'user', 'The volume is reserved for a claim that is bound to another volume.'),
  'volume-mode-mismatch': about('stuck', 'user', 'The volume is reserved for a claim of another volumeMode.'),
  retained: about('stuck', 'user', 'The claim is gone; policy Retain keeps the data until somebody decides.'),
  'waits-for-deleter': about('waiting', 'provisioner', 'The claim is gone; the provisioner deletes the storage.'),
  'deleter-silent': about('stuck', 'provisioner', 'The provisioner should have deleted the storage, and has not.'),
  'still-attached': about('waiting', 'attacher', 'The storage is still attached to a node.'),
  'being-recycled': about('waiting', 'controller', 'The volume is being scrubbed.'),
  'recycle-in-use': about('waiting', 'user', 'The volume is scrubbed when the pods that use it are gone.'),
  'recycle-failed': about('stuck', 'user', 'The volume could not be scrubbed.'),
  'delete-failed': about('stuck', 'user', 'The storage could not be deleted.'),
  'deleter-locked-out': about('stuck', 'user', 'The volume is Failed, and its provisioner deletes Released ones only.'),
  'policy-unknown': about('stuck', 'user', 'The volume has a reclaim policy that does not exist.'),

  'terminating-bound': about('waiting', 'user', 'The volume goes when the claim that it is bound to is gone.'),
  'terminating-used': about('waiting', 'user', 'The claim goes when the pods that use it are gone.'),
  'terminating-protected': about('stuck', 'controller', 'Nothing uses the object; its protection was not taken off.'),
  'foreign-finalizer': about('stuck', 'user', 'Somebody else keeps the object until their own work is done.'),
  'stray-finalizer': about('stuck', 'user', 'A finalizer keeps the object that nobody here takes off.'),
} as const satisfies Record<string, About>;

/** Every cause that a diagnosis can name. */
export type Cause = keyof typeof CAUSES;

function about(severity: Severity, actor: Actor, meaning: string): About {
  return { severity, actor, meaning };
}
