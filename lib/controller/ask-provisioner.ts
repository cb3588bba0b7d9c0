/** Asking a provisioner for a volume: its name on the claim (BEHAVIOUR 8.1 step 2), and the event when it fails. */
import { annotationOf, BETA_STORAGE_PROVISIONER, STORAGE_PROVISIONER, withAnnotations } from './annotations.ts';
import { annealClaim } from './migration.ts';
import type { SyncContext, SyncRules } from './ports.ts';
import type { PersistentVolumeClaim } from './types.ts';

/** The claim with both provisioner annotations; the same object when the GA one has that value already. */
export function askedOf(claim: PersistentVolumeClaim, provisioner: string, rules: Pick<SyncRules, 'migration'>) {
  if (annotationOf(claim, STORAGE_PROVISIONER) === provisioner) return claim;
  const asked = { [BETA_STORAGE_PROVISIONER]: provisioner, [STORAGE_PROVISIONER]: provisioner };
  return annealClaim(withAnnotations(claim, asked), rules.migration);
}

/** @returns the claim as stored. @throws ClusterError when the write fails. */
export async function askProvisioner(ctx: SyncContext, claim: PersistentVolumeClaim, provisioner: string) {
  const asked = askedOf(claim, provisioner, ctx);
  return asked === claim ? claim : await ctx.cluster.update('PersistentVolumeClaim', asked);
}

/** Tells the claim's user why nothing is provisioned: a Warning event, which never fails the sync (BEHAVIOUR 1.3). */
export async function provisioningFailed(ctx: SyncContext, claim: PersistentVolumeClaim, message: string) {
  const reason = 'ProvisioningFailed';
  await ctx.cluster.event({ kind: 'PersistentVolumeClaim', object: claim, type: 'Warning', reason, message });
}
