/** Reads the metrics page of a controller manager, wherever it can be reached from here. */
import type { Connection } from '../../lib/cluster/connection.ts';
import { Transport } from '../../lib/cluster/transport.ts';
import { UsageError } from '../command-line.ts';

/** Of a large cluster it is megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/**
 * @param where a URL, asked without credentials; or a path, asked of the API server with those of the connection, as EKS
 *   serves it (`/apis/metrics.eks.amazonaws.com/v1/kcm/container/metrics`).
 * @returns what reads the text. It throws when there is none.
 * @throws UsageError when `where` is neither.
 */
export function metricsReader(where: string, connection: Connection): () => Promise<string> {
  if (where.startsWith('/')) return () => fromApiServer(where, connection);
  if (!URL.canParse(where) || !/^https?:$/.test(new URL(where).protocol)) {
    throw new UsageError(
      `--controller-manager-metrics: ${JSON.stringify(where)} is no http(s) URL, and no path that begins with /`,
    );
  }
  return async () => {
    const response = await fetch(where, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`GET ${where}: ${response.status}`);
    return await response.text();
  };
}

async function fromApiServer(path: string, connection: Connection): Promise<string> {
  const transport = new Transport(connection, { requestTimeoutMs: TIMEOUT_MS });
  try {
    const { status, body } = await transport.request({ method: 'GET', path, maxBodyBytes: MAX_BYTES });
    if (status !== 200) throw new Error(`GET ${path}: ${status}; the rights of this kubeconfig may not reach it`);
    return body;
  } finally {
    transport.close();
  }
}
