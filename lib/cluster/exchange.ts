/** One HTTP request and the head of its answer, with what a caller must know to judge a failure. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Deadline } from './deadline.ts';

/** The head of an answer that came. */
export interface Exchange {
  /** Its body is unread: read it, resume it or destroy it. */
  readonly response: IncomingMessage;
  /** It travelled on a connection that had served another request. */
  readonly reused: boolean;
}

/** No answer came. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  /** False when the connection was never there, so the server cannot have seen the request. */
  readonly sent: boolean;
  readonly reused: boolean;
  /** A kept-alive connection turned out dead before any byte of an answer: the usual end of an idle connection. */
  readonly stale: boolean;

  constructor(cause: Error, state: { sent: boolean; reused: boolean; stale: boolean }) {
    super(cause.message, { cause });
    this.sent = state.sent;
    this.reused = state.reused;
    this.stale = state.stale;
  }
}

/** Sockets that have served a request. Node's own `reusedSocket` misses those handed on to a request that queued. */
const used = new WeakSet<Socket>();

const DEAD_SOCKET = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

/**
 * Sends a request and waits for the head of its answer.
 * @param open makes the request, not yet ended.
 * @param body JSON text; undefined for none.
 * @throws ExchangeError; the request is destroyed then, also when the deadline came.
 */
export function exchange(
  open: () => ClientRequest,
  body: string | undefined,
  deadline: Deadline,
  secure: boolean,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let socket: Socket | undefined;
    let sent = false;
    let reused = false;
    let bytesBefore = 0;
    const request = open();
    const fail = (error: NodeJS.ErrnoException): void => {
      const silent = socket === undefined || socket.bytesRead === bytesBefore;
      const stale = reused && silent && DEAD_SOCKET.has(error.code ?? '');
      reject(new ExchangeError(error, { sent, reused, stale }));
    };
    const stop = deadline.onEnd((error) => {
      request.destroy(error);
      fail(error); // A request that still waits for a connection emits no error when it is destroyed.
    });
    request.once('socket', (given) => {
      socket = given;
      reused = used.has(given);
      bytesBefore = given.bytesRead;
      if (reused) sent = true;
      else given.once(secure ? 'secureConnect' : 'connect', () => (sent = true));
    });
    request.once('response', (response) => {
      stop();
      if (socket !== undefined) used.add(socket);
      response.on('error', () => {}); // Whoever reads it sees the error too; unread, it must not end the process.
      resolve({ response, reused });
    });
    // Stays for the life of the request: a socket may fail twice, and once more after the answer.
    request.on('error', (error) => {
      stop();
      fail(error);
    });
    request.end(body);
  });
}

/**
 * Reads a whole body.
 * @param limit most bytes to take.
 * @throws Error when it is longer, ends early, or the deadline comes; the connection is destroyed then.
 */
export function readBody(response: IncomingMessage, limit: number, deadline: Deadline): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (error: Error): void => {
      stop();
      response.destroy();
      reject(error);
    };
    let stop = (): void => {};
    response.on('error', fail);
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) fail(new Error(`the answer is longer than ${limit} bytes`));
      else chunks.push(chunk);
    });
    response.once('end', () => {
      stop();
      if (response.complete) resolve(Buffer.concat(chunks, length).toString('utf8'));
      else reject(new Error('the connection was cut in the middle of the answer'));
    });
    response.once('close', () => fail(new Error('the connection was cut in the middle of the answer')));
    stop = deadline.onEnd(fail);
  });
}
