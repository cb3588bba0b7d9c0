/** Rules that differ between the supported Kubernetes versions (1.31 to 1.37), told from the server's `/version`. */

/** Which of these rules a cluster has. */
export interface Features {
  /** volumeAttributesClassName is compared in matching and copied to the claim's status. */
  readonly volumeAttributesClass: boolean;
}

/** Major and minor of the version that the server behaves as. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
}

const OLDEST_MINOR = 31;
const VOLUME_ATTRIBUTES_CLASS_MINOR = 34;

interface VersionAnswer {
  readonly major?: string;
  readonly minor?: string;
  /** What a server behaves as that emulates an older version. */
  readonly emulationMajor?: string;
  readonly emulationMinor?: string;
}

/**
 * Reads a `/version` answer; managed clusters write minors such as `31+`.
 * @throws Error when major and minor are not numbers.
 */
export function parseServerVersion(version: VersionAnswer): ServerVersion {
  const major = Number.parseInt(version.emulationMajor || version.major || '', 10);
  const minor = Number.parseInt(version.emulationMinor || version.minor || '', 10);
  if (!Number.isInteger(major) || !Number.isInteger(minor)) {
    throw new Error(`server version has no usable major and minor: "${version.major}" "${version.minor}"`);
  }
  return { major, minor };
}

/**
 * The rules that a server of this version has by default. VolumeAttributesClass was off by default up to 1.33 and is
 * on since 1.34 (GA); `override` is for clusters that set the gate by hand.
 */
export function featuresOf(version: ServerVersion, override: Partial<Features> = {}): Features {
  return {
    volumeAttributesClass:
      override.volumeAttributesClass ?? (version.major > 1 || version.minor >= VOLUME_ATTRIBUTES_CLASS_MINOR),
  };
}

/** False for servers older than this project is tested for. */
export function isSupported(version: ServerVersion): boolean {
  return version.major > 1 || version.minor >= OLDEST_MINOR;
}
