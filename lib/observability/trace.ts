/**
 * X-Ray without its SDK (docs/decisions/017-bundles.md): Lambda makes the segment of each traced invocation, and here
 * every synced key adds a subsegment, sent as a datagram to the daemon that runs beside the function.
 * Nothing here fails a sync or waits for anything.
 */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { ConflictError, findCause, ThrottledError } from '../controller/errors.ts';
import type { SyncKey } from '../controller/types.ts';
import type { WorkerOptions } from '../queue/worker.ts';
import type { KeyHooks } from '../worker/hooks.ts';

type Handle = WorkerOptions['handle'];
/** Where this invocation's trace goes on. */
type Trace = { readonly root: string; readonly parent: string };

/** What a worker's function takes: it goes around each sync, and is told what the sync finds out. */
export interface Tracing {
  readonly around: (handle: Handle) => Handle;
  readonly listener: Pick<KeyHooks, 'onVolume'>;
}

const HEADER = '{"format":"json","version":1}\n';
/** More than one batch holds; they wait only until the first connection is there. */
const MAX_WAITING = 100;

/**
 * Sends a subsegment for each key, with the key and its volume's uid as annotations, in invocations that X-Ray samples.
 * Without AWS_XRAY_DAEMON_ADDRESS, as outside of Lambda, it does nothing and opens no socket.
 * @param environment read once for the daemon's address, and at each key for `_X_AMZN_TRACE_ID`.
 */
export function tracing(environment: Readonly<Record<string, string | undefined>> = process.env): Tracing {
  const address = daemonAddress(environment['AWS_XRAY_DAEMON_ADDRESS'] ?? '');
  if (address === undefined) return { around: (handle) => handle, listener: {} };
  const send = sender(address.host, address.port);
  const volumes = new WeakMap<SyncKey, string>();
  const around = (handle: Handle): Handle => {
    return async (key, messages, info) => {
      const trace = sampledTrace(environment['_X_AMZN_TRACE_ID'] ?? '');
      if (trace === undefined) return await handle(key, messages, info);
      const startedAt = Date.now();
      const end = (flags: object) => send({ ...subsegment(trace, key, volumes.get(key), startedAt), ...flags });
      try {
        const result = await handle(key, messages, info);
        end({});
        return result;
      } catch (error) {
        end(flagsOf(error));
        throw error;
      }
    };
  };
  const onVolume = (key: SyncKey, uid: string | undefined): void => {
    if (uid !== undefined) volumes.set(key, uid);
  };
  return { around, listener: { onVolume } };
}

function subsegment({ root, parent }: Trace, key: SyncKey, uid: string | undefined, startedAt: number) {
  const { kind, namespace, name } = key;
  return {
    type: 'subsegment',
    trace_id: root,
    parent_id: parent,
    id: randomBytes(8).toString('hex'),
    name: `sync ${kind}`,
    start_time: startedAt / 1_000,
    end_time: Date.now() / 1_000,
    annotations: {
      kind,
      name: namespace === undefined ? name : `${namespace}/${name}`,
      ...(uid !== undefined && { volume_uid: uid }),
    },
  };
}

/** X-Ray's own kinds of failure: conflicts and throttling are everyday business, all else is a fault (DESIGN D10). */
function flagsOf(error: unknown): object {
  if (findCause(error, ThrottledError) !== undefined) return { error: true, throttle: true };
  return findCause(error, ConflictError) !== undefined ? { error: true } : { fault: true };
}

/** The trace of a header like `Root=1-…;Parent=…;Sampled=1`; undefined when it is not sampled. */
function sampledTrace(header: string): Trace | undefined {
  const fields = new Map(header.split(';').map((field) => field.trim().split('=', 2) as [string, string]));
  const [root, parent] = [fields.get('Root'), fields.get('Parent')];
  return root && parent && fields.get('Sampled') === '1' ? { root, parent } : undefined;
}

/** Of `host:port`, or of the form that names both protocols: `tcp:host:port udp:host:port`. */
function daemonAddress(text: string): { host: string; port: number } | undefined {
  const [, host, digits] = /(?:^|udp:)([^\s:]+):(\d{1,5})(?:\s|$)/.exec(text) ?? [];
  const port = Number(digits);
  return host !== undefined && port > 0 && port < 65_536 ? { host, port } : undefined;
}

/** Connected at the start, so that a datagram is with the kernel when the call returns: Lambda freezes what is idle. */
function sender(host: string, port: number): (document: object) => void {
  const socket = createSocket('udp4');
  socket.unref();
  // A daemon that is not there answers with errors, which are nobody's concern; a lost trace is no lost work.
  socket.on('error', () => {});
  let waiting: string[] | undefined = [];
  const send = (datagram: string) => {
    try {
      socket.send(datagram, () => {});
    } catch {
      // The socket is closed or was never connected.
    }
  };
  socket.connect(port, host, () => {
    for (const datagram of waiting ?? []) send(datagram);
    waiting = undefined;
  });
  return (document) => {
    const datagram = HEADER + JSON.stringify(document);
    if (waiting === undefined) send(datagram);
    else if (waiting.length < MAX_WAITING) waiting.push(datagram);
  };
}
