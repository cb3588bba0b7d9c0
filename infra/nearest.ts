/** "Did you mean": the nearest of some names to one that is not among them. */

/** The nearest name, if it is near enough to be meant: a third of the letters may differ, whatever their case. */
export function nearest(wrong: string, names: readonly string[]): string | undefined {
  const allowed = (name: string) => Math.max(1, Math.floor(name.length / 3));
  const ranked = names
    // So many letters are inserted or deleted at least; a name of a megabyte would be compared for seconds.
    .filter((name) => Math.abs(name.length - wrong.length) <= allowed(name))
    .map((name) => ({ name, distance: distance(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= allowed(name))
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.name;
}

/** Levenshtein's: letters to insert, delete or replace. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
