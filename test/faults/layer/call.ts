/** What a request is about, for the API server and for SQS: what faults are chosen by. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Call {
  /** Such as `update persistentvolumes/status`, `watch pods`, `SendMessageBatch`. */
  readonly step: string;
  /** Of the object or the queue; empty for a collection. */
  readonly name: string;
  /** `step name` without what differs from run to run, such as the run's prefix and uids. */
  readonly signature: string;
  /** How many calls with this signature there have been, this one included. */
  readonly nth: number;
  /** How many calls there have been at all, this one included. */
  readonly ordinal: number;
}

type Request = { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders; body: Buffer };

/** Prefix of the names of one run, which `scene.ts` gives out. */
const RUN = /r\d+-/g;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** An event's name ends with a hash that the uid is part of. */
const EVENT = /^((create|update|get|patch) events ).*$/;

/** Counts the calls of one proxy. */
export class Calls {
  readonly #counts = new Map<string, number>();
  #ordinal = 0;

  next(request: Request): Call {
    const { step, name } = request.headers['x-amz-target'] === undefined ? kubernetes(request) : queue(request);
    const signature = `${step} ${name}`.replace(RUN, '').replace(UID, 'uid').replace(EVENT, '$1');
    const nth = (this.#counts.get(signature) ?? 0) + 1;
    this.#counts.set(signature, nth);
    this.#ordinal += 1;
    return { step, name, signature, nth, ordinal: this.#ordinal };
  }
}

const PATH = /^\/(?:api|apis\/[^/]+)\/v1(?:\/namespaces\/[^/]+(?=\/))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;
const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

function kubernetes({ method, url }: Request) {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const [, plural, name = '', subresource] = PATH.exec(pathname) ?? [];
  if (plural === undefined) return { step: `${method} ${pathname}`, name: '' };
  const read = searchParams.has('watch') ? 'watch' : name === '' ? 'list' : 'get';
  const verb = VERBS[method] ?? read;
  return { step: `${verb} ${plural}${subresource === undefined ? '' : `/${subresource}`}`, name };
}

function queue({ headers, body }: Request) {
  const { QueueUrl = '' } = JSON.parse(body.toString('utf8')) as { QueueUrl?: string };
  return { step: String(headers['x-amz-target']).split('.').at(-1) ?? '', name: QueueUrl.split('/').at(-1) ?? '' };
}
