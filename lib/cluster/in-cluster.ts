/** A connection from inside a pod: the bridge's container. Loads nothing but files. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { type Connection, endpointOf } from './connection.ts';
import { ConnectionError } from './errors.ts';

/** The kubelet replaces the token long before it expires; client-go reads it as often. */
const TOKEN_READ_MS = 60_000;

/**
 * The pod's service account and the cluster's own API server.
 * @param directory where the service account is mounted.
 * @param environment `process.env` unless given.
 * @throws ConnectionError when this is no pod, or its service account is not mounted.
 */
export function connectionInCluster(
  directory = '/var/run/secrets/kubernetes.io/serviceaccount',
  environment: NodeJS.ProcessEnv = process.env,
): Connection {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new ConnectionError('this is no pod: KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set');
  }
  let ca: string;
  try {
    ca = readFileSync(join(directory, 'ca.crt'), 'utf8');
  } catch (error) {
    throw new ConnectionError(`no service account at ${directory} (${(error as { code?: string }).code})`);
  }
  let token = '';
  let readAt = Number.NEGATIVE_INFINITY;
  const connection: Connection = {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    ca,
    token: async (renew = false) => {
      if (renew || Date.now() - readAt >= TOKEN_READ_MS) {
        token = (await readFile(join(directory, 'token'), 'utf8')).trim();
        readAt = Date.now();
      }
      return token;
    },
  };
  endpointOf(connection);
  return connection;
}
