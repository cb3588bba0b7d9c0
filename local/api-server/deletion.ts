import { type ApiObject, objectAt, stringsAt } from './json.ts';
import { timestamp } from './metadata.ts';

const defaultGraceSeconds = 30;
const milliseconds = 1000;

/**
 * The state that a deleted object goes into first, if something holds it: a finalizer, for a running pod its kubelet,
 * for a namespace its contents. Pods always have such a state, even if they stay in it for no time at all.
 * `undefined`: the object goes at once.
 */
export function deletionMark(object: ApiObject, graceSeconds: number | undefined, now: Date): ApiObject | undefined {
  const grace = gracePeriod(object, graceSeconds);
  const isHeld = object.kind === 'Pod' || stringsAt(object.metadata.finalizers).length > 0 || isLiveNamespace(object);
  if (!isHeld) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp !== undefined && (deletionGracePeriodSeconds ?? 0) <= grace) return object;
  const isNamespace = object.kind === 'Namespace';
  return {
    ...object,
    ...(isNamespace ? { status: { ...object.status, phase: 'Terminating' } } : {}),
    metadata: {
      ...object.metadata,
      deletionTimestamp: timestamp(new Date(now.getTime() + grace * milliseconds)),
      ...(isNamespace ? {} : { deletionGracePeriodSeconds: grace }),
    },
  };
}

/** Whether a marked object has nothing left that holds it. */
export function isReadyToGo(object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers } = object.metadata;
  const isHeld = stringsAt(finalizers).length > 0 || deletionGracePeriodSeconds > 0 || isLiveNamespace(object);
  return deletionTimestamp !== undefined && !isHeld;
}

/** Only a pod that runs on a node gets time: its kubelet confirms the end by deleting it again with no grace. */
function gracePeriod(object: ApiObject, asked: number | undefined): number {
  if (object.kind !== 'Pod') return 0;
  const { nodeName, terminationGracePeriodSeconds } = objectAt(object.spec);
  const { phase } = objectAt(object.status);
  if (nodeName === undefined || phase === 'Succeeded' || phase === 'Failed') return 0;
  return asked ?? Number(terminationGracePeriodSeconds ?? defaultGraceSeconds);
}

function isLiveNamespace(object: ApiObject): boolean {
  return object.kind === 'Namespace' && stringsAt(objectAt(object.spec)['finalizers']).length > 0;
}
