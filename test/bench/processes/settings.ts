/** What the parent and a process of ours say to each other. */
import type { SyncKey } from '../../../lib/controller/types.ts';
import type { QueueAddresses } from '../../../local/queue/embedded.ts';

/** What the parent sets in the variable `BENCH_PROCESS`, as JSON. */
export type ProcessSettings = { readonly role: 'queue' } | BridgeSettings | WorkersSettings;

export interface BridgeSettings extends Common {
  readonly role: 'bridge';
  readonly access: Access;
}

export interface WorkersSettings extends Common {
  readonly role: 'workers';
  readonly access: Readonly<Record<SyncKey['kind'], Access>>;
  /** Calls at one time of each of the two functions. */
  readonly concurrency: number;
  /** Whether each of them has an environment, as on Lambda; otherwise those of a function share one, as in `npm start`. */
  readonly ownEnvironments: boolean;
}

export interface Common {
  readonly queue: QueueProcess;
  /** Of the system, by environment variable. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The API server, and who we are to it. What is deployed reads no kubeconfig file, so these processes do not either. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

/** What the queues' process says when it is ready. */
export interface QueueProcess {
  readonly endpoint: string;
  readonly addresses: QueueAddresses;
}

/** Counted since the start. */
export interface ProcessCounts {
  readonly sent: number;
  readonly received: number;
  readonly heapBytes: number;
}

export type Question = 'counts' | 'collected' | 'idle' | 'resync' | 'stop';

/** A part of the system, running. */
export interface Part {
  /** What the parent is told. */
  readonly ready: object;
  readonly sent?: () => number;
  readonly received?: () => number;
  readonly idle?: () => Promise<void>;
  readonly resync?: () => Promise<void>;
  stop(): Promise<void>;
}
