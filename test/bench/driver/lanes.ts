/** Work on many things, a few of them at a time. */

/** Calls `work` for each index below `count`, `parallel` of them at once; the first failure is thrown when all lanes end. */
export async function inLanes(
  count: number,
  parallel: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => index).values();
  const lane = async () => {
    for (const index of indices) await work(index);
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(parallel, count) }, lane));
  for (const each of lanes) if (each.status === 'rejected') throw each.reason;
}
