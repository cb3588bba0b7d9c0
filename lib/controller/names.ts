/**
 * Kubernetes names as the API server checks them (DNS-1123). A name goes from a message into a URL path, so nothing but
 * such a name may pass: `../secrets/x` would otherwise read another resource.
 */
import type { SyncKey } from './types.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

/** Whether `name` can be a namespace: a DNS-1123 label of up to 63 characters. */
export function isNamespaceName(name: string): boolean {
  return name.length <= MAX_LABEL && LABEL.test(name);
}

/** Whether `name` can be a volume or a claim: a DNS-1123 subdomain of up to 253 characters, its labels not limited. */
export function isObjectName(name: string): boolean {
  // The length comes first, so that the pattern never sees a long string.
  return name.length <= MAX_SUBDOMAIN && name.split('.').every((label) => LABEL.test(label));
}

/**
 * Whether an object of this key can exist. Keys made from fields that users write and no server checks
 * (`claim.spec.volumeName`, `volume.spec.claimRef`) must be asked: a message about an impossible name is poison.
 */
export function isPossibleKey(key: SyncKey): boolean {
  if (!isObjectName(key.name)) return false;
  if (key.kind === 'PersistentVolume') return key.namespace === undefined;
  return key.namespace !== undefined && isNamespaceName(key.namespace);
}
