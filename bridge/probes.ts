/** /healthz and /readyz for the kubelet. Their bodies say why, for people; there is nothing secret in them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A probe's answer: 200 or 503, and what is shown. */
export interface ProbeAnswer {
  readonly ok: boolean;
  readonly details: object;
}

/** What is asked, by path. Must not throw. */
export type Probes = Readonly<Record<string, () => ProbeAnswer>>;

/**
 * @param port 0: any free one.
 * @param address to listen on; all of the pod's unless given, since the kubelet comes from outside of it.
 * @throws Error when the port is taken.
 */
export async function startProbes(probes: Probes, port: number, address?: string) {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const answer = Object.hasOwn(probes, path) ? probes[path]?.() : undefined;
    const status = answer === undefined ? 404 : answer.ok ? 200 : 503;
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(`${JSON.stringify(answer?.details ?? { paths: Object.keys(probes) })}\n`);
  });
  server.listen({ port, ...(address !== undefined && { host: address }) });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
