import type { Identity } from './identities.ts';

/** How a control plane is to be; the defaults are those of the upstream integration tests. */
export interface ControlPlaneOptions {
  /** For the API server and the controller managers alike. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Behave like this version, for example `1.35`: needed to switch off a gate that is locked since. */
  readonly emulatedVersion?: string;
  /** Admission plugins to leave out; `ServiceAccount` and `StorageObjectInUseProtection` unless given. */
  readonly disableAdmission?: readonly string[];
  /** More flags of the API server. */
  readonly apiServerArgs?: readonly string[];
  /** Who else may log in, besides `admin`. */
  readonly auth?: readonly Identity[];
}

/**
 * No service accounts exist here, so their admission would refuse every pod; and without the protection finalizers, which
 * StorageObjectInUseProtection adds, a deleted object is gone at once.
 */
export const defaultDisabledAdmission: readonly string[] = ['ServiceAccount', 'StorageObjectInUseProtection'];

/** The flags that make a component behave like the version and the gates that were asked for. */
export function versionArguments(options: ControlPlaneOptions): string[] {
  const gates = Object.entries(options.featureGates ?? {}).map(([gate, on]) => `${gate}=${on}`);
  return [
    ...(options.emulatedVersion === undefined ? [] : [`--emulated-version=${options.emulatedVersion}`]),
    ...(gates.length === 0 ? [] : [`--feature-gates=${gates.join(',')}`]),
  ];
}
