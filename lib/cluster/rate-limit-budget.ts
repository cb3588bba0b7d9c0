/** How many calls per second an environment may make. The figures are derived in docs/queue-hygiene.md. */

/** Calls that kube-apiserver works on at once for users that it has no flow schema of its own for, whatever others ask. */
const GUARANTEED_SEATS = 24;
/** How long it works on one of our calls, when it is well. */
const SECONDS_PER_CALL = 0.025;
/** Environments besides the workers': three bridges that overlap, and a resync. */
const OTHER_ENVIRONMENTS = 4;

/**
 * The limit with which all environments of a stage together stay within what a cluster guarantees them.
 * @param maximumConcurrency of the event source of each of the two queues.
 * @returns whole calls per second, at least 1.
 */
export function callsPerEnvironment(maximumConcurrency: number): number {
  const environments = 2 * maximumConcurrency + OTHER_ENVIRONMENTS;
  return Math.max(1, Math.floor(GUARANTEED_SEATS / SECONDS_PER_CALL / environments));
}
