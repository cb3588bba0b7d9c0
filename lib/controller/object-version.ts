/** The version rule (BEHAVIOUR 2.3): resourceVersions are 64-bit integers, compared as numbers. */

const INTEGER = /^[+-]?[0-9]+$/;
const MAX_INT64 = 2n ** 63n - 1n;

/** @throws Error with upstream's text when the version is no base-10 64-bit integer. */
function parseVersion(resourceVersion: string, what: string): bigint {
  const refuse = (why: string) =>
    new Error(
      `error parsing ResourceVersion "${resourceVersion}" of ${what}: strconv.ParseInt: parsing "${resourceVersion}": ${why}`,
    );
  if (!INTEGER.test(resourceVersion)) throw refuse('invalid syntax');
  const version = BigInt(resourceVersion);
  if (version > MAX_INT64 || version < -MAX_INT64 - 1n) throw refuse('value out of range');
  return version;
}

/**
 * Whether an object just received may replace the one that is held.
 * @param held resourceVersion of what is held, undefined when nothing is: then anything is stored, unread.
 * @param received resourceVersion of what came in.
 * @param what names the object in errors, e.g. `volume "pv-1"`.
 * @returns false only when the held one is newer.
 * @throws Error when either version is no 64-bit integer.
 */
export function isCurrent(held: string | undefined, received: string, what: string): boolean {
  if (held === undefined) return true;
  const receivedVersion = parseVersion(received, what);
  return parseVersion(held, what) <= receivedVersion;
}
