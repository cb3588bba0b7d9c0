/** Where the API server is and how to prove who we are to it. */
import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { withoutUser } from '../addresses.ts';
import { messageOf } from '../controller/errors.ts';
import { ConnectionError } from './errors.ts';

/**
 * Gives a bearer token; asked before every request, so it keeps its own cache.
 * @param renew true when the server refused the last token: a cached one must not be given again.
 */
export type TokenSource = (renew?: boolean) => Promise<string>;

/** What a kubeconfig or the environment says of a cluster, not yet checked: `endpointOf` does that. */
export interface Connection {
  /** `https://host[:port][/prefix]`; `http` only where no token is sent, or to this machine. */
  readonly server: string;
  /** PEM certificates to trust; Node's own list when absent. */
  readonly ca?: string;
  /** PEM, with `clientKey`. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly token?: TokenSource;
  /** Name to expect in the server's certificate where it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** Accepts any certificate: only when a kubeconfig says so. */
  readonly insecureSkipTlsVerify?: boolean;
}

/** A connection that was checked. */
export interface Endpoint {
  readonly url: URL;
  /** Path before `/api`, without a trailing slash; empty unless the server sits behind a prefix. */
  readonly prefix: string;
  /** Trust and client certificate, parsed once; undefined for http. */
  readonly secureContext: SecureContext | undefined;
}

/** @throws ConnectionError that names the field and, where it is no secret, its value. */
export function endpointOf(connection: Connection): Endpoint {
  const url = serverUrl(connection);
  const secureContext = url.protocol === 'https:' ? trustOf(connection) : undefined;
  return { url, prefix: url.pathname.replace(/\/+$/, ''), secureContext };
}

function serverUrl({ server, token }: Connection): URL {
  if (!URL.canParse(server)) throw new ConnectionError(`server is no URL: ${JSON.stringify(withoutUser(server))}`);
  const url = new URL(server);
  if (url.username !== '' || url.password !== '') {
    throw new ConnectionError(`server must not hold a user or password (host ${url.host})`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ConnectionError(`server must be an https URL: ${JSON.stringify(server)}`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ConnectionError(
      `server must have no query and no fragment: ${JSON.stringify(url.origin + url.pathname)}`,
    );
  }
  if (url.protocol === 'http:' && token !== undefined && !isThisMachine(url.hostname)) {
    throw new ConnectionError(`server ${url.origin} is plain http: a token would travel in the clear`);
  }
  return url;
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function trustOf({ ca, clientCertificate, clientKey }: Connection): SecureContext {
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    const missing = clientKey === undefined ? 'clientKey' : 'clientCertificate';
    throw new ConnectionError(`clientCertificate and clientKey belong together: ${missing} is missing`);
  }
  assertPem('ca', ca, 'CERTIFICATE');
  assertPem('clientCertificate', clientCertificate, 'CERTIFICATE');
  assertPem('clientKey', clientKey, 'PRIVATE KEY');
  try {
    // OpenSSL passes over a CA that it cannot read, and then trusts nobody.
    if (ca !== undefined) new X509Certificate(ca);
    return createSecureContext({
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca }),
      ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
      ...(clientKey === undefined ? {} : { key: clientKey }),
    });
  } catch (error) {
    throw new ConnectionError(`ca, clientCertificate or clientKey cannot be read: ${messageOf(error)}`);
  }
}

function assertPem(field: string, value: string | undefined, label: string): void {
  if (value === undefined || new RegExp(`-----BEGIN [A-Z ]*${label}-----`).test(value)) return;
  throw new ConnectionError(`${field} is no PEM ${label.toLowerCase()} (${value.length} characters)`);
}
