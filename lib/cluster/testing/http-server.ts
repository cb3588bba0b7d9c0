/** A local HTTP(S) server for tests: answers by a function, remembers what came, closes everything. */
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Certificate } from './certificates.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** The connection it came on. */
  readonly socket: Socket;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** In the order in which they came, bodies complete. */
  readonly received: Received[];
  /** Open connections. */
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

export type Answer = (request: Received, response: ServerResponse) => void;

/** Listens on 127.0.0.1 and a free port. */
export async function testServer(answer: Answer, tls?: Certificate & { readonly ca?: string }): Promise<TestServer> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const listener: RequestListener = async (request, response) => {
    request.on('error', () => {});
    response.on('error', () => {});
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return;
    const { method = '', url = '', headers, socket } = request;
    const seen: Received = { method, url, headers, body, socket };
    received.push(seen);
    answer(seen, response);
  };
  const server =
    tls === undefined
      ? http.createServer(listener)
      : https.createServer(
          { cert: tls.certificate, key: tls.key, ...(tls.ca ? { ca: tls.ca, requestCert: true } : {}) },
          listener,
        );
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    received,
    sockets,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A Kubernetes Status, as the API server writes it. */
export function statusBody(code: number, reason: string, details?: object, message = reason): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code };
}

/** Waits until `condition` holds. @throws Error after two seconds. */
export async function eventually(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 2_000) throw new Error('it did not come to pass within 2 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
