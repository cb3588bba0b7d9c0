import { protectionFinalizer } from './admission.ts';
import type { Change } from './collection.ts';
import { type ApiObject, objectAt, stringsAt } from './json.ts';
import type { Operations } from './operations.ts';
import { resourceOf } from './resources.ts';
import type { ObjectStore } from './store.ts';

const volumes = 'persistentvolumes';
const claims = 'persistentvolumeclaims';

/**
 * A stand-in for the two protection controllers: volumes and claims have their protection finalizer until they are to be
 * deleted and nothing uses them. Returns what ends it.
 */
export function startProtection(store: ObjectStore, operations: Operations): () => void {
  const setFinalizers = (plural: string, object: ApiObject, finalizers: string[]) => {
    const { name, namespace } = object.metadata;
    const next = { ...object, metadata: { ...object.metadata, finalizers } };
    operations.update({ resource: resourceOf(plural), namespace, name }, next);
  };
  const look = (plural: string, { name, namespace }: ApiObject['metadata']) => {
    const object = store.get(plural, { name, namespace });
    if (object === undefined) return;
    const finalizer = protectionFinalizer(object.kind) ?? '';
    const finalizers = stringsAt(object.metadata.finalizers);
    const isProtected = finalizers.includes(finalizer);
    const isLeaving = object.metadata.deletionTimestamp !== undefined;
    if (!isLeaving && !isProtected) {
      setFinalizers(plural, object, [...finalizers, finalizer]);
    } else if (isLeaving && isProtected && !isUsed(store, object)) {
      setFinalizers(
        plural,
        object,
        finalizers.filter((other) => other !== finalizer),
      );
    }
  };
  const lookAtClaims = ({ object }: Change) => {
    for (const { metadata } of store.list(claims, object.metadata.namespace)) look(claims, metadata);
  };

  // Not within the change itself: each change is told to all watches before the next one happens.
  const ends = [
    store.subscribe(volumes, ({ object }) => setImmediate(look, volumes, object.metadata)),
    store.subscribe(claims, ({ object }) => setImmediate(look, claims, object.metadata)),
    store.subscribe('pods', (change) => setImmediate(lookAtClaims, change)),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function isUsed(store: ObjectStore, object: ApiObject): boolean {
  if (object.kind === 'PersistentVolume') return objectAt(object.status)['phase'] === 'Bound';
  return store.list('pods', object.metadata.namespace).some((pod) => usesClaim(pod, object));
}

/** A pod uses a claim from being scheduled until it is gone; an ended pod that names the claim still counts. */
function usesClaim(pod: ApiObject, claim: ApiObject): boolean {
  const { nodeName, volumes: podVolumes } = objectAt(pod.spec);
  if (!nodeName || !Array.isArray(podVolumes)) return false;
  return podVolumes.some((volume) => {
    const { persistentVolumeClaim, ephemeral, name } = objectAt(volume);
    if (objectAt(persistentVolumeClaim)['claimName'] === claim.metadata.name) return true;
    return ephemeral !== undefined && isEphemeralClaim(claim, pod, String(name)) && !isShutDown(pod);
  });
}

function isEphemeralClaim(claim: ApiObject, pod: ApiObject, volumeName: string): boolean {
  const owners = claim.metadata.ownerReferences ?? [];
  return (
    claim.metadata.name === `${pod.metadata.name}-${volumeName}` &&
    owners.some((owner) => owner['controller'] === true && owner['uid'] === pod.metadata.uid)
  );
}

function isShutDown({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}
