/**
 * Whether another controller manager works on the cluster (DESIGN D9): it renews a lease while it does. A managed control
 * plane always has one, so enforce asks to be told that working beside it is meant. One without a lease is told by what it
 * writes (live-binder-writes.ts).
 */
import { BUILT_IN_MANAGER } from '../audit/writer.ts';
import type { Connection } from '../cluster/connection.ts';
import type { ApiResponse } from '../cluster/request.ts';
import { requestFor } from '../cluster/resource-client.ts';
import { objectTarget, type ResourceType } from '../cluster/resources.ts';
import { jsonOf, provesAbsence } from '../cluster/status.ts';
import { Transport, type TransportOptions } from '../cluster/transport.ts';
import { messageOf } from '../controller/errors.ts';
import { mayListVolumes, RECENT_MS, recentWrite } from './live-binder-writes.ts';

const LEASES: ResourceType = {
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  group: 'coordination.k8s.io',
  plural: 'leases',
  namespaced: true,
};
const TARGET = objectTarget(LEASES, { namespace: 'kube-system', name: 'kube-controller-manager' });
const DEFAULT_DURATION_SECONDS = 15;
/** Clocks differ, and a leader may be late. */
const TOLERANCE_MS = 30_000;

interface Lease {
  readonly spec?: { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
}

/** How the question is asked. */
export interface LiveBinderOptions extends TransportOptions {
  /** What to say to work beside another controller: an option, or a variable with its value. */
  readonly wayOut: string;
  /** Milliseconds since the epoch. */
  readonly now?: number;
}

/**
 * @throws Error that says who holds the lease or which volume was written, or that it cannot be read, and what to do. A
 * lease that is missing or old refuses nothing by itself: a controller manager without leader election holds none.
 */
export async function refuseLiveBinder(connection: Connection, options: LiveBinderOptions): Promise<void> {
  const { wayOut, now = Date.now(), ...transportOptions } = options;
  const transport = new Transport(connection, transportOptions);
  try {
    await refuseLease(transport, wayOut, now);
    await refuseWrites(transport, wayOut, now);
  } finally {
    transport.close();
  }
}

async function refuseLease(transport: Transport, wayOut: string, now: number): Promise<void> {
  const response = await transport.request(requestFor('GET', TARGET));
  if (provesAbsence(response, TARGET)) return;
  const {
    holderIdentity,
    renewTime = '',
    leaseDurationSeconds = DEFAULT_DURATION_SECONDS,
  } = leaseIn(response, wayOut).spec ?? {};
  const aliveUntil = Date.parse(renewTime) + leaseDurationSeconds * 1_000 + TOLERANCE_MS;
  if (!holderIdentity || !(aliveUntil > now)) return;
  throw new Error(
    `a controller manager works on this cluster (lease held by ${holderIdentity}, renewed ${renewTime}), and by default ` +
      'its PersistentVolume controller with it. Two controllers get in each other’s way: use the mode assist or observe, ' +
      `switch its persistentvolume-binder-controller off, or say ${wayOut}.`,
  );
}

/** Who may not list volumes leaves this to those who may: no function gets a right for it. */
async function refuseWrites(transport: Transport, wayOut: string, now: number): Promise<void> {
  if (!(await mayListVolumes(transport))) return;
  const write = await recentWrite(transport, now).catch((cause: unknown) => {
    throw new Error(
      `volumes cannot be listed (${messageOf(cause)}), so nobody can tell whether another controller works on this ` +
        `cluster: try again, or say ${wayOut}.`,
      { cause },
    );
  });
  if (write === undefined) return;
  throw new Error(
    `another controller works on this cluster: ${BUILT_IN_MANAGER} wrote status.phase of the PersistentVolume ` +
      `${write.volume} at ${timeText(write.at)}. Two controllers get in each other’s way: use the mode assist or observe, ` +
      'switch its persistentvolume-binder-controller off (which is believed when its last write is ' +
      `${RECENT_MS / 60_000} minutes old, ${timeText(write.at + RECENT_MS)} at the earliest), or say ${wayOut}.`,
  );
}

/** As Kubernetes writes times. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** @throws Error where the answer is anything but the lease: a proxy's page tells nothing of it (DESIGN D3). */
function leaseIn({ status, body }: ApiResponse, wayOut: string): Lease {
  const lease = jsonOf(body);
  if (status === 200 && lease?.['kind'] === LEASES.kind) return lease;
  throw new Error(
    `the controller manager's lease cannot be read (HTTP ${status}), so nobody can tell whether another controller ` +
      `works on this cluster: allow reading leases in kube-system, or say ${wayOut}.`,
  );
}
