/** What all runs share: a control plane, the controllers beside ours, a node for recycler pods, and the observer. */

import { type FakeKubelet, startFakeKubelet } from '../control-plane/fake-kubelet.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/harness.ts';
import { applyPermissions, recyclerNamespace } from '../control-plane/permissions.ts';
import { type AuditLog, auditLog, type Write } from './observer/audit-log.ts';
import { Observer } from './observer/observer.ts';
import { PROVISIONER } from './scenarios/scenarios.ts';

/** Names of our functions at the API server. */
export const OURS = ['volume-worker', 'claim-worker', 'bridge', 'resync'];
/** Others who may do everything, but under names of their own: what they write is told apart from what users write. */
export const BUILT_IN = 'built-in';
export const OPPONENT = 'opponent';

export class Stage {
  readonly plane: ControlPlane;
  readonly observer: Observer;
  readonly #end: () => Promise<void>;
  readonly #ending: Promise<void>[] = [];
  #runs = 0;

  private constructor(plane: ControlPlane, observer: Observer, end: () => Promise<void>) {
    this.plane = plane;
    this.observer = observer;
    this.#end = end;
  }

  /** @param onWrite is told of every line of the audit log that the observer reads. */
  static async open(onWrite: (write: Write) => void = () => {}): Promise<Stage> {
    const log = auditLog();
    const auth = [BUILT_IN, OPPONENT].map((name) => ({ name, groups: ['system:masters'] }));
    const plane = await startControlPlane({ apiServerArgs: log.args, auth });
    let kubelet: FakeKubelet | undefined;
    let observer: Observer | undefined;
    const end = async () => {
      await kubelet?.stop();
      await observer?.stop();
      await plane.stop();
      log.remove();
    };
    try {
      await applyPermissions(plane.client(), 'enforce', 'in-tree', 'recycling/enforce');
      await plane.startControllerManager({ binder: false, qps: 1_000_000, burst: 1_000_000 });
      await plane.startProvisioner({ name: PROVISIONER });
      kubelet = startFakeKubelet(plane.client(), recyclerNamespace);
      observer = await Observer.start(plane, overheard(log, onWrite), OURS);
      return new Stage(plane, observer, end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  /** A new run: its namespace, which is its name too. */
  async newRun(): Promise<string> {
    const run = `r${++this.#runs}`;
    await this.plane.client().request('POST', '/api/v1/namespaces', { metadata: { name: run } });
    return run;
  }

  /** Deletes what is left of a run, finalizers or not. */
  async clear(run: string): Promise<void> {
    const states = await this.observer.states(run);
    const paths = new Set(
      states.map(({ kind, object: { metadata } }) =>
        kind === 'volume'
          ? `/api/v1/persistentvolumes/${metadata.name}`
          : `/api/v1/namespaces/${metadata.namespace}/persistentvolumeclaims/${metadata.name}`,
      ),
    );
    const client = this.plane.client();
    await Promise.all(
      [...paths].map(async (path) => {
        await client.request('DELETE', path);
        await client.request('PATCH', path, { metadata: { finalizers: null } });
      }),
    );
  }

  /** What ends in its own time, while the next run begins; `close` waits for it. */
  afterwards(ending: Promise<void>): void {
    this.#ending.push(ending);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#ending);
    await this.#end();
  }
}

function overheard(log: AuditLog, onWrite: (write: Write) => void): AuditLog {
  return {
    ...log,
    next: async () => {
      const writes = await log.next();
      for (const write of writes) onWrite(write);
      return writes;
    },
  };
}
