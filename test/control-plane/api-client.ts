import { Agent, request } from 'node:https';

/** What the API server answered. */
export interface ApiResponse<T = unknown> {
  readonly status: number;
  readonly body: T;
}

/** A plain way to the API server, for tests that arrange objects and look at them. It retries nothing. */
export interface ApiClient {
  /** One request. A body of method PATCH is a merge patch. */
  request<T = unknown>(method: string, path: string, body?: unknown): Promise<ApiResponse<T>>;
  /** Gives the connections back. */
  close(): void;
}

const timeoutMilliseconds = 30_000;

/** Makes a client, an anonymous one where there is no token; the server's certificate is checked against `ca`. */
export function apiClient(url: string, ca: string, token?: string): ApiClient {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 32 });

  function send<T>(method: string, path: string, body?: unknown): Promise<ApiResponse<T>> {
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, url), {
        method,
        agent,
        timeout: timeoutMilliseconds,
        headers: {
          accept: 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && {
            'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
          }),
        },
      });
      outgoing.once('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer`)));
      outgoing.once('error', reject);
      outgoing.once('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.once('error', reject);
        incoming.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isJson = incoming.headers['content-type']?.startsWith('application/json');
          resolve({ status: incoming.statusCode ?? 0, body: (isJson ? JSON.parse(text) : text) as T });
        });
      });
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  return { request: send, close: () => agent.destroy() };
}
