/** All jobs, in the order in which they are done. */
import { backlog, life } from './life.ts';
import { dynamic, prebound, waiting } from './others.ts';
import type { Stage } from './stage.ts';

/** Jobs that build on each other; everything is cleared away after a scene. */
export interface Scene {
  readonly jobs: readonly string[];
  readonly play: (stage: Stage) => Promise<void>;
  /** Whether bare writes by hand can do it. */
  readonly hasFloor: boolean;
}

export const scenes: readonly Scene[] = [
  { jobs: ['available', 'bind', 'release'], play: life, hasFloor: true },
  { jobs: ['backlog'], play: backlog, hasFloor: true },
  { jobs: ['prebound'], play: prebound, hasFloor: false },
  { jobs: ['dynamic'], play: dynamic, hasFloor: false },
  { jobs: ['waiting'], play: waiting, hasFloor: false },
];

/** What each job is, for the legend. */
export const aboutJobs: Readonly<Record<string, string>> = {
  available: 'N volumes created → all Available',
  bind: 'N claims created, with N free volumes there → all Bound',
  release: 'the N claims deleted → all volumes Released',
  backlog: 'N claims and volumes there, the controller let go → all Bound; the driver does nothing meanwhile',
  prebound: 'N volumes with a claimRef and the claims that name them created → all Bound',
  dynamic: 'N claims of a class created → all Bound; reads and writes hold those of the external provisioner',
  waiting: 'N Pending claims, one fitting volume after the other created over 15 s → each Bound',
};
