/** What is measured: a controller that is started on the shared plane, does the jobs, and is stopped. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/controller/types.ts';
import type { ControlPlane } from '../../control-plane/harness.ts';
import type { Route } from '../plane/plane.ts';

/** Messages that went into and came out of the queues so far. */
export interface Messages {
  readonly sent: number;
  readonly received: number;
}

export interface RunningContender {
  /** Processes to be measured, by their part: what is `controller`, and what stands for something of AWS. */
  readonly pids: Readonly<Record<string, number>>;
  messages(): Promise<Messages | undefined>;
  /** Waits until it has nothing left to do. */
  settled(): Promise<void>;
  /** Nothing is done until `resume`; what happens meanwhile is seen afterwards. */
  pause(): void;
  resume(): void;
  /** Told of a pair to be bound, by a contender that follows nothing itself. */
  offer?(volume: PersistentVolume, claim: PersistentVolumeClaim): void;
  stop(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  readonly kind: 'built-in' | 'ours' | 'floor';
  /** What it is, for the table's legend. */
  readonly about: string;
  /** It does no more than this: there is no need to wait for what is known to be slow. */
  readonly mostObjects?: number;
  start(plane: ControlPlane, route: Route): Promise<RunningContender>;
}
