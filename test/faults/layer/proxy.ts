/**
 * A proxy in front of the API server or of SQS that lets requests fail, before the server has seen them or after it has
 * done what they ask. It can be away for a while, and is then there again on the same port.
 */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, Calls } from './call.ts';
import type { Answer, Ending, Fault } from './fault.ts';
import { passOn } from './stream.ts';

/** Decides about each request; undefined: it passes. */
export type Choose = (call: Call, body: Buffer) => Fault | undefined;

export interface FaultProxy {
  readonly url: string;
  /** All requests so far. */
  readonly calls: readonly Call[];
  choose: Choose | undefined;
  /** How often something went wrong. */
  readonly injected: number;
  /** Nothing goes wrong from now on; a watch that something had happened to is ended. */
  heal(): Promise<void>;
  /** Refuses connections and breaks those that are open, watches too. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** @param ca of a target that speaks TLS; the proxy itself listens on 127.0.0.1 in the clear. */
export async function startFaultProxy(target: string, ca?: string): Promise<FaultProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const tls = ca !== undefined;
  const agent = tls ? new https.Agent({ ca, keepAlive: true }) : new http.Agent({ keepAlive: true });
  const counter = new Calls();
  const calls: Call[] = [];
  const faulty = new Set<ServerResponse>();
  /** Requests on their way, whether anybody waits for them or not; watches are not among them. */
  const underWay = new Set<Promise<void>>();
  let injected = 0;
  const onHit = () => {
    injected += 1;
  };

  const ask = async (incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> => {
    const options = { agent, hostname, port: targetPort, path: incoming.url, method: incoming.method };
    const outgoing = (tls ? https : http).request({ ...options, headers: incoming.headers });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return answer;
  };

  const watch = async (answer: IncomingMessage, response: ServerResponse, call: Call, fault?: Fault) => {
    response.once('close', () => answer.destroy());
    answer.once('error', () => response.destroy());
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    if (fault?.stream === undefined || answer.statusCode !== 200) return void answer.pipe(response);
    faulty.add(response);
    response.once('close', () => faulty.delete(response));
    await passOn(answer, response, { fault: fault.stream, frames: (call.nth * 3) % 4, onHit });
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(incoming);
    const call = counter.next({
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body,
    });
    calls.push(call);
    const fault = proxy.choose?.(call, body);
    if (fault?.delayMs !== undefined) {
      onHit();
      await sleep(fault.delayMs);
    }
    const early = typeof fault?.before === 'function' ? await fault.before() : fault?.before;
    if (early !== undefined) {
      onHit();
      return await end(response, early);
    }
    const answer = await ask(incoming, body);
    if (call.step.startsWith('watch '))
      return void watch(answer, response, call, fault).catch(() => response.destroy());
    const whole: Answer = { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) };
    const late = typeof fault?.after === 'function' ? await fault.after(whole) : fault?.after;
    if (late !== undefined) onHit();
    await end(response, late ?? whole, whole);
  };

  const server = http.createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    // What fails here is a connection that broke: the other side sees the same.
    const served = serve(incoming, response).catch(() => void response.destroy());
    underWay.add(served);
    void served.then(() => underWay.delete(served));
  });
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
    calls,
    choose: undefined,
    get injected() {
      return injected;
    },
    heal: async () => {
      proxy.choose = undefined;
      await Promise.all(underWay);
      for (const response of faulty) response.destroy();
    },
    goAway,
    comeBack: async () => void (await listen(port)),
    stop: async () => {
      await goAway();
      agent.destroy();
    },
  };
  return proxy;
}

async function end(response: ServerResponse, ending: Ending, real?: Answer): Promise<void> {
  if (ending === 'silence') return;
  if (ending === 'cut') return void response.destroy();
  const { status, headers, body } = typeof ending === 'object' ? ending : (real as Answer);
  const { 'transfer-encoding': _, connection: _one, ...kept } = headers;
  response.writeHead(status, { ...kept, 'content-length': body.length });
  if (typeof ending === 'object') return void response.end(body);
  response.flushHeaders();
  if (ending === 'cut-half') response.write(body.subarray(0, Math.floor(body.length / 2)));
  // What was written must be on its way before the connection breaks.
  await sleep(5);
  response.destroy();
}
