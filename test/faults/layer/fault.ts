/** What can happen to one request on its way. */

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** `silence`: nothing ever comes. `cut-head` and `cut-half`: the head, or half of the body, comes and then nothing more. */
export type Ending = 'silence' | 'cut' | 'cut-head' | 'cut-half' | Answer;

/** What becomes of a watch after some of its frames. */
export type StreamFault = 'cut' | 'cut-in-frame' | 'stall' | 'gone' | 'late' | 'twice' | 'shuffled';

export interface Fault {
  /** How late the request is passed on, though nobody may wait for it any more. */
  readonly delayMs?: number;
  /** Instead of passing it on: the server never sees it. */
  readonly before?: Ending | (() => Promise<Ending | undefined>);
  /** In place of the answer to what the server has done; undefined from a function: the answer as it is. */
  readonly after?: Ending | ((answer: Answer) => Promise<Ending | undefined>);
  /** Of an answer that never ends. */
  readonly stream?: StreamFault;
}

/** A refusal in the API server's own words. */
export function refusal(status: number, reason: string, headers: Record<string, string> = {}): Answer {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: `injected ${reason}` };
  return json(status, { ...body, reason, code: status }, headers);
}

/** What a proxy says that knows nothing of Kubernetes. */
export function page(status: number): Answer {
  const body = '<!doctype html><html><body><h1>Something went wrong</h1></body></html>';
  return { status, headers: { 'content-type': 'text/html' }, body: Buffer.from(body) };
}

/** An error of SQS. */
export function queueError(status: number, type: string): Answer {
  return json(status, { __type: `com.amazonaws.sqs#${type}`, message: 'injected' }, { 'x-amzn-errortype': type });
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}
