/** A cluster before an outage of the workers and what happens in it meanwhile, with the keys that wait in the queues then. */
import { setTimeout } from 'node:timers/promises';
import type { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import type { OutgoingMessage } from '../../lib/queue/producer.ts';
import { claim, volume } from '../e2e/objects.ts';

/** How many objects of each fate; together they make `keysOf` keys. */
export interface Outage {
  /** Pairs that were bound before and that nothing has happened to: the bridge's sweep has sent both keys. */
  readonly settledPairs: number;
  /** Pairs that were bound before and whose claim was deleted: one key. */
  readonly deletedClaims: number;
  /** Volumes that are not free yet, and that nobody claims: one key. */
  readonly freeVolumes: number;
  /** Claims, each with a free volume that fits: two keys. */
  readonly newPairs: number;
}

export const keysOf = ({ settledPairs, deletedClaims, freeVolumes, newPairs }: Outage): number =>
  2 * settledPairs + deletedClaims + freeVolumes + 2 * newPairs;

/** So many keys, of each fate as much as after a day: most are settled, some are new, few are gone. @param keys 20 or more. */
export function outageOf(keys: number): Outage {
  const [settledPairs, deletedClaims, newPairs] = [
    Math.floor(keys * 0.2),
    Math.floor(keys * 0.05),
    Math.floor(keys * 0.15),
  ];
  return { settledPairs, deletedClaims, newPairs, freeVolumes: keys - 2 * settledPairs - deletedClaims - 2 * newPairs };
}

/** Requests of the preparation beside each other. */
const PARALLEL = 24;

/** Builds all of it, without any controller, and tells the keys that a bridge would have sent. */
export async function prepare(cluster: ApiServerCluster, outage: Outage): Promise<OutgoingMessage[]> {
  const { settledPairs, deletedClaims, freeVolumes, newPairs } = outage;
  const keys: OutgoingMessage[] = [];
  await inParallel(settledPairs + deletedClaims, async (index) => {
    const pair = await createBound(cluster, `bound-${index}`);
    if (index < settledPairs) keys.push(sweepOf(pair.volume), sweepOf(pair.claim));
    else keys.push(await deleteClaim(cluster, pair.claim));
  });
  await inParallel(freeVolumes + newPairs, async (index) => {
    const made = await cluster.create('PersistentVolume', volume(`new-${index}`));
    // No bridge wakes a claim here that comes before its volume is free.
    const isFree = index < newPairs;
    keys.push(changeOf(isFree ? await setPhase(cluster, made, 'Available') : made));
  });
  await inParallel(newPairs, async (index) => {
    keys.push(changeOf(await cluster.create('PersistentVolumeClaim', claim(`new-${index}`))));
  });
  return keys;
}

/** A pair as any controller leaves it: nothing is to be done about it. */
export async function createBound(cluster: ApiServerCluster, name: string) {
  const bound = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };
  const draft = claim(name, { volumeName: name, annotations: bound });
  const created = await cluster.create('PersistentVolumeClaim', draft);
  const { namespace, uid, resourceVersion } = created.metadata;
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespace: namespace ?? '',
    name,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const annotations = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
  const made = await cluster.create('PersistentVolume', volume(name, { claimRef, annotations }));
  const { accessModes, capacity } = made.spec;
  const status = { phase: 'Bound', ...(accessModes && { accessModes }), ...(capacity && { capacity }) };
  return {
    volume: await setPhase(cluster, made, 'Bound'),
    claim: await cluster.updateStatus('PersistentVolumeClaim', { ...anyVersion(created), status }),
  };
}

function setPhase(cluster: ApiServerCluster, volume: PersistentVolume, phase: 'Available' | 'Bound') {
  return cluster.updateStatus('PersistentVolume', { ...anyVersion(volume), status: { phase } });
}

async function deleteClaim(cluster: ApiServerCluster, gone: PersistentVolumeClaim): Promise<OutgoingMessage> {
  const { uid = '', name, namespace = '' } = gone.metadata;
  await cluster.delete('PersistentVolumeClaim', anyVersion(gone));
  while ((await cluster.get('PersistentVolumeClaim', { namespace, name })) !== undefined) await setTimeout(20);
  const deleted = { volumeName: gone.spec?.volumeName ?? '' };
  return {
    message: { v: 1, ...keyOfObject(gone), uid, reason: 'deleted', deleted },
    occasion: { form: 'deleted', uid },
  };
}

/** The protection controller adds finalizers meanwhile: whatever the version is, this is to be done. */
function anyVersion<T extends PersistentVolume | PersistentVolumeClaim>({ metadata, ...rest }: T): T {
  const { resourceVersion: _, ...named } = metadata;
  return { ...rest, metadata: named } as T;
}

function sweepOf(object: PersistentVolume | PersistentVolumeClaim): OutgoingMessage {
  return { message: { v: 1, ...keyOfObject(object), reason: 'resync' }, occasion: { form: 'resync', epoch: 1 } };
}

function changeOf(object: PersistentVolume | PersistentVolumeClaim): OutgoingMessage {
  const { uid = '', resourceVersion = '' } = object.metadata;
  return {
    message: { v: 1, ...keyOfObject(object), uid, resourceVersion, reason: 'added' },
    occasion: { form: 'change', uid, resourceVersion },
  };
}

function keyOfObject({ metadata: { namespace, name } }: PersistentVolume | PersistentVolumeClaim) {
  return namespace === undefined
    ? ({ kind: 'PersistentVolume', name } as const)
    : ({ kind: 'PersistentVolumeClaim', namespace, name } as const);
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => index).values();
  const lane = async () => {
    for (const index of indices) await work(index);
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
}
