/** Checks AWS's signatures (Version 4), written from its specification: the code under test signs with a library. */
import { createHash, createHmac } from 'node:crypto';

/** Somebody with an access key. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** A request as it arrived, and what it says of its signature. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  /** Without X-Amz-Signature. */
  readonly query: URLSearchParams;
  /** None unless given. */
  readonly body?: string;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** `accessKeyId/date/region/service/aws4_request`. */
  readonly credential: string;
  /** `20261130T120000Z`. */
  readonly date: string;
  /** Names of headers, with semicolons. */
  readonly signedHeaders: string;
  readonly signature: string;
}

const maxSkewMilliseconds = 5 * 60_000;

/**
 * Finds the key that a request names and checks the signature with its secret.
 * @param expected what the request must have been signed for; `expiresSeconds` as in a presigned URL.
 * @throws Error that says what is wrong.
 */
export function checkSignature<K extends AccessKey>(
  request: SignedRequest,
  keys: readonly K[],
  expected: {
    readonly region: string;
    readonly service: string;
    readonly now: number;
    readonly expiresSeconds?: number;
  },
): K {
  const [accessKeyId, day = '', ...scope] = request.credential.split('/');
  const key = keys.find((one) => one.accessKeyId === accessKeyId);
  if (key === undefined) throw new Error('unknown access key');
  const { region, service } = expected;
  if (scope.join('/') !== `${region}/${service}/aws4_request`) throw new Error(`signed for ${scope.join('/')}`);
  if (!request.date.startsWith(day)) throw new Error('the scope is of another day');
  const age = expected.now - timeOf(request.date);
  if (age < -maxSkewMilliseconds) throw new Error('signed in the future');
  if (age > maxSkewMilliseconds + (expected.expiresSeconds ?? 0) * 1_000) throw new Error('signed too long ago');
  if (request.signature !== signatureOf(request, key.secretAccessKey, [day, ...scope])) {
    throw new Error('the signature does not match');
  }
  return key;
}

function signatureOf(request: SignedRequest, secret: string, scope: readonly string[]): string {
  const names = request.signedHeaders.split(';');
  const canonical = [
    request.method,
    request.path,
    [...request.query]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${(request.headers[name] ?? '').trim()}`),
    '',
    request.signedHeaders,
    createHash('sha256')
      .update(request.body ?? '')
      .digest('hex'),
  ].join('\n');
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', request.date, scope.join('/'), hashed].join('\n');
  const key = scope.reduce<string | Buffer>((previous, part) => hmac(previous, part), `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

/** RFC 3986: all but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function timeOf(date: string): number {
  return Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
