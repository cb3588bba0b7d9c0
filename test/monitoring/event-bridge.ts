/**
 * Stands in for EventBridge's PutEvents, by its API reference: for requests whose signature is right, within its limits, and
 * with results entry by entry.
 */
import { type Answer, type Received, testServer } from '../../lib/cluster/testing/http-server.ts';
import { type AccessKey, checkSignature } from '../package/aws/sigv4.ts';

/** An entry of a request. */
export interface Event {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly Time: number;
  readonly EventBusName: string;
}

/** The server, and what it has seen. */
export interface EventBridge {
  readonly url: string;
  /** What it has taken, in order. */
  readonly events: readonly Event[];
  /** Entries of each request, taken or not. */
  readonly requests: readonly number[];
  /** Why requests were refused. */
  readonly refusals: readonly string[];
  /** Connections that were opened. */
  readonly connections: number;
  /** These themselves. */
  readonly sockets: ReadonlySet<object>;
  /** Answers in its place, unless it returns false. */
  intercept: ((...args: Parameters<Answer>) => boolean) | undefined;
  /** Codes of entries that are not taken, by their place in the next request. */
  failing: readonly (string | undefined)[];
  close(): Promise<void>;
}

export const KEY: AccessKey = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session/token+value==',
};

const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
const MAX_BYTES = 256 * 1024;

/** @throws from its own checks are answered as EventBridge answers them. */
export async function startEventBridge(region: string, key: AccessKey = KEY): Promise<EventBridge> {
  const events: Event[] = [];
  const requests: number[] = [];
  const refusals: string[] = [];
  const sockets = new Set<object>();
  const server = await testServer((request, response) => {
    sockets.add(request.socket);
    const { Entries = [] } = JSON.parse(request.body) as { Entries?: Event[] };
    requests.push(Entries.length);
    if (bridge.intercept?.(request, response)) return;
    const refused = refusalOf(request, Entries, region, key);
    if (refused !== undefined) {
      refusals.push(refused);
      // Like AWS, it quotes what was signed.
      const message = `${refused}\nheaders: ${JSON.stringify(request.headers)}`;
      response.writeHead(400).end(JSON.stringify({ __type: `com.amazonaws.events#${refused}`, message }));
      return;
    }
    const failing = bridge.failing;
    bridge.failing = [];
    const results = Entries.map((event, index) => {
      const ErrorCode = failing[index];
      if (ErrorCode !== undefined) return { ErrorCode, ErrorMessage: 'not taken' };
      events.push(event);
      return { EventId: `id-${events.length}` };
    });
    const FailedEntryCount = failing.filter((code) => code !== undefined).length;
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ FailedEntryCount, Entries: results }));
  });
  const bridge = {
    url: server.url,
    events,
    requests,
    refusals,
    get connections() {
      return sockets.size;
    },
    sockets,
    intercept: undefined as EventBridge['intercept'],
    failing: [] as readonly (string | undefined)[],
    close: () => server.close(),
  };
  return bridge;
}

function refusalOf(request: Received, entries: readonly Event[], region: string, key: AccessKey): string | undefined {
  const { method, url, headers, body } = request;
  if (method !== 'POST' || url !== '/') return 'UnknownOperationException';
  if (headers['x-amz-target'] !== 'AWSEvents.PutEvents') return 'UnknownOperationException';
  if (headers['content-type'] !== 'application/x-amz-json-1.1') return 'SerializationException';
  try {
    const [, credential = '', signedHeaders = '', signature = ''] =
      AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
    for (const name of ['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target']) {
      if (!signedHeaders.split(';').includes(name)) return 'IncompleteSignatureException';
    }
    const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const signed = { method, path: url, query: new URLSearchParams(), headers: flat, body };
    const date = String(headers['x-amz-date']);
    const expected = { region, service: 'events', now: Date.now() };
    checkSignature({ ...signed, credential, date, signedHeaders, signature }, [key], expected);
    if (flat['x-amz-security-token'] !== key.sessionToken) return 'UnrecognizedClientException';
  } catch {
    return 'InvalidSignatureException';
  }
  const bytes = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  return entries.length < 1 || entries.length > 10 || bytes > MAX_BYTES ? 'ValidationException' : undefined;
}

function sizeOf({ Source, DetailType, Detail }: Event): number {
  return [Source, DetailType, Detail].reduce((sum, text) => sum + Buffer.byteLength(text), 14);
}
