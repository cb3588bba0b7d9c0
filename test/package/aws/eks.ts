/** Stands in for EKS: DescribeCluster, for callers whose signature is right. */

import type { Principal } from './authenticator.ts';
import { startJsonServer } from './server.ts';
import { checkSignature } from './sigv4.ts';
import type { ClusterIdentity } from './token.ts';

/** What DescribeCluster tells of the cluster. */
export interface ClusterAddress {
  readonly endpoint: string;
  /** PEM in base64. */
  readonly certificateAuthority: string;
}

export interface Eks {
  readonly url: string;
  /** Users that were told, by name. */
  readonly told: readonly string[];
  readonly refusals: readonly string[];
  close(): Promise<void>;
}

const authorization = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** @param principals may grow: it is read at each request. */
export async function startEks(
  { clusterName, region }: ClusterIdentity,
  address: ClusterAddress,
  principals: readonly Principal[],
): Promise<Eks> {
  const told: string[] = [];
  const refusals: string[] = [];
  const server = await startJsonServer(({ method = '', url = '', headers }) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    if (method !== 'GET' || pathname !== `/clusters/${clusterName}`) {
      refusals.push(`${method} ${pathname}`);
      return { status: 404, body: { message: `No cluster found for name: ${pathname}` } };
    }
    try {
      const [, credential = '', signedHeaders = '', signature = ''] =
        authorization.exec(headers.authorization ?? '') ?? [];
      for (const name of ['host', 'x-amz-date', 'x-amz-security-token']) {
        if (!signedHeaders.split(';').includes(name)) throw new Error(`header ${name} is not signed`);
      }
      const date = String(headers['x-amz-date']);
      const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const request = { method, path: pathname, query: searchParams, headers: flat, credential, date, signedHeaders };
      const key = checkSignature({ ...request, signature }, principals, { region, service: 'eks', now: Date.now() });
      if (flat['x-amz-security-token'] !== key.sessionToken) throw new Error('the session token is another one');
      told.push(key.username);
    } catch (error) {
      refusals.push((error as Error).message);
      return { status: 403, body: { message: (error as Error).message } };
    }
    const { endpoint, certificateAuthority: data } = address;
    return {
      status: 200,
      body: { cluster: { name: clusterName, status: 'ACTIVE', endpoint, certificateAuthority: { data } } },
    };
  });
  return { url: server.url, told, refusals, close: () => server.close() };
}
