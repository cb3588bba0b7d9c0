import { describe, expect, it } from 'vitest';
import { endpointOf } from './connection.ts';
import { certificateAuthority } from './testing/certificates.ts';

const token = async () => 'secret-token';

describe('endpointOf', () => {
  it('takes host, port and a path prefix', () => {
    const endpoint = endpointOf({ server: 'https://rancher.example:8443/k8s/clusters/c-1/', token });
    expect(endpoint.prefix).toBe('/k8s/clusters/c-1');
    expect(endpoint.url.host).toBe('rancher.example:8443');
  });

  it('has no prefix for a bare host', () => {
    expect(endpointOf({ server: 'https://api.example' }).prefix).toBe('');
  });

  it.each([
    ['not a url', 'server is no URL: "not a url"'],
    ['ftp://api.example', 'server must be an https URL: "ftp://api.example"'],
    ['https://api.example/?a=b', 'server must have no query'],
    ['http://api.example', 'plain http: a token would travel in the clear'],
  ])('refuses server %j', (server, message) => {
    expect(() => endpointOf({ server, token })).toThrow(message);
  });

  it('does not show a password in the URL', () => {
    const refused = () => endpointOf({ server: 'https://me:pass-word@api.example' });
    expect(refused).toThrow('server must not hold a user or password (host api.example)');
    expect(refused).not.toThrow('pass-word');
  });

  it.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])('sends a token to %s', (server) => {
    expect(endpointOf({ server, token }).secureContext).toBeUndefined();
  });

  it('takes a CA and a client certificate', () => {
    const ca = certificateAuthority();
    const { certificate, key } = ca.issue('me');
    const connection = {
      server: 'https://api.example',
      ca: ca.certificate,
      clientCertificate: certificate,
      clientKey: key,
    };
    expect(endpointOf(connection).secureContext).toBeDefined();
  });

  it('names the half of a client certificate that is missing', () => {
    const { certificate, key } = certificateAuthority();
    const server = 'https://api.example';
    expect(() => endpointOf({ server, clientCertificate: certificate })).toThrow('clientKey is missing');
    expect(() => endpointOf({ server, clientKey: key })).toThrow('clientCertificate is missing');
  });

  it('names the field that is no PEM, without its value', () => {
    const server = 'https://api.example';
    const { certificate } = certificateAuthority();
    expect(() => endpointOf({ server, ca: 'bm90IHBlbQ==' })).toThrow('ca is no PEM certificate (12 characters)');
    const refused = () => endpointOf({ server, clientCertificate: certificate, clientKey: 'my-secret' });
    expect(refused).toThrow('clientKey is no PEM private key (9 characters)');
    expect(refused).not.toThrow('my-secret');
  });

  it('refuses a PEM that cannot be read', () => {
    const ca = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(() => endpointOf({ server: 'https://api.example', ca })).toThrow('cannot be read');
  });
});
