/**
 * The bearer token of an EKS cluster: a presigned GetCallerIdentity request, which the cluster's authenticator sends to
 * STS to learn who asks. The presigned URL is a secret and appears nowhere but in the token.
 */
import { type AwsCredentials, awsHost, awsSigner } from './aws-signer.ts';
import type { TokenSource } from './connection.ts';

/** Which cluster the token is for, and who asks. */
export interface EksTokenOptions {
  readonly clusterName: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  /** Milliseconds since the epoch; the system's clock when absent. */
  readonly now?: () => number;
}

const EXPIRES_SECONDS = 60;
/** Tokens live 15 minutes; a new one is made well before. */
const REFRESH_MS = 10 * 60_000;

/** A source that keeps its token for ten minutes and makes a new one when the server refuses it. */
export function eksTokenSource(options: EksTokenOptions): TokenSource {
  const { now = Date.now } = options;
  let cached: { token: Promise<string>; madeAt: number } | undefined;
  return (renew = false) => {
    if (cached === undefined || renew || now() - cached.madeAt > REFRESH_MS) {
      const token = eksToken(options, new Date(now()));
      cached = { token, madeAt: now() };
      token.catch(() => {
        cached = undefined;
      });
    }
    return cached.token;
  };
}

/** One token, as of `signingDate`. @throws Error when there are no credentials. */
export async function eksToken(options: EksTokenOptions, signingDate: Date): Promise<string> {
  const { clusterName, region, credentials } = options;
  const hostname = awsHost('sts', region);
  const signed = await awsSigner('sts', region, credentials).presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: hostname, 'x-k8s-aws-id': clusterName },
    },
    { expiresIn: EXPIRES_SECONDS, signingDate, unhoistableHeaders: new Set(['x-k8s-aws-id']) },
  );
  const query = Object.entries(signed.query ?? {})
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`)
    .join('&');
  return `k8s-aws-v1.${Buffer.from(`https://${hostname}/?${query}`).toString('base64url')}`;
}
