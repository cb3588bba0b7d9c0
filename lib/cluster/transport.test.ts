import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AmbiguousError, ClusterError } from '../controller/errors.ts';
import type { Connection } from './connection.ts';
import type { ApiRequest, RequestInfo } from './request.ts';
import { certificateAuthority } from './testing/certificates.ts';
import { type Answer, eventually, json, type TestServer, testServer } from './testing/http-server.ts';
import { Transport, type TransportOptions, VERSION } from './transport.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(answer: Answer): Promise<TestServer> {
  const server = await testServer(answer);
  cleanups.push(() => server.close());
  return server;
}

function connect(connection: Connection, options?: TransportOptions): Transport {
  const transport = new Transport(connection, options);
  cleanups.push(() => transport.close());
  return transport;
}

const get: ApiRequest = { method: 'GET', path: '/api/v1/persistentvolumes/a' };
const put: ApiRequest = { ...get, method: 'PUT', body: { kind: 'PersistentVolume' } };

async function failure(promise: Promise<unknown>): Promise<ClusterError> {
  return await promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error) => error as ClusterError,
  );
}

describe('request', () => {
  it('sends method, path, query, body and who we are', async () => {
    const server = await serve((_, response) => json(response, 200, { ok: true }));
    const transport = connect({ server: `${server.url}/prefix/`, token: async () => 'tok' });
    const response = await transport.request({ ...put, query: { limit: 5, watch: undefined, continue: 'a b&c' } });
    expect(response).toMatchObject({ status: 200, body: '{"ok":true}' });
    const [seen] = server.received;
    expect(seen?.method).toBe('PUT');
    expect(seen?.url).toBe('/prefix/api/v1/persistentvolumes/a?limit=5&continue=a+b%26c');
    expect(seen?.body).toBe('{"kind":"PersistentVolume"}');
    expect(seen?.headers).toMatchObject({
      authorization: 'Bearer tok',
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': '27',
      'user-agent': `serverless-pv-controller/${VERSION}`,
    });
  });

  it('says the version of the package', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(VERSION).toBe(manifest.version);
  });

  it('keeps connections alive, and no more than maxSockets', async () => {
    const server = await serve((_, response) => setTimeout(() => json(response, 200, {}), 5));
    const transport = connect({ server: server.url }, { maxSockets: 3 });
    await Promise.all(Array.from({ length: 20 }, () => transport.request(get)));
    await transport.request(put);
    expect(new Set(server.received.map(({ socket }) => socket)).size).toBe(3);
  });

  it('does not use a connection again that was idle for too long', async () => {
    const server = await serve((_, response) => json(response, 200, {}));
    const transport = connect({ server: server.url }, { maxIdleMs: 20 });
    await transport.request(get);
    await new Promise((resolve) => setTimeout(resolve, 40));
    await transport.request(put);
    expect(server.received[0]?.socket).not.toBe(server.received[1]?.socket);
  });

  it('reads multi-byte characters that are cut in two', async () => {
    const text = Buffer.from('{"name":"Größe 😀"}');
    const server = await serve((_, response) => {
      response.write(text.subarray(0, 12));
      setTimeout(() => response.end(text.subarray(12)), 5);
    });
    expect((await connect({ server: server.url }).request(get)).body).toBe('{"name":"Größe 😀"}');
  });

  it('refuses a body over the limit', async () => {
    const server = await serve((_, response) => response.end('x'.repeat(2_000)));
    const error = await failure(connect({ server: server.url }).request({ ...get, maxBodyBytes: 1_000 }));
    expect(error).toBeInstanceOf(AmbiguousError);
    expect(error.message).toContain('longer than 1000 bytes');
    await eventually(() => server.sockets.size === 0);
  });

  it('tells the observer what happened, without query or token', async () => {
    const server = await serve((_, response) => json(response, 200, {}));
    const seen: RequestInfo[] = [];
    const transport = connect(
      { server: server.url, token: async () => 'tok' },
      {
        onRequest: (info) => {
          seen.push(info);
          throw new Error('a broken observer');
        },
      },
    );
    const target = { template: '/api/v1/persistentvolumes/{name}', resource: 'persistentvolumes', name: 'a' };
    await transport.request({ ...get, ...target, query: { secret: 'x' } });
    await transport.request(get);
    expect(seen[0]).toEqual({ method: 'GET', ...target, status: 200, ms: expect.any(Number), reused: false });
    expect(seen[1]?.reused).toBe(true);
  });
});

describe('time-outs and aborts', () => {
  it('gives up when no answer comes', async () => {
    const server = await serve(() => {});
    const error = await failure(connect({ server: server.url }).request({ ...put, timeoutMs: 30 }));
    expect(error).toBeInstanceOf(AmbiguousError);
    expect(error.message).toBe('PUT /api/v1/persistentvolumes/a: no answer within 30 ms');
    await eventually(() => server.sockets.size === 0);
  });

  it('gives up when the body does not end', async () => {
    const server = await serve((_, response) => response.write('{'));
    const error = await failure(connect({ server: server.url }, { requestTimeoutMs: 30 }).request(get));
    expect(error).toBeInstanceOf(AmbiguousError);
    await eventually(() => server.sockets.size === 0);
  });

  it('gives up in the TLS handshake, and knows that nothing was sent', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => silent.close());
    const { port } = silent.address() as { port: number };
    const transport = connect({ server: `https://127.0.0.1:${port}` });
    const error = await failure(transport.request({ ...put, timeoutMs: 30 }));
    expect(error.name).toBe('ClusterError');
    expect(error.message).toContain('was not sent: no answer within 30 ms');
  });

  it('gives up while it waits for a connection, and never sends it', async () => {
    const server = await serve((request, response) => {
      if (request.method === 'GET') setTimeout(() => json(response, 200, {}), 100);
    });
    const transport = connect({ server: server.url }, { maxSockets: 1 });
    const first = transport.request(get);
    const error = await failure(transport.request({ ...put, timeoutMs: 20 }));
    expect(error.name).toBe('ClusterError');
    await first;
    await transport.request(get);
    expect(server.received.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  it('gives up while it waits for a token', async () => {
    const transport = connect({ server: 'http://127.0.0.1:1', token: () => new Promise(() => {}) });
    const error = await failure(transport.request({ ...put, timeoutMs: 20 }));
    expect(error.name).toBe('ClusterError');
  });

  it('ends a sent request with the abort', async () => {
    const server = await serve(() => {});
    const transport = connect({ server: server.url });
    const abort = new AbortController();
    const pending = failure(transport.request({ ...put, signal: abort.signal }));
    await eventually(() => server.received.length === 1);
    abort.abort();
    expect(await pending).toBeInstanceOf(AmbiguousError);
    await eventually(() => server.sockets.size === 0);
  });

  it('sends nothing after the abort', async () => {
    const server = await serve((_, response) => json(response, 200, {}));
    const transport = connect({ server: server.url });
    const error = await failure(transport.request({ ...put, signal: AbortSignal.abort() }));
    expect(error.name).toBe('ClusterError');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.received).toEqual([]);
  });

  it('closes all connections, and ends what is under way', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/ok') json(response, 200, {});
    });
    const transport = connect({ server: server.url }, { maxSockets: 2 });
    await transport.request({ method: 'GET', path: '/ok' });
    const pending = [1, 2, 3].map(() => failure(transport.request(get)));
    await eventually(() => server.received.length === 3);
    transport.close();
    expect((await Promise.all(pending)).map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining('aborted')]),
    );
    await eventually(() => server.sockets.size === 0);
    expect((await failure(transport.request(get))).name).toBe('ClusterError');
  });
});

describe('connections that fail', () => {
  it('knows that a refused connection sent nothing', async () => {
    const server = await testServer(() => {});
    await server.close();
    const error = await failure(connect({ server: server.url }).request(put));
    expect(error.name).toBe('ClusterError');
    expect(error.code).toBe(0);
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('takes a connection that is cut before the answer as ambiguous', async () => {
    const server = await serve((request) => request.socket.destroy());
    expect(await failure(connect({ server: server.url }).request(put))).toBeInstanceOf(AmbiguousError);
    expect(await failure(connect({ server: server.url }).request(get))).toBeInstanceOf(AmbiguousError);
    expect(server.received).toHaveLength(2);
  });

  it.each(['content-length', 'chunked'])('takes a connection cut in the answer as ambiguous (%s)', async (framing) => {
    const server = await serve((request, response) => {
      response.writeHead(200, framing === 'chunked' ? {} : { 'content-length': '100' });
      response.write('{"kind":');
      setTimeout(() => request.socket.destroy(), 10);
    });
    expect(await failure(connect({ server: server.url }).request(get))).toBeInstanceOf(AmbiguousError);
    expect(server.received).toHaveLength(1);
  });

  it('repeats a GET once when a kept-alive connection turns out dead', async () => {
    const server = await serve((request, response) => {
      if (server.received.length === 2) request.socket.destroy();
      else json(response, 200, { n: server.received.length });
    });
    const transport = connect({ server: server.url });
    await transport.request(get);
    expect((await transport.request(get)).body).toBe('{"n":3}');
  });

  it('repeats it only once', async () => {
    const server = await serve((request, response) => {
      if (server.received.length > 1) request.socket.destroy();
      else json(response, 200, {});
    });
    const transport = connect({ server: server.url });
    await transport.request(get);
    expect(await failure(transport.request(get))).toBeInstanceOf(AmbiguousError);
    expect(server.received).toHaveLength(3);
  });

  it.each(['PUT', 'POST', 'DELETE'] as const)('never repeats a %s', async (method) => {
    const server = await serve((request, response) => {
      if (request.method === 'GET') json(response, 200, {});
      else request.socket.destroy();
    });
    const transport = connect({ server: server.url });
    await transport.request(get);
    expect(await failure(transport.request({ ...put, method }))).toBeInstanceOf(AmbiguousError);
    expect(server.received).toHaveLength(2);
  });

  it('does not repeat a GET whose answer has begun', async () => {
    const server = await serve((request, response) => {
      if (server.received.length === 1) json(response, 200, {});
      else request.socket.end('HTTP/1.1 200 OK\r\ncontent-le');
    });
    const transport = connect({ server: server.url });
    await transport.request(get);
    expect(await failure(transport.request(get))).toBeInstanceOf(AmbiguousError);
    expect(server.received).toHaveLength(2);
  });
});

describe('tokens', () => {
  function tokens(server: string, source: (renew?: boolean) => Promise<string>) {
    return connect({ server, token: source });
  }

  it('asks for a new one after 401 and repeats, once, also a write', async () => {
    const server = await serve((request, response) =>
      json(response, request.headers.authorization === 'Bearer new' ? 200 : 401, {}),
    );
    const asked: boolean[] = [];
    let token = 'old';
    const transport = tokens(server.url, async (renew = false) => {
      asked.push(renew);
      if (renew) token = 'new';
      return token;
    });
    expect((await transport.request(put)).status).toBe(200);
    expect(asked).toContain(true);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
  });

  it('keeps the token out of what an error answer quotes', async () => {
    const server = await serve((request, response) => json(response, 500, { got: request.headers.authorization }));
    const transport = tokens(server.url, async () => 'abc.def-123');
    expect((await transport.request(get)).body).not.toContain('abc.def-123');
  });

  it('gives the 401 back when there is no other token', async () => {
    const server = await serve((_, response) => json(response, 401, { kind: 'Status' }));
    const transport = tokens(server.url, async () => 'same');
    expect(await transport.request(get)).toMatchObject({ status: 401, body: '{"kind":"Status"}' });
    expect(server.received).toHaveLength(1);
  });

  it('renews once for many refused requests, and not again at once', async () => {
    const server = await serve((_, response) => json(response, 401, {}));
    let renewals = 0;
    const transport = tokens(server.url, async (renew = false) => {
      if (renew) renewals++;
      return `token-${renewals}`;
    });
    const all = await Promise.all(Array.from({ length: 10 }, () => transport.request(get)));
    await transport.request(get);
    expect(all.every(({ status }) => status === 401)).toBe(true);
    expect(renewals).toBe(1);
  });

  it('sends nothing without a token, and does not show an odd one', async () => {
    const server = await serve((_, response) => json(response, 200, {}));
    const refused = await failure(tokens(server.url, async () => Promise.reject(new Error('no rights'))).request(get));
    expect(refused).toMatchObject({
      name: 'ClusterError',
      message: 'cannot get a token for the API server: no rights',
    });
    const odd = await failure(tokens(server.url, async () => 'secret\nvalue').request(get));
    expect(odd.message).toContain('odd characters');
    expect(odd.message).not.toContain('secret');
    expect(server.received).toEqual([]);
  });
});

describe('TLS', () => {
  const ca = certificateAuthority();

  async function serveTls(hosts: string[], clientCa?: string) {
    const tls = { ...ca.issue('server', hosts), ...(clientCa === undefined ? {} : { ca: clientCa }) };
    const server = await testServer((_, response) => json(response, 200, {}), tls);
    cleanups.push(() => server.close());
    return server;
  }

  it('trusts the given CA', async () => {
    const server = await serveTls(['127.0.0.1']);
    const transport = connect({ server: server.url, ca: ca.certificate, token: async () => 'tok' });
    expect((await transport.request(put)).status).toBe(200);
  });

  it.each([
    ['another CA', { ca: certificateAuthority().certificate }, ['127.0.0.1']],
    ['no CA', {}, ['127.0.0.1']],
    ['another host', { ca: ca.certificate }, ['api.test.example']],
    ['another name than expected', { ca: ca.certificate, tlsServerName: 'x.test.example' }, ['127.0.0.1']],
  ])('sends nothing to a server with %s', async (_, settings, hosts) => {
    const server = await serveTls(hosts);
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    cleanups.push(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
    const error = await failure(connect({ server: server.url, ...settings }).request(put));
    expect(error.name).toBe('ClusterError');
    expect(error.message).toContain('was not sent');
    expect(server.received).toEqual([]);
  });

  it('expects the name that tlsServerName says', async () => {
    const server = await serveTls(['api.test.example']);
    const transport = connect({ server: server.url, ca: ca.certificate, tlsServerName: 'api.test.example' });
    expect((await transport.request(get)).status).toBe(200);
  });

  it('accepts anything only when it is told to', async () => {
    const server = await serveTls(['api.test.example']);
    const transport = connect({ server: server.url, insecureSkipTlsVerify: true });
    expect((await transport.request(get)).status).toBe(200);
  });

  it('shows its client certificate', async () => {
    const server = await serveTls(['127.0.0.1'], ca.certificate);
    const { certificate, key } = ca.issue('tester');
    const connection = { server: server.url, ca: ca.certificate, clientCertificate: certificate, clientKey: key };
    expect((await connect(connection).request(get)).status).toBe(200);
    const without = connect({ server: server.url, ca: ca.certificate });
    expect(await failure(without.request(get))).toBeInstanceOf(ClusterError);
  });

  it('repeats a GET on a dead kept-alive TLS connection', async () => {
    const server = await testServer(
      (request, response) => {
        if (server.received.length === 2) request.socket.destroy();
        else json(response, 200, {});
      },
      ca.issue('server', ['127.0.0.1']),
    );
    cleanups.push(() => server.close());
    const transport = connect({ server: server.url, ca: ca.certificate });
    await transport.request(get);
    expect((await transport.request(get)).status).toBe(200);
  });
});

describe('stream', () => {
  it('gives chunks as they come, on a connection of its own', async () => {
    const server = await serve((request, response) => {
      if (request.url !== '/stream') return json(response, 200, {});
      response.write('one');
      setTimeout(() => response.end('two'), 400);
    });
    const transport = connect({ server: server.url }, { maxSockets: 1 });
    const stream = await transport.stream({ method: 'GET', path: '/stream', timeoutMs: 200 });
    await transport.request(get);
    let text = '';
    for await (const chunk of stream.chunks) text += chunk;
    expect(text).toBe('onetwo');
  });

  it('ends with the abort and closes its connection', async () => {
    const server = await serve((_, response) => response.write('one'));
    const abort = new AbortController();
    const transport = connect({ server: server.url });
    const stream = await transport.stream({ ...get, signal: abort.signal });
    await stream.chunks.next();
    const next = failure(stream.chunks.next());
    abort.abort();
    expect((await next).message).toContain('aborted');
    await eventually(() => server.sockets.size === 0);
  });

  it('ends with close, also unread', async () => {
    const server = await serve((_, response) => response.write('one'));
    const transport = connect({ server: server.url });
    (await transport.stream(get)).close();
    await transport.stream(get);
    transport.close();
    await eventually(() => server.sockets.size === 0);
  });

  it('throws when the connection is cut', async () => {
    const server = await serve((request, response) => {
      response.write('one');
      setTimeout(() => request.socket.destroy(), 10);
    });
    const stream = await connect({ server: server.url }).stream(get);
    await stream.chunks.next();
    await failure(stream.chunks.next());
  });
});
