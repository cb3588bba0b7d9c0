/** What EKS's authenticator and STS behind it make of a bearer token. */
import { type AccessKey, checkSignature } from './sigv4.ts';

/** What tokens of this cluster must say. */
export interface ClusterIdentity {
  readonly clusterName: string;
  readonly region: string;
}

const prefix = 'k8s-aws-v1.';
const parameters = [
  'Action',
  'Version',
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-Security-Token',
  'X-Amz-Signature',
  'X-Amz-SignedHeaders',
].join();
const maxExpiresSeconds = 60;
/** The authenticator takes a token for as long after its date, whatever its URL says of its end. */
const lifetimeSeconds = 15 * 60;

/**
 * Reads the presigned URL in a token by the rules of aws-iam-authenticator, and checks its signature as STS would.
 * @returns the key that signed it.
 * @throws Error that says what is wrong, without a part of the token.
 */
export function whoSigned<K extends AccessKey>(
  token: string,
  keys: readonly K[],
  { clusterName, region }: ClusterIdentity,
  now = Date.now(),
): K {
  if (!token.startsWith(prefix)) throw new Error(`a token starts with ${prefix}`);
  const encoded = token.slice(prefix.length);
  if (!/^[\w-]+$/.test(encoded)) throw new Error('a token is base64url without padding');
  const url = new URL(Buffer.from(encoded, 'base64url').toString('utf8'));
  const host = `sts.${region}.amazonaws.com`;
  if (url.origin !== `https://${host}` || url.pathname !== '/') throw new Error(`the URL is not of https://${host}/`);
  const query = url.searchParams;
  if ([...query.keys()].sort().join() !== parameters) throw new Error(`the parameters are not ${parameters}`);
  const of = (name: string) => query.get(name) ?? '';
  if (of('Action') !== 'GetCallerIdentity') throw new Error(`the action is ${of('Action')}`);
  if (of('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') throw new Error(`the algorithm is ${of('X-Amz-Algorithm')}`);
  const expires = Number(of('X-Amz-Expires'));
  if (!(expires > 0 && expires <= maxExpiresSeconds)) throw new Error(`expires after ${of('X-Amz-Expires')} s`);
  const signedHeaders = of('X-Amz-SignedHeaders');
  if (signedHeaders !== 'host;x-k8s-aws-id') throw new Error(`the signed headers are ${signedHeaders}`);
  const signature = of('X-Amz-Signature');
  query.delete('X-Amz-Signature');
  const key = checkSignature(
    {
      method: 'GET',
      path: '/',
      query,
      // The authenticator adds its own cluster's name: a token for another cluster has another signature.
      headers: { host, 'x-k8s-aws-id': clusterName },
      credential: of('X-Amz-Credential'),
      date: of('X-Amz-Date'),
      signedHeaders,
      signature,
    },
    keys,
    { region, service: 'sts', now, expiresSeconds: lifetimeSeconds },
  );
  if (of('X-Amz-Security-Token') !== key.sessionToken) throw new Error('the session token is another one');
  return key;
}
