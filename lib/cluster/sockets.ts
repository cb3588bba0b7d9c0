/** The connections of one transport. */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Connection, Endpoint } from './connection.ts';

/** How many connections there may be, and for how long they are kept. */
export interface SocketSettings {
  readonly maxSockets: number;
  /** Milliseconds after which an unused connection is not used again. */
  readonly maxIdleMs: number;
}

/** Two agents of one endpoint, and which of their idle connections are too old to be trusted. */
export class Sockets {
  /** Kept-alive connections, for requests. */
  readonly pooled: http.Agent;
  /** One connection per request: streams, and the second attempt after a stale connection. */
  readonly single: http.Agent;
  readonly #idleSince = new WeakMap<Socket, number>();
  readonly #maxIdleMs: number;
  #closed = false;

  constructor(connection: Connection, { secureContext }: Endpoint, { maxSockets, maxIdleMs }: SocketSettings) {
    this.#maxIdleMs = maxIdleMs;
    const settings = {
      noDelay: true,
      scheduling: 'lifo' as const,
      // Said outright: NODE_TLS_REJECT_UNAUTHORIZED in the environment must not switch the check off.
      rejectUnauthorized: connection.insecureSkipTlsVerify !== true,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(connection.tlsServerName === undefined ? {} : { servername: connection.tlsServerName }),
    };
    const Agent = secureContext === undefined ? http.Agent : https.Agent;
    this.pooled = new Agent({ ...settings, keepAlive: true, maxSockets, maxFreeSockets: maxSockets });
    this.single = new Agent({ ...settings, keepAlive: false });
    this.pooled.on('free', (socket: Socket) => {
      this.#idleSince.set(socket, Date.now());
      // Node still opens a connection for a request that was queued when the agent was destroyed.
      if (this.#closed) socket.destroy();
    });
  }

  /** By the wall clock, which goes on while a Lambda is frozen; timers do not. */
  dropIdle(): void {
    const oldest = Date.now() - this.#maxIdleMs;
    for (const sockets of Object.values(this.pooled.freeSockets)) {
      for (const socket of sockets ?? []) {
        if ((this.#idleSince.get(socket) ?? 0) < oldest) socket.destroy();
      }
    }
  }

  close(): void {
    this.#closed = true;
    this.pooled.destroy();
    this.single.destroy();
  }
}
