/**
 * Whether another controller manager works on the cluster (DESIGN D9): it renews a lease while it does. A managed control
 * plane always has one, so enforce asks to be told that working beside it is meant.
 */
import type { Connection } from '../lib/cluster/connection.ts';
import { Transport } from '../lib/cluster/transport.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';
const DEFAULT_DURATION_SECONDS = 15;
/** Clocks differ, and a leader may be late. */
const TOLERANCE_MS = 30_000;

interface Lease {
  readonly spec?: { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
}

/**
 * @throws Error that says who holds the lease, or that it cannot be read, and what to do. A lease that is missing or old
 * refuses nothing: a controller manager without leader election holds none.
 */
export async function refuseLiveBinder(connection: Connection, now = Date.now()): Promise<void> {
  const transport = new Transport(connection);
  try {
    const { status, body } = await transport.request({ method: 'GET', path: PATH });
    if (status === 404) return;
    if (status !== 200) {
      throw new Error(
        `the controller manager's lease cannot be read (HTTP ${status}), so nobody can tell whether another controller ` +
          'works on this cluster: allow reading leases in kube-system, or say --beside-another-controller.',
      );
    }
    const {
      holderIdentity,
      renewTime = '',
      leaseDurationSeconds = DEFAULT_DURATION_SECONDS,
    } = (JSON.parse(body) as Lease).spec ?? {};
    const aliveUntil = Date.parse(renewTime) + leaseDurationSeconds * 1_000 + TOLERANCE_MS;
    if (!holderIdentity || !(aliveUntil > now)) return;
    throw new Error(
      `a controller manager works on this cluster (lease held by ${holderIdentity}, renewed ${renewTime}), and by default ` +
        'its PersistentVolume controller with it. Two controllers get in each other’s way: use --mode observe, switch its ' +
        'persistentvolume-binder-controller off, or say --beside-another-controller.',
    );
  } finally {
    transport.close();
  }
}
