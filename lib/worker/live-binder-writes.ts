/**
 * The second sign of another controller (DESIGN D9), for one without a lease: a volume's phase that it wrote lately. Of all that
 * the controller manager writes, only the phase tells: docs/decisions/026-modes.md.
 */
import { BUILT_IN_MANAGER } from '../audit/writer.ts';
import { listIn } from '../cluster/objects.ts';
import { nameOf } from '../cluster/request.ts';
import { requestFor } from '../cluster/resource-client.ts';
import { collectionTarget, type ResourceType, typeOf } from '../cluster/resources.ts';
import { errorIn, jsonOf } from '../cluster/status.ts';
import type { Transport } from '../cluster/transport.ts';
import type { PersistentVolume } from '../controller/types.ts';

/** A write of the binder. */
export interface BinderWrite {
  readonly volume: string;
  /** Milliseconds since the epoch, by the server's clock, in whole seconds. */
  readonly at: number;
}

/** What is older says nothing of who works now. */
export const RECENT_MS = 600_000;

const VOLUMES = collectionTarget(typeOf('PersistentVolume'));
/** One page: a sample where there are more, at the cost of one short request. */
const SAMPLE = 500;
const MAX_BYTES = 64 * 1024 * 1024;

const REVIEW: ResourceType = {
  kind: 'SelfSubjectAccessReview',
  apiVersion: 'authorization.k8s.io/v1',
  group: 'authorization.k8s.io',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

/** Whether whoever asks may list volumes: a claim worker may, a volume worker may not. Kubernetes lets everybody ask. */
export async function mayListVolumes(transport: Transport): Promise<boolean> {
  const spec = { resourceAttributes: { verb: 'list', resource: VOLUMES.type.plural } };
  const body = { kind: REVIEW.kind, apiVersion: REVIEW.apiVersion, spec };
  const { status, body: answer } = await transport.request({ ...requestFor('POST', collectionTarget(REVIEW)), body });
  const review = jsonOf(answer);
  if (status !== 201 || review?.['kind'] !== REVIEW.kind) return false;
  return (review['status'] as { allowed?: unknown } | undefined)?.allowed === true;
}

/**
 * The latest recent write of a binder among the first volumes.
 * @param now milliseconds since the epoch.
 * @throws ClusterError when they cannot be listed.
 */
export async function recentWrite(transport: Transport, now: number): Promise<BinderWrite | undefined> {
  const request = requestFor('GET', VOLUMES);
  const what = nameOf(request);
  const response = await transport.request({ ...request, query: { limit: SAMPLE }, maxBodyBytes: MAX_BYTES });
  if (response.status !== 200) throw errorIn(response, VOLUMES, what);
  const writes = listIn<PersistentVolume, BinderWrite | undefined>(response, VOLUMES.type, what, phaseWriteOf, true);
  let latest: BinderWrite | undefined;
  for (const write of writes.items)
    if (write !== undefined && write.at > (latest?.at ?? now - RECENT_MS)) latest = write;
  return latest;
}

/**
 * When the built-in binder last wrote a volume's phase, as far as it still owns it: who writes another phase takes that over.
 * @param volume with its managedFields.
 */
export function phaseWriteOf({ metadata }: PersistentVolume): BinderWrite | undefined {
  const times = (metadata.managedFields ?? []).flatMap(({ manager, subresource, fieldsV1, time = '' }) => {
    const owned = fieldsV1 as { 'f:status'?: { 'f:phase'?: unknown } } | undefined;
    const isPhase = subresource === 'status' && owned?.['f:status']?.['f:phase'] !== undefined;
    const at = Date.parse(String(time));
    return manager === BUILT_IN_MANAGER && isPhase && !Number.isNaN(at) ? [at] : [];
  });
  return times.length === 0 ? undefined : { volume: metadata.name, at: Math.max(...times) };
}
