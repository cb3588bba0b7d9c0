/** What both stand-ins have in common: a small HTTP server on 127.0.0.1 that answers JSON. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface JsonServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts to answer on a free port; an error of `answer` is a 500. */
export async function startJsonServer(answer: (request: IncomingMessage, body: string) => Answer): Promise<JsonServer> {
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    const reply = answered(() => answer(request, body));
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answered(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    return { status: 500, body: { message: (error as Error).message } };
  }
}
