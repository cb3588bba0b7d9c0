import { once } from 'node:events';
import { get, request } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Intercept } from './faults.ts';
import { resourceOf } from './resources.ts';
import { type ApiServerOptions, type LocalApiServer, startApiServer } from './server.ts';

/** What is peculiar to the local server; what it has in common with the real one is in test/contract. */
describe('the local API server', () => {
  const volumes = '/api/v1/persistentvolumes';
  const pods = '/api/v1/namespaces/default/pods';
  let server: LocalApiServer;

  const start = async (options: ApiServerOptions = {}) => {
    server = await startApiServer(options);
  };
  const volume = (name: string) => ({
    metadata: { name },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/x' } },
  });
  const pod = (name: string, spec = {}) => ({
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'none' }], ...spec },
  });
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`${server.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  const podPhase = (name: string) =>
    server.store.get<{ status: { phase: string } }>('pods', { namespace: 'default', name })?.status.phase;

  afterEach(() => server.stop());

  describe('faults', () => {
    const onCreate =
      (fault: Awaited<ReturnType<Intercept>>): Intercept =>
      ({ api }) =>
        api?.verb === 'create' ? fault : undefined;

    it('answers what the hook makes up, a status or a page', async () => {
      await start({ intercept: onCreate({ status: 429, headers: { 'retry-after': '7' }, body: { kind: 'Status' } }) });
      const throttled = await send('POST', volumes, volume('a'));
      expect(throttled.status).toBe(429);
      expect(throttled.headers.get('retry-after')).toBe('7');
      expect(await throttled.json()).toEqual({ kind: 'Status' });

      server.intercept = () => ({ status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>proxy</h1>' });
      expect(await (await send('GET', volumes)).text()).toBe('<h1>proxy</h1>');
      server.intercept = undefined;
      expect((await send('GET', volumes)).status).toBe(200);
    });

    it('cuts the connection before anything happens', async () => {
      await start({ intercept: onCreate('cut') });
      await expect(send('POST', volumes, volume('a'))).rejects.toThrow();
      expect(server.store.list('persistentvolumes')).toEqual([]);
    });

    it('cuts the connection after it has happened', async () => {
      await start({ intercept: onCreate('cut-after') });
      await expect(send('POST', volumes, volume('a'))).rejects.toThrow();
      expect(server.store.get('persistentvolumes', { name: 'a' })).toBeDefined();
    });

    it('lets it happen late, and everything late with latencyMs', async () => {
      await start({ latencyMs: 30, intercept: () => ({ delayMs: 30 }) });
      const started = performance.now();
      expect((await send('GET', volumes)).status).toBe(200);
      expect(performance.now() - started).toBeGreaterThan(55);
    });

    it('shows the hook what was asked for', async () => {
      const intercept = vi.fn<Intercept>(() => undefined);
      await start({ intercept });
      await send('PUT', `${volumes}/a/status`, volume('a'));
      expect(intercept.mock.calls[0]?.[0]).toMatchObject({
        method: 'PUT',
        path: `${volumes}/a/status`,
        api: { verb: 'update', name: 'a', subresource: 'status', resource: { plural: 'persistentvolumes' } },
      });
    });
  });

  it('counts requests by verb and resource', async () => {
    await start();
    await send('POST', volumes, volume('a'));
    await send('GET', volumes);
    await send('GET', `${volumes}/a`);
    await send('PUT', `${volumes}/a/status`, volume('a'));
    expect(server.requests.all()).toEqual({
      'create persistentvolumes': 1,
      'get persistentvolumes': 1,
      'list persistentvolumes': 1,
      'update persistentvolumes/status': 1,
    });
    expect(server.requests.count('update', 'persistentvolumes/status')).toBe(1);
    expect(server.requests.count()).toBe(4);
    expect(server.requests.writes).toBe(2);
    server.requests.reset();
    expect(server.requests.count()).toBe(0);
  });

  it('remembers as many changes as it was told to', async () => {
    await start({ historySize: 3 });
    const first = server.store.revision;
    for (const name of ['a', 'b', 'c', 'd']) await send('POST', volumes, volume(name));
    const watch = async (revision: number) =>
      (await send('GET', `${volumes}?watch=true&timeoutSeconds=1&resourceVersion=${revision}`)).text();
    expect(await watch(first)).toContain('too old resource version');
    expect((await watch(first + 1)).trim().split('\n')).toHaveLength(3);
  });

  it('breaks watches when connections are cut, and goes on', async () => {
    await start();
    const watch = await send('GET', `${volumes}?watch=true`);
    server.cutConnections();
    await expect(watch.text()).rejects.toThrow();
    expect((await send('GET', volumes)).status).toBe(200);
  });

  it('stops although watches are open', async () => {
    await start();
    const outgoing = get(`${server.url}${volumes}?watch=true`);
    outgoing.on('error', () => {});
    await once(outgoing, 'response');
    await server.stop();
    await expect(send('GET', volumes)).rejects.toThrow();
  });

  it('refuses a body that is too large', async () => {
    await start();
    const huge = { ...volume('a'), padding: 'x'.repeat(4 * 1024 * 1024) };
    const answer = await new Promise<number | undefined>((resolve) => {
      const outgoing = request(`${server.url}${volumes}`, { method: 'POST' }, (response) =>
        resolve(response.statusCode),
      );
      outgoing.on('error', () => resolve(undefined));
      outgoing.end(JSON.stringify(huge));
    });
    // The server may hang up before the client has read the answer.
    expect([413, undefined]).toContain(answer);
    expect(server.store.list('persistentvolumes')).toEqual([]);
  });

  it('keeps the same rules without HTTP, and gives out nothing that could be changed', async () => {
    await start();
    const resource = resourceOf('persistentvolumes');
    const created = server.operations.create({ resource }, volume('a'));
    expect(created.status).toMatchObject({ phase: 'Pending' });
    expect(() => Object.assign(created.metadata, { name: 'b' })).toThrow();
    const updated = server.operations.update({ resource, name: 'a' }, { ...created, status: { phase: 'Bound' } });
    expect(updated).toBe(created);
    expect(() => server.operations.create({ resource }, volume('a'))).toThrow('already exists');
  });

  describe('kubelet', () => {
    it('runs the pods of a name to their end, and no others', async () => {
      await start({ kubelet: { namePrefix: 'recycler-', runMs: 20 } });
      await send('POST', pods, pod('recycler-1'));
      await send('POST', pods, pod('other'));
      await vi.waitFor(() => expect(podPhase('recycler-1')).toBe('Running'));
      await vi.waitFor(() => expect(podPhase('recycler-1')).toBe('Succeeded'));
      expect(podPhase('other')).toBe('Pending');
      const { spec } = server.store.get<{ spec: object }>('pods', { namespace: 'default', name: 'recycler-1' }) ?? {};
      expect(spec).toHaveProperty('nodeName', 'local');
    });

    it('lets a pod fail whose work fails', async () => {
      await start({ kubelet: { runMs: 1, run: () => Promise.reject(new Error('broken')) } });
      await send('POST', pods, pod('a'));
      await vi.waitFor(() => expect(podPhase('a')).toBe('Failed'));
    });

    it('confirms the end of a running pod', async () => {
      await start({ kubelet: { runMs: 10_000 } });
      await send('POST', pods, pod('a'));
      await vi.waitFor(() => expect(podPhase('a')).toBe('Running'));
      await send('DELETE', `${pods}/a`);
      await vi.waitFor(() => expect(podPhase('a')).toBeUndefined());
    });
  });
});
