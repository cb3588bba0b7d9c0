import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports are taken from below the range that systems use for outgoing connections. Inside of that range a client that
 * keeps trying to reach a stopped API server can be given the very port that it dials, and then talks to itself.
 */
const firstPort = 20_000;
const lastPort = 32_000;
const attempts = 100;

/** A port of 127.0.0.1 that nobody listens on just now. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(firstPort, lastPort);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port found between ${firstPort} and ${lastPort}`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
