/** Signing of requests to AWS that no SDK client is worth its size for, over Node's own hashes. */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

type SignerSettings = ConstructorParameters<typeof SignatureV4>[0];
type Secret = string | ArrayBuffer | ArrayBufferView;

/** Keys, or what gives them; asked at each signature, so that renewed keys are taken up. */
export type AwsCredentials = SignerSettings['credentials'];
export type AwsIdentity = Exclude<AwsCredentials, (...args: never) => unknown>;

/** A signer for one service in one region. */
export function awsSigner(service: string, region: string, credentials: AwsCredentials): SignatureV4 {
  return new SignatureV4({ service, region, credentials, sha256: Sha256 });
}

/** The public host of a service in a region; China's regions have a domain of their own. */
export function awsHost(service: string, region: string): string {
  return `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** What the signer wants of a hash, over Node's own. */
class Sha256 {
  readonly #secret: Secret | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: Secret) {
    this.#secret = secret;
    this.#hash = newHash(secret);
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = newHash(this.#secret);
  }
}

function newHash(secret: Secret | undefined): Hash | Hmac {
  if (secret === undefined) return createHash('sha256');
  return createHmac('sha256', typeof secret === 'string' ? secret : bytesOf(secret));
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
