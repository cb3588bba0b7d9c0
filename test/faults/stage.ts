/** What all runs share: a control plane, the controllers beside ours, a node for recycler pods, and the observer. */

import { type FakeKubelet, startFakeKubelet } from '../control-plane/fake-kubelet.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/harness.ts';
import { applyPermissions, recyclerNamespace } from '../control-plane/permissions.ts';
import { auditLog } from './observer/audit-log.ts';
import { Observer } from './observer/observer.ts';
import { PROVISIONER } from './scenarios/scenarios.ts';

const OURS = ['volume-worker', 'claim-worker', 'bridge', 'resync'];

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

  static async open(): Promise<Stage> {
    const log = auditLog();
    const plane = await startControlPlane({ apiServerArgs: log.args });
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
      observer = await Observer.start(plane, log, OURS);
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
