import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Watch } from './watch.ts';

/** Where an API server is, and how to get in. */
export interface ApiServerUnderTest {
  readonly url: string;
  readonly token?: string;
  /** The certificate authority, PEM. */
  readonly ca?: string;
  /** A namespace that exists, of this run alone. */
  readonly namespace: string;
  /** Makes resourceVersions up to now too old. Connections may break over it. */
  readonly compactHistory?: () => Promise<void>;
  stop(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the contract reads bodies of every form, and asserts what it reads
export type Body = any;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body, or its text where it is no JSON. */
  readonly body: Body;
}

export interface RequestParts {
  readonly body?: unknown;
  /** A body that is no JSON. */
  readonly text?: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** Another token than the right one; `null`: none at all. */
  readonly token?: string | null;
}

/** Requests over plain `node:http`, so that nothing stands between the contract and the server. */
export class Client {
  readonly server: ApiServerUnderTest;
  readonly #watches = new Set<Watch>();

  constructor(server: ApiServerUnderTest) {
    this.server = server;
  }

  async request(method: string, path: string, parts: RequestParts = {}): Promise<Answer> {
    const response = await this.#send(method, path, parts);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
    return { status: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  get = (path: string) => this.request('GET', path);
  post = (path: string, body: unknown) => this.request('POST', path, { body });
  put = (path: string, body: unknown) => this.request('PUT', path, { body });
  patch = (path: string, body: unknown, type = 'merge-patch') =>
    this.request('PATCH', path, { body, contentType: `application/${type}+json` });
  delete = (path: string, options?: unknown) =>
    this.request('DELETE', path, options === undefined ? {} : { body: options });

  /** Opens a watch; `close` ends all that are still open. */
  async watch(path: string): Promise<Watch> {
    const response = await this.#send('GET', path, {});
    const watch = new Watch(response);
    this.#watches.add(watch);
    return watch;
  }

  closeWatches(): void {
    for (const watch of this.#watches) watch.close();
    this.#watches.clear();
  }

  #send(method: string, path: string, parts: RequestParts): Promise<IncomingMessage> {
    const { url, ca, token: ownToken } = this.server;
    const token = parts.token === undefined ? ownToken : parts.token;
    const text = parts.text ?? (parts.body === undefined ? undefined : JSON.stringify(parts.body));
    const { hostname, port, protocol } = new URL(url);
    const options: RequestOptions & { ca?: string } = {
      method,
      hostname,
      port,
      // As it is: a URL object would resolve the dots of `..`.
      path,
      agent: false,
      headers: {
        accept: parts.accept ?? 'application/json',
        ...(text === undefined ? {} : bodyHeaders(text, parts.contentType)),
        ...(typeof token === 'string' ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(ca === undefined ? {} : { ca }),
    };
    return new Promise((resolve, reject) => {
      const send = protocol === 'https:' ? httpsRequest : httpRequest;
      send(options, resolve).once('error', reject).end(text);
    });
  }
}

/** The length is said, since Node would not say it for the body of a DELETE, and the server could not read it. */
function bodyHeaders(text: string, contentType = 'application/json'): Record<string, string> {
  return { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)) };
}
