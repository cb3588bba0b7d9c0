/** Throw-away certificates for tests, made with node:crypto alone: no key is stored, and no openssl is needed. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

export interface Authority extends Certificate {
  /** Issues a certificate; `hosts` are DNS names and IPv4 addresses. */
  issue(name: string, hosts?: readonly string[]): Certificate;
}

export function certificateAuthority(name = 'test CA'): Authority {
  const own = build(name, name, undefined, ca());
  const issuerKey = createPrivateKey(own.key);
  return {
    ...own,
    issue: (subject, hosts = []) => build(subject, name, issuerKey, hosts.length === 0 ? [] : alternativeNames(hosts)),
  };
}

function build(subject: string, issuer: string, issuerKey: KeyObject | undefined, extensions: Buffer[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const body = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))), // version 3
    tag(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(issuer),
    sequence(time('20200101000000Z'), time('21200101000000Z')),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [tag(0xa3, sequence(...extensions))]),
  );
  const signature = sign('sha256', body, issuerKey ?? privateKey);
  const der = sequence(body, algorithm, tag(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function ca(): Buffer[] {
  const critical = tag(0x01, Buffer.from([0xff]));
  return [sequence(oid('551d13'), critical, tag(0x04, sequence(tag(0x01, Buffer.from([0xff])))))];
}

function alternativeNames(hosts: readonly string[]): Buffer[] {
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? tag(0x87, Buffer.from(host.split('.').map(Number))) : tag(0x82, Buffer.from(host)),
  );
  return [sequence(oid('551d11'), tag(0x04, sequence(...names)))];
}

function nameOf(commonName: string): Buffer {
  return sequence(tag(0x31, sequence(oid('550403'), tag(0x0c, Buffer.from(commonName)))));
}

function time(value: string): Buffer {
  return tag(0x18, Buffer.from(value));
}

function oid(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'));
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, ...parts);
}

function tag(type: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([type, ...head]), content]);
}
