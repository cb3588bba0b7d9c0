import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiServerCluster } from './api-server.ts';
import { type Answer, eventually, json, statusBody, type TestServer, testServer } from './testing/http-server.ts';
import type { WatchEvent, WatchOptions } from './watch.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(answer: Answer): Promise<{ server: TestServer; cluster: ApiServerCluster }> {
  const server = await testServer(answer);
  const cluster = new ApiServerCluster({ server: server.url });
  cleanups.push(
    () => server.close(),
    () => cluster.close(),
  );
  return { server, cluster };
}

function frame(type: string, name: string, resourceVersion: string): string {
  const metadata = { name, uid: `uid-${name}`, resourceVersion, managedFields: [{}] };
  return `${JSON.stringify({ type, object: { kind: 'PersistentVolume', apiVersion: 'v1', metadata, spec: {} } })}\n`;
}

function started(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  return response;
}

const never = new AbortController().signal;

async function follow(cluster: ApiServerCluster, options: Partial<WatchOptions> = {}) {
  const events: WatchEvent<'PersistentVolume'>[] = [];
  let error: Error | undefined;
  try {
    const watch = cluster.watch('PersistentVolume', { resourceVersion: '5', signal: never, ...options });
    for await (const event of watch) events.push(event);
  } catch (thrown) {
    error = thrown as Error;
  }
  return { events, error };
}

describe('watch', () => {
  it('gives objects with their managedFields to whoever asks for them', async () => {
    const { cluster } = await serve((_, response) => void started(response).end(frame('ADDED', 'a', '6')));
    const { events } = await follow(cluster, { withManagers: true });
    expect(events[0]?.object.metadata).toHaveProperty('managedFields', [{}]);
  });

  it('asks for bookmarks from a version on, and gives what comes until the server ends it', async () => {
    const { server, cluster } = await serve((_, response) => {
      started(response).write(frame('ADDED', 'a', '6') + frame('MODIFIED', 'a', '7'));
      response.end(frame('BOOKMARK', '', '9') + frame('DELETED', 'a', '10'));
    });
    const { events, error } = await follow(cluster, { fieldSelector: 'metadata.name=a' });
    expect(error).toBeUndefined();
    expect(events.map(({ type, object }) => `${type} ${object.metadata.resourceVersion}`)).toEqual([
      'ADDED 6',
      'MODIFIED 7',
      'BOOKMARK 9',
      'DELETED 10',
    ]);
    expect(events[0]?.object.metadata).not.toHaveProperty('managedFields');
    const query = new URL(server.received[0]?.url ?? '', server.url).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      fieldSelector: 'metadata.name=a',
      resourceVersion: '5',
      timeoutSeconds: expect.stringMatching(/^\d+$/),
    });
    expect(Number(query.get('timeoutSeconds'))).toBeGreaterThanOrEqual(240);
    expect(Number(query.get('timeoutSeconds'))).toBeLessThanOrEqual(480);
  });

  it('reads frames that are cut at every byte', async () => {
    const bytes = Buffer.from(frame('ADDED', 'grün-😀', '6') + frame('ADDED', 'b', '7'));
    const { cluster } = await serve(async (_, response) => {
      started(response).socket?.setNoDelay();
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const { events } = await follow(cluster);
    expect(events.map(({ object }) => (object.metadata as { name: string }).name)).toEqual(['grün-😀', 'b']);
  });

  it('tells when the server has accepted it', async () => {
    const { cluster } = await serve((_, response) => {
      started(response);
      setTimeout(() => response.end(), 20);
    });
    const log: string[] = [];
    await follow(cluster, { onOpen: () => log.push('open') });
    expect(log).toEqual(['open']);
  });

  it.each([
    ['as an answer', (response: ServerResponse) => json(response, 410, statusBody(410, 'Expired'))],
    [
      'as an event',
      (response: ServerResponse) =>
        started(response).end(`${JSON.stringify({ type: 'ERROR', object: statusBody(410, 'Expired') })}\n`),
    ],
  ])('says that the version is gone, %s', async (_, answer) => {
    const { cluster } = await serve((__, response) => answer(response));
    expect((await follow(cluster)).error).toMatchObject({ name: 'GoneError', code: 410 });
  });

  it.each([
    [403, 'ClusterError'],
    [429, 'ThrottledError'],
    [500, 'ClusterError'],
  ])('types an ERROR event with code %i', async (code, name) => {
    const body = JSON.stringify({ type: 'ERROR', object: statusBody(code, 'Some') });
    const { cluster } = await serve((_, response) => started(response).end(`${body}\n`));
    expect((await follow(cluster)).error).toMatchObject({ name, code });
  });

  it('types an answer that is no watch', async () => {
    const { cluster } = await serve((_, response) => json(response, 403, statusBody(403, 'Forbidden')));
    expect((await follow(cluster)).error).toMatchObject({ name: 'ClusterError', code: 403, reason: 'Forbidden' });
  });

  it.each([
    ['a login page', '<html>log in</html>\n'],
    ['an unknown type', '{"type":"OTHER","object":{}}\n'],
    ['another kind', frame('ADDED', 'a', '1').replace('PersistentVolume', 'Pod')],
    ['no version', frame('ADDED', 'a', '1').replace('"resourceVersion":"1",', '')],
    ['half a frame at the end', frame('ADDED', 'a', '1').slice(0, 40)],
  ])('does not trust %s', async (_, body) => {
    const { cluster } = await serve((__, response) => started(response).end(body));
    expect((await follow(cluster)).error).toMatchObject({ name: 'AmbiguousError' });
  });

  it('refuses a frame without end', async () => {
    const { server, cluster } = await serve((_, response) => {
      started(response);
      for (let sent = 0; sent < 10; sent++) response.write('x'.repeat(1024 * 1024));
    });
    expect((await follow(cluster)).error?.message).toContain('longer than');
    await eventually(() => server.sockets.size === 0);
  });

  it('fails when nothing comes for too long, and closes its connection', async () => {
    const { server, cluster } = await serve((_, response) => started(response).write(frame('ADDED', 'a', '6')));
    const { events, error } = await follow(cluster, { idleTimeoutMs: 40 });
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ name: 'AmbiguousError', message: expect.stringContaining('idle for 40 ms') });
    await eventually(() => server.sockets.size === 0);
  });

  it('does not count the time that its reader takes', async () => {
    const { cluster } = await serve((_, response) => {
      started(response).write(frame('ADDED', 'a', '6'));
      setTimeout(() => response.end(frame('ADDED', 'b', '7')), 20);
    });
    const seen: string[] = [];
    for await (const event of cluster.watch('PersistentVolume', {
      resourceVersion: '5',
      signal: never,
      idleTimeoutMs: 60,
    })) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      seen.push(event.type);
    }
    expect(seen).toEqual(['ADDED', 'ADDED']);
  });

  it('fails when the connection is cut', async () => {
    const { cluster } = await serve((request, response) => {
      started(response).write(frame('ADDED', 'a', '6'));
      setTimeout(() => request.socket.destroy(), 10);
    });
    const { events, error } = await follow(cluster);
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ name: 'AmbiguousError' });
  });

  it('ends at once with the abort, and closes its connection', async () => {
    const { server, cluster } = await serve((_, response) => started(response).write(frame('ADDED', 'a', '6')));
    const abort = new AbortController();
    const following = follow(cluster, { signal: abort.signal });
    await eventually(() => server.sockets.size === 1);
    setTimeout(() => abort.abort(), 20);
    expect((await following).error).toBeUndefined();
    await eventually(() => server.sockets.size === 0);
  });

  it('ends when its reader stops, and closes its connection', async () => {
    const { server, cluster } = await serve((_, response) => started(response).write(frame('ADDED', 'a', '6')));
    for await (const _ of cluster.watch('PersistentVolume', { resourceVersion: '5', signal: never })) break;
    await eventually(() => server.sockets.size === 0);
  });

  it('ends with the signal of the cluster that it belongs to', async () => {
    const { server, cluster } = await serve((_, response) => started(response));
    const abort = new AbortController();
    const following = follow(cluster.withSignal(abort.signal));
    await eventually(() => server.received.length === 1);
    abort.abort();
    expect((await following).error).toBeUndefined();
    await eventually(() => server.sockets.size === 0);
  });

  it('leaves the server waiting while nobody reads', async () => {
    let written = 0;
    const chunk = frame('ADDED', 'a', '6').repeat(500);
    const { cluster } = await serve((_, response) => {
      started(response);
      const more = (): void => {
        while (written < 200_000_000) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    const watch = cluster.watch('PersistentVolume', { resourceVersion: '5', signal: never });
    await watch.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(written).toBeLessThan(50_000_000);
    await watch.return(undefined);
  });
});
