/** Errors of this adapter beyond those that the controller decides by. */
import { ClusterError } from '../controller/errors.ts';

/** 410: the resourceVersion asked for is no longer kept by the server. List again. */
export class GoneError extends ClusterError {
  override readonly name = 'GoneError';
}

/** A name or namespace that no object can have; nothing was sent. No retry can heal it. */
export class InvalidNameError extends ClusterError {
  override readonly name = 'InvalidNameError';

  /** @param field what the value is, e.g. `name of persistentvolumes`. */
  constructor(field: string, value: string) {
    const shown = value.length > 300 ? `${value.slice(0, 300)}…` : value;
    super(`${field} is no valid Kubernetes name: ${JSON.stringify(shown)}`, { reason: 'InvalidName' });
  }
}

/** Settings from which no connection can be made: a kubeconfig, a URL, a certificate. Its text holds no secret. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}
