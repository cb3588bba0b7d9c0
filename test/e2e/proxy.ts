/**
 * A proxy in front of a server: writes down every URL as it came over the wire, counts what is under way, breaks answers
 * in the middle, and can be away for a while, after which it is there again on the same port.
 */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxiedRequest {
  readonly method: string;
  readonly url: string;
}

/** `cut-mid`: the head and half of the answer arrive, then the connection breaks. `undefined`: nothing goes wrong. */
export type ProxyFault = 'cut-mid' | undefined;

export interface FaultProxy {
  readonly url: string;
  readonly requests: ProxiedRequest[];
  /** Requests whose answer is not complete, watches too. */
  readonly underWay: ReadonlySet<ProxiedRequest>;
  /** How late requests are passed on. */
  delayMs: number;
  /** Asked when the answer is there. */
  fault: ((request: ProxiedRequest) => ProxyFault) | undefined;
  /** Refuses connections and breaks those that are open, watches too. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

export async function startProxy(target: string): Promise<FaultProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const requests: ProxiedRequest[] = [];
  const underWay = new Set<ProxiedRequest>();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

  const serve = (incoming: IncomingMessage, response: ServerResponse) => {
    const request = { method: incoming.method ?? '', url: incoming.url ?? '' };
    requests.push(request);
    underWay.add(request);
    response.once('close', () => underWay.delete(request));
    const options = { agent, hostname, port: targetPort, path: request.url, method: request.method };
    const outgoing = http.request({ ...options, headers: incoming.headers }, (answer) => {
      const fault = proxy.fault?.(request);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      if (fault === 'cut-mid') void breakOff(answer, response);
      else answer.pipe(response);
      answer.once('error', () => response.destroy());
    });
    outgoing.once('error', () => response.destroy());
    response.once('close', () => outgoing.destroy());
    setTimeout(() => incoming.pipe(outgoing), proxy.delayMs);
  };

  const server = http.createServer({ keepAliveTimeout: 60_000 }, serve);
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const goAway = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const port = await listen(0);
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${port}`,
    requests,
    underWay,
    delayMs: 0,
    fault: undefined,
    goAway,
    comeBack: async () => void (await listen(port)),
    stop: async () => {
      await goAway();
      agent.destroy();
    },
  };
  return proxy;
}

async function breakOff(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const [chunk] = (await once(answer, 'data')) as [Buffer];
  response.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => response.destroy());
  answer.destroy();
}
