/**
 * Somebody who watches the API server and tells what changes: phases of volumes, claims and recycler pods, and the
 * controller's events. It sees what any other client would see, when it would see it.
 */
import type { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import type { ClusterEvent, ObjectMeta } from '../../lib/controller/types.ts';
import { follow } from './follow.ts';

export interface Transition {
  /** `volume disk-1`, `claim shop/data`, `pod for disk-1`. */
  readonly subject: string;
  /** `Bound → Released`, or the reason of an event. */
  readonly change: string;
  /** The phase that it is in now; undefined for an event. */
  readonly phase?: string;
  /** The text of an event. */
  readonly message?: string;
  readonly isWarning?: boolean;
}

interface Phased {
  readonly metadata: ObjectMeta;
  readonly status?: { readonly phase?: string };
}

const COMPONENT = 'persistentvolume-controller';
const SUBJECTS: Readonly<Record<string, string>> = { PersistentVolume: 'volume', PersistentVolumeClaim: 'claim' };

export class Observer {
  readonly #tell: (transition: Transition) => void;
  readonly #phases = new Map<string, string>();
  readonly #pods = new Set<string>();

  constructor(tell: (transition: Transition) => void) {
    this.#tell = tell;
  }

  /** A recycler pod that exists, if there is one. */
  get pod(): string | undefined {
    return this.#pods.values().next().value;
  }

  /** @returns when it sees everything. */
  async start(
    cluster: ApiServerCluster,
    podNamespace: string,
    signal: AbortSignal,
    onError: (error: unknown) => void,
  ): Promise<void> {
    const common = { signal, onError };
    await Promise.all([
      follow(cluster, 'PersistentVolume', {
        ...common,
        onChange: (type, volume) => this.#changed(type, `volume ${volume.metadata.name}`, volume),
      }),
      follow(cluster, 'PersistentVolumeClaim', {
        ...common,
        onChange: (type, claim) =>
          this.#changed(type, `claim ${claim.metadata.namespace}/${claim.metadata.name}`, claim),
      }),
      follow(cluster, 'Pod', {
        ...common,
        namespace: podNamespace,
        onChange: (type, pod) => {
          const { name } = pod.metadata;
          if (type === 'DELETED') this.#pods.delete(name);
          else this.#pods.add(name);
          this.#changed(type, `pod for ${name.replace(/^recycler-for-/, '')}`, {
            ...pod,
            metadata: { name, uid: pod.metadata.uid ?? '' },
          });
        },
      }),
      follow(cluster, 'Event', { ...common, onChange: (type, event) => this.#event(type, event) }),
    ]);
  }

  /** One uid, one story: an object that was created again under the same name starts anew. */
  #changed(type: string, subject: string, object: Phased): void {
    const { uid = subject } = object.metadata;
    const before = this.#phases.get(uid);
    if (type === 'DELETED') {
      this.#phases.delete(uid);
      this.#tell({ subject, change: `${before ?? 'Pending'} → gone`, phase: 'gone' });
      return;
    }
    const phase = phaseOf(object);
    this.#phases.set(uid, phase);
    // Everything starts as Pending; that is the API server's doing and tells nothing.
    if (phase !== (before ?? 'Pending')) this.#tell({ subject, change: `${before ?? 'Pending'} → ${phase}`, phase });
  }

  #event(type: string, { involvedObject, source, reason = '', message = '', type: level }: ClusterEvent): void {
    if (type === 'DELETED' || source?.component !== COMPONENT) return;
    const { kind = '', namespace, name = '' } = involvedObject;
    const subject = `${SUBJECTS[kind] ?? kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    this.#tell({ subject, change: reason, message, isWarning: level === 'Warning' });
  }
}

/** As `kubectl get` shows it. */
function phaseOf({ metadata, status }: Phased): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating';
}
