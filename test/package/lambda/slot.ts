/** One execution environment: an emulator and the function in it. It takes one invocation at a time. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../control-plane/ports.ts';
import { startProgram } from '../process.ts';

/** A packaged function, ready to run. */
export interface PackagedFunction {
  /** Its name at Lambda. */
  readonly name: string;
  /** `dist/volume-worker/index.handler`. */
  readonly handler: string;
  /** Where its zip is unpacked. */
  readonly directory: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface SlotOptions {
  /** The file that emulator and function print to. */
  readonly log: string;
  /** The message that ends the measured time, for a function that answers only at the end of its life. */
  readonly readyMessage?: string;
}

export interface Slot {
  /** Milliseconds that each invocation took its caller; the first includes the start of the environment. */
  readonly durations: readonly number[];
  /** @returns what the handler returned. @throws Error for what it threw, a time-out, or a function that is not to be loaded. */
  invoke(event: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

const bootstrap = fileURLToPath(new URL('bootstrap.mjs', import.meta.url));

/** Starts the emulator; the function itself is started by the first invocation. */
export async function startSlot(
  emulator: string,
  packaged: PackagedFunction,
  { log, readyMessage }: SlotOptions,
): Promise<Slot> {
  const { name, handler, directory, memoryMb, timeoutSeconds, environment } = packaged;
  const port = await freePort();
  const runtimePort = await freePort();
  const addresses = [
    ...['--runtime-interface-emulator-address', `127.0.0.1:${port}`],
    ...['--runtime-api-address', `127.0.0.1:${runtimePort}`],
  ];
  // The emulator takes the last argument for the handler.
  const program = await startProgram(emulator, [...addresses, process.execPath, bootstrap, handler], {
    cwd: directory,
    log,
    env: {
      ...environment,
      LAMBDA_TASK_ROOT: directory,
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_TIMEOUT: String(timeoutSeconds),
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    },
  });
  await program.untilReady(() => isOpen(port));
  const durations: number[] = [];
  return {
    durations,
    async invoke(event) {
      const started = Date.now();
      const { status, text } = await post(port, JSON.stringify(event));
      const ended = readyMessage === undefined ? Date.now() : await lastTimeOf(readyMessage, log);
      durations.push(ended - started);
      return answerIn(name, status, text);
    },
    stop: () => program.stop(),
  };
}

/** The emulator tells an error by the body alone: the status is 200, and no header marks it. */
function answerIn(name: string, status: number, text: string): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(`${name}: ${status} ${text}`);
  }
  const { errorType, errorMessage } = (answer ?? {}) as { errorType?: string; errorMessage?: string };
  if (errorMessage !== undefined) throw new Error(`${name}: ${errorType}: ${errorMessage}`);
  if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
  return answer;
}

/** When the function last printed this message, in milliseconds since the epoch. @throws Error when it never did. */
async function lastTimeOf(message: string, log: string): Promise<number> {
  const line = (await readFile(log, 'utf8')).split('\n').findLast((one) => one.includes(`"message":"${message}"`));
  if (line === undefined) throw new Error(`no message ${JSON.stringify(message)} in ${log}`);
  return Date.parse((JSON.parse(line) as { timestamp: string }).timestamp);
}

/** Without a time-out of its own: the bridge answers at the end of its life. */
async function post(port: number, body: string): Promise<{ status: number; text: string }> {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/2015-03-31/functions/function/invocations',
    headers: { 'content-type': 'application/json' },
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: incoming.statusCode ?? 0, text: (await incoming.toArray()).join('') };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
