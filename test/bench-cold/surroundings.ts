/** What a function talks to when it is measured: an API server behind TLS that answers as late as one that is away, and SQS. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import { certificateAuthority } from '../../lib/cluster/testing/certificates.ts';
import { startApiServer } from '../../local/api-server/server.ts';
import { createQueues, type QueueAddresses, startEmbeddedQueue } from '../../local/queue/embedded.ts';

export interface Surroundings {
  /** Past TLS and the wait, to arrange objects. */
  readonly cluster: ApiServerCluster;
  readonly addresses: QueueAddresses;
  /** Gets and lists that the API server has had by now. */
  readonly reads: () => number;
  /** For a function, over those of its template. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Nobody checks them here. */
const KEYS = { AWS_ACCESS_KEY_ID: 'ASIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'session' };

/** @param latencyMs how much later each answer of the API server comes. */
export async function startSurroundings(latencyMs: number): Promise<Surroundings> {
  const server = await startApiServer({ latencyMs });
  const queue = await startEmbeddedQueue();
  const addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 180 });
  const authority = certificateAuthority();
  const front = await startTls(server.port, authority.issue('127.0.0.1', ['127.0.0.1']));
  const cluster = new ApiServerCluster({ server: server.url });
  return {
    cluster,
    addresses,
    reads: () => server.requests.count('get') + server.requests.count('list'),
    variables: {
      ...KEYS,
      AWS_REGION: 'us-east-1',
      // Invocations come one right after the other here: under a limit, they would be measured waiting for it.
      PV_API_CALLS_PER_SECOND: '0',
      PV_SQS_ENDPOINT: queue.endpoint,
      PV_CLUSTER_ENDPOINT: `https://127.0.0.1:${front.port}`,
      PV_CLUSTER_CA: Buffer.from(authority.certificate).toString('base64'),
    },
    async stop() {
      cluster.close();
      await front.close();
      await queue.close();
      await server.stop();
    },
  };
}

async function startTls(port: number, { certificate, key }: { certificate: string; key: string }) {
  const sockets = new Set<Socket | TLSSocket>();
  const server = createServer({ cert: certificate, key, noDelay: true }, (outer) => {
    const inner = connect({ port, host: '127.0.0.1', noDelay: true });
    for (const [one, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.once('error', () => other.destroy());
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, close };
}
