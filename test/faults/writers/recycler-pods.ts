/** Whether a recycler pod, of whichever controller, has scrubbed a volume that another claim had by then: its data is gone (I1). */
import type { ControlPlane } from '../../control-plane/harness.ts';
import { Watch, type WatchEvent } from '../../control-plane/watching.ts';
import type { State } from '../observer/state.ts';

export interface ScrubbingPod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly volumes?: readonly { readonly hostPath?: { readonly path: string } }[] };
  readonly status?: { readonly phase?: string };
}

/** A pod that ran to its end. Revisions of the store, as those of volumes. */
export interface Scrub {
  /** Says whose pod it was. */
  readonly namespace: string;
  readonly path: string;
  readonly from: number;
  readonly until: number;
}

export class RecyclerPods {
  readonly #pods: Watch<ScrubbingPod>;

  private constructor(pods: Watch<ScrubbingPod>) {
    this.#pods = pods;
  }

  static async start(plane: ControlPlane): Promise<RecyclerPods> {
    return new RecyclerPods(await Watch.start<ScrubbingPod>(plane, '/api/v1/pods'));
  }

  async stop(): Promise<void> {
    await this.#pods.stop();
  }

  get scrubs(): Scrub[] {
    return scrubsIn(this.#pods.events);
  }
}

export function scrubsIn(events: readonly WatchEvent<ScrubbingPod>[]): Scrub[] {
  const begun = new Map<string, number>();
  const done = new Map<string, Scrub>();
  for (const { object: pod } of events) {
    const { uid, namespace, resourceVersion } = pod.metadata;
    const path = pod.spec.volumes?.map(({ hostPath }) => hostPath?.path).find((each) => each !== undefined);
    if (path === undefined) continue;
    const from = begun.get(uid) ?? Number(resourceVersion);
    begun.set(uid, from);
    if (pod.status?.phase !== 'Succeeded' || done.has(uid)) continue;
    done.set(uid, { namespace, path, from, until: Number(resourceVersion) });
  }
  return [...done.values()];
}

/** @param states of one run, in the order of the store. @returns those that hit data of a claim that came meanwhile. */
export function scrubsOfBound(scrubs: readonly Scrub[], states: readonly State[]): (Scrub & { volume: string })[] {
  const volumes = states.flatMap((state) => (state.kind === 'volume' && state.type !== 'DELETED' ? [state] : []));
  return scrubs.flatMap((scrub) => {
    const own = volumes.filter(({ object }) => object.spec.hostPath?.path === scrub.path);
    const released = own.findLast(({ at }) => at <= scrub.from)?.object.spec.claimRef?.uid;
    const hit = own.find(({ at, object }) => {
      const isOfOther = object.status?.phase === 'Bound' && object.spec.claimRef?.uid !== released;
      return at > scrub.from && at <= scrub.until && isOfOther;
    });
    return hit === undefined ? [] : [{ ...scrub, volume: hit.object.metadata.name }];
  });
}
