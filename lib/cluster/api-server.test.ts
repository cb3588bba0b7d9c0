import { afterEach, describe, expect, it } from 'vitest';
import { StateError } from '../controller/errors.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { ApiServerCluster, type ApiServerOptions } from './api-server.ts';
import { InvalidNameError } from './errors.ts';
import type { RequestInfo } from './request.ts';
import { type Answer, json, statusBody, type TestServer, testServer } from './testing/http-server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(answer: Answer, options?: ApiServerOptions) {
  const server: TestServer = await testServer(answer);
  const cluster = new ApiServerCluster({ server: server.url }, options);
  cleanups.push(
    () => server.close(),
    () => cluster.close(),
  );
  return { server, cluster };
}

const volume = {
  kind: 'PersistentVolume',
  apiVersion: 'v1',
  metadata: { name: 'a', uid: 'u', resourceVersion: '7' },
  spec: {},
} as PersistentVolume;
const claim = {
  metadata: { namespace: 'ns', name: 'c', uid: 'u', resourceVersion: '7' },
  spec: {},
} as PersistentVolumeClaim;

const managed = { ...volume, metadata: { ...volume.metadata, managedFields: [{ manager: 'x' }] } };

describe('get', () => {
  it('is a quorum read, without managedFields', async () => {
    const { server, cluster } = await serve((_, response) => json(response, 200, managed));
    expect(await cluster.get('PersistentVolume', { name: 'a' })).toEqual(volume);
    expect(server.received[0]?.url).toBe('/api/v1/persistentvolumes/a');
  });

  it('is undefined when the server proves that the object is gone', async () => {
    const details = { name: 'a', kind: 'persistentvolumes' };
    const { cluster } = await serve((_, response) => json(response, 404, statusBody(404, 'NotFound', details)));
    expect(await cluster.get('PersistentVolume', { name: 'a' })).toBeUndefined();
  });

  it('fails for any other 404, and for a page with 200', async () => {
    const { cluster } = await serve(({ url }, response) => {
      response.writeHead(url.endsWith('/a') ? 404 : 200).end('<html>');
    });
    await expect(cluster.get('PersistentVolume', { name: 'a' })).rejects.toMatchObject({
      name: 'AmbiguousError',
      code: 404,
    });
    await expect(cluster.get('PersistentVolume', { name: 'b' })).rejects.toMatchObject({
      name: 'AmbiguousError',
      code: 200,
    });
  });

  it('finds nothing under a name that cannot be, and sends nothing', async () => {
    const { server, cluster } = await serve((_, response) => json(response, 200, volume));
    await expect(cluster.get('PersistentVolume', { name: '../namespaces' })).resolves.toBeUndefined();
    // Its absence would release a volume.
    const claimOf = (namespace: string, name: string) => cluster.get('PersistentVolumeClaim', { namespace, name });
    await expect(claimOf('a/b', 'c')).rejects.toThrow(StateError);
    await expect(claimOf('a', '../c')).rejects.toThrow(StateError);
    await expect(cluster.list('Pod', { namespace: '../default' })).resolves.toEqual([]);
    await expect(cluster.delete('PersistentVolume', { metadata: { name: '..' }, spec: {} })).rejects.toThrow(
      InvalidNameError,
    );
    expect(server.received).toEqual([]);
  });
});

describe('writes', () => {
  it('creates in the collection', async () => {
    const { server, cluster } = await serve((request, response) => json(response, 201, JSON.parse(request.body)));
    const created = await cluster.create('PersistentVolumeClaim', claim);
    expect(created).toMatchObject({ kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
    expect(server.received[0]).toMatchObject({ method: 'POST', url: '/api/v1/namespaces/ns/persistentvolumeclaims' });
    expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
    });
    expect(claim).not.toHaveProperty('kind');
  });

  it('updates the object or its status', async () => {
    const { server, cluster } = await serve((_, response) => json(response, 200, managed));
    expect(await cluster.update('PersistentVolume', volume)).toEqual(volume);
    await cluster.updateStatus('PersistentVolume', volume);
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PUT /api/v1/persistentvolumes/a',
      'PUT /api/v1/persistentvolumes/a/status',
    ]);
  });

  it.each([
    ['update', 409, statusBody(409, 'Conflict'), 'ConflictError'],
    ['update', 404, statusBody(404, 'NotFound', { name: 'a', kind: 'persistentvolumes' }), 'NotFoundError'],
    ['updateStatus', 409, statusBody(409, 'Conflict'), 'ConflictError'],
    ['create', 409, statusBody(409, 'AlreadyExists'), 'AlreadyExistsError'],
    ['delete', 409, statusBody(409, 'Conflict'), 'ConflictError'],
    ['delete', 404, statusBody(404, 'NotFound', { name: 'b', kind: 'persistentvolumes' }), 'AmbiguousError'],
    ['update', 200, { ...volume, metadata: { ...volume.metadata, name: 'b' } }, 'AmbiguousError'],
  ] as const)('%s with %i fails as it should', async (verb, status, body, name) => {
    const { cluster } = await serve((_, response) => json(response, status, body));
    await expect(cluster[verb]('PersistentVolume', volume)).rejects.toMatchObject({ name });
  });

  it('deletes with preconditions', async () => {
    const { server, cluster } = await serve((_, response) =>
      json(response, 200, { kind: 'Status', apiVersion: 'v1', status: 'Success' }),
    );
    await cluster.delete('PersistentVolume', volume);
    await cluster.delete('PersistentVolume', { ...volume, metadata: { name: 'a' } });
    expect(server.received.map(({ body }) => JSON.parse(body))).toEqual([
      { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'u', resourceVersion: '7' } },
      { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: {} },
    ]);
  });

  it.each([
    ['the object, when finalizers hold it', 200, volume],
    ['the object, when it takes time', 202, volume],
    ['that it is gone', 404, statusBody(404, 'NotFound', { name: 'a', kind: 'persistentvolumes' })],
  ])('takes %s for a done delete', async (_, status, body) => {
    const { cluster } = await serve((__, response) => json(response, status, body));
    await expect(cluster.delete('PersistentVolume', volume)).resolves.toBeUndefined();
  });

  it('does not take a page for a done delete', async () => {
    const { cluster } = await serve((_, response) => response.end('<html>'));
    await expect(cluster.delete('PersistentVolume', volume)).rejects.toMatchObject({ name: 'AmbiguousError' });
  });
});

describe('list', () => {
  function page(names: string[], metadata: object) {
    const items = names.map((name) => ({
      metadata: { name, uid: name, resourceVersion: '1', managedFields: [] },
      spec: {},
    }));
    return { kind: 'PersistentVolumeList', apiVersion: 'v1', metadata, items };
  }

  it('keeps managedFields for whoever asks for them', async () => {
    const { cluster } = await serve((_, response) => json(response, 200, page(['a'], { resourceVersion: '9' })));
    const listed = async (withManagers: boolean) =>
      (await cluster.listWithVersion('PersistentVolume', { withManagers })).items.map(({ metadata }) => metadata);
    expect(await listed(true)).toEqual([{ name: 'a', uid: 'a', resourceVersion: '1', managedFields: [] }]);
    expect(await listed(false)).toEqual([{ name: 'a', uid: 'a', resourceVersion: '1' }]);
  });

  it('follows the pages and sets what items lack', async () => {
    const { server, cluster } = await serve(({ url }, response) =>
      json(
        response,
        200,
        url.includes('continue')
          ? page(['c'], { resourceVersion: '9' })
          : page(['a', 'b'], { resourceVersion: '9', continue: 'x y', remainingItemCount: 1 }),
      ),
    );
    const { items, resourceVersion } = await cluster.listWithVersion('PersistentVolume');
    expect(resourceVersion).toBe('9');
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    expect(items[0]).toEqual({
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      metadata: { name: 'a', uid: 'a', resourceVersion: '1' },
      spec: {},
    });
    expect(server.received.map(({ url }) => url)).toEqual([
      '/api/v1/persistentvolumes?limit=500',
      '/api/v1/persistentvolumes?limit=500&continue=x+y',
    ]);
  });

  it('lists one namespace, by a field', async () => {
    const body = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: null };
    const { server, cluster } = await serve((_, response) => json(response, 200, body));
    expect(await cluster.list('Pod', { namespace: 'ns', fieldSelector: 'spec.nodeName=n' })).toEqual([]);
    expect(server.received[0]?.url).toBe('/api/v1/namespaces/ns/pods?fieldSelector=spec.nodeName%3Dn&limit=500');
  });

  it('keeps of each item what it is told to', async () => {
    const { cluster } = await serve((_, response) => json(response, 200, page(['a', 'b'], { resourceVersion: '9' })));
    const { items } = await cluster.listWithVersion('PersistentVolume', {}, ({ metadata }) => metadata.name);
    expect(items).toEqual(['a', 'b']);
  });

  it('reads the whole list once when the pages have expired', async () => {
    const { server, cluster } = await serve(({ url }, response) => {
      if (url.includes('continue')) json(response, 410, statusBody(410, 'Expired'));
      else if (url.includes('limit')) json(response, 200, page(['a'], { resourceVersion: '9', continue: 'x' }));
      else json(response, 200, page(['a', 'b'], { resourceVersion: '12' }));
    });
    const { items, resourceVersion } = await cluster.listWithVersion('PersistentVolume');
    expect(items).toHaveLength(2);
    expect(resourceVersion).toBe('12');
    expect(server.received).toHaveLength(3);
  });

  it.each([
    ['a page of HTML', '<html>'],
    ['another list', { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] }],
    ['no version', { kind: 'PersistentVolumeList', apiVersion: 'v1', metadata: {}, items: [] }],
    [
      'an item without name',
      { kind: 'PersistentVolumeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [{}] },
    ],
  ])('does not trust %s', async (_, body) => {
    const { cluster } = await serve((__, response) => json(response, 200, body));
    await expect(cluster.list('PersistentVolume')).rejects.toMatchObject({ name: 'AmbiguousError' });
  });

  it('learns version and count from one object', async () => {
    const { server, cluster } = await serve((_, response) =>
      json(response, 200, page(['a'], { resourceVersion: '9', continue: 'x', remainingItemCount: 41 })),
    );
    expect(await cluster.version('PersistentVolume')).toMatchObject({ resourceVersion: '9', count: 42 });
    expect(server.received[0]?.url).toBe('/api/v1/persistentvolumes?limit=1');
  });
});

describe('serverVersion', () => {
  it('reads major and minor', async () => {
    const { cluster } = await serve((_, response) => json(response, 200, { major: '1', minor: '34+' }));
    expect(await cluster.serverVersion()).toEqual({ major: 1, minor: 34 });
  });

  it('does not trust a page', async () => {
    const { cluster } = await serve((_, response) => response.end('<html>'));
    await expect(cluster.serverVersion()).rejects.toMatchObject({ name: 'AmbiguousError' });
  });
});

describe('withSignal', () => {
  it('ends all requests with the signal, and leaves the others', async () => {
    const { cluster } = await serve(({ url }, response) => {
      if (url.endsWith('/a')) setTimeout(() => json(response, 200, volume), 60);
    });
    const abort = new AbortController();
    const bound = cluster.withSignal(abort.signal);
    const pending = [
      bound.get('PersistentVolume', { name: 'a' }),
      bound.update('PersistentVolume', volume),
      bound.list('Pod'),
    ];
    const other = cluster.get('PersistentVolume', { name: 'a' });
    setTimeout(() => abort.abort(), 20);
    const results = await Promise.allSettled(pending);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await other).toEqual(volume);
  });
});

describe('events and observation', () => {
  it('emits an event, and never throws', async () => {
    const failures: unknown[] = [];
    const { server, cluster } = await serve((_, response) => json(response, 403, statusBody(403, 'Forbidden')), {
      events: { onFailure: (error) => failures.push(error) },
    });
    await cluster.event({ kind: 'PersistentVolume', object: volume, type: 'Normal', reason: 'R', message: 'm' });
    expect(server.received[0]?.url).toBe('/api/v1/namespaces/default/events');
    expect(failures).toEqual([expect.objectContaining({ code: 403 })]);
  });

  it('tells the observer resource, subresource and name', async () => {
    const seen: RequestInfo[] = [];
    const { cluster } = await serve((_, response) => json(response, 200, volume), {
      onRequest: (info) => seen.push(info),
    });
    await cluster.updateStatus('PersistentVolume', volume);
    expect(seen).toEqual([
      expect.objectContaining({
        method: 'PUT',
        template: '/api/v1/persistentvolumes/{name}/status',
        resource: 'persistentvolumes',
        subresource: 'status',
        name: 'a',
        status: 200,
      }),
    ]);
  });
});
