/** A proxy in front of SQS that lets one request hang: the moment to kill whoever made it. For tests. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The first request of that command hangs: before SQS has it, or after SQS has done it and before the answer. */
export interface Stall {
  readonly command: string;
  readonly isDone: boolean;
}

export interface StallingProxy {
  readonly endpoint: string;
  /** Resolves when the request hangs. */
  readonly stalled: Promise<void>;
  close(): Promise<void>;
}

export async function startStallingProxy(endpoint: string, { command, isDone }: Stall): Promise<StallingProxy> {
  const { promise: stalled, resolve: stall } = Promise.withResolvers<void>();
  const server = http.createServer(async (incoming, response) => {
    const isStalled = incoming.headers['x-amz-target'] === `AmazonSQS.${command}`;
    if (isStalled && !isDone) return stall();
    const { method, url, headers } = incoming;
    const outgoing = http.request(new URL(url ?? '/', endpoint), { method, headers });
    outgoing.end(await text(incoming));
    const [answer] = (await once(outgoing, 'response')) as [http.IncomingMessage];
    const body = await text(answer);
    if (isStalled) return stall();
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { endpoint: `http://127.0.0.1:${port}`, stalled, close };
}
