/**
 * Chance that replays: drawn from the seed and from what is decided about, never from a sequence. So a request meets the
 * same fate in each run of a seed, whatever else happens beside it and in which order.
 */

/**
 * @param about what is decided, such as a seed, a request and how often it was made.
 * @returns a number from 0 up to, but not including, 1.
 */
export function chance(...about: readonly (string | number)[]): number {
  // FNV-1a, then the finish of murmur3: neighbouring texts must not get neighbouring numbers.
  let hash = 0x811c9dc5;
  for (const char of about.join('\u0000')) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** One of these, by chance. */
export function pick<T>(from: readonly T[], ...about: readonly (string | number)[]): T {
  return from[Math.floor(chance(...about) * from.length)] as T;
}
