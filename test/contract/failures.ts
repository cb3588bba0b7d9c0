import { describe, expect, it } from 'vitest';
import { claim, classesPath, expectFailure, type Fixture, volume, volumesPath } from './fixture.ts';

/** How the server says no. */
export function failureContract(fixture: Fixture): void {
  describe('failures', () => {
    it('tells of a missing object by a NotFound status about that very object', async () => {
      const missing = await fixture.client.get(`${volumesPath}/missing`);
      const status = expectFailure(missing, 404, 'NotFound');
      expect(status.message).toBe('persistentvolumes "missing" not found');
      expect(status.details).toEqual({ kind: 'persistentvolumes', name: 'missing' });
    });

    it('names the group of a missing object outside of the core group', async () => {
      const status = expectFailure(await fixture.client.get(`${classesPath}/missing`), 404, 'NotFound');
      expect(status.message).toBe('storageclasses.storage.k8s.io "missing" not found');
      expect(status.details).toEqual({ group: 'storage.k8s.io', kind: 'storageclasses', name: 'missing' });
    });

    it.each(['PUT', 'DELETE', 'PATCH'])('answers %s of a missing object by the same status', async (method) => {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const body = method === 'PUT' ? volume('missing') : {};
      const answer = await fixture.client.request(method, `${volumesPath}/missing`, { body, contentType });
      const status = expectFailure(answer, 404, 'NotFound');
      expect(status.details).toEqual({ kind: 'persistentvolumes', name: 'missing' });
    });

    it('answers a status update of a missing object by the same status', async () => {
      const answer = await fixture.client.put(`${volumesPath}/missing/status`, volume('missing'));
      expect(expectFailure(answer, 404, 'NotFound').details).toEqual({ kind: 'persistentvolumes', name: 'missing' });
    });

    it.each(['/api/v1/nothings', '/api/v1/nothings/x', `${volumesPath}/x/nothing`, `${volumesPath}/a%2Fb`])(
      'answers %s, which it does not serve, by a NotFound status about nothing',
      async (path) => {
        const status = expectFailure(await fixture.client.get(path), 404, 'NotFound');
        expect(status.message).toBe('the server could not find the requested resource');
        expect(status.details).toEqual({});
      },
    );

    it.each(['/nothing', '/apis/nothing.example.com/v1/things'])(
      'answers %s, a path of nobody, by a page that is no status',
      async (path) => {
        const answer = await fixture.client.get(path);
        expect(answer.status).toBe(404);
        expect(answer.headers['content-type']).toContain('text/plain');
        expect(answer.body).toBe('404 page not found\n');
      },
    );

    it.each(['..', 'a%25b'])('refuses the name %s in a path', async (name) => {
      expectFailure(await fixture.client.get(`${volumesPath}/${name}`), 400, 'BadRequest');
    });

    it('tells of a name that is taken by AlreadyExists', async () => {
      const { metadata } = await fixture.createVolume();
      const status = expectFailure(await fixture.client.post(volumesPath, volume(metadata.name)), 409, 'AlreadyExists');
      expect(status.message).toBe(`persistentvolumes "${metadata.name}" already exists`);
      expect(status.details).toEqual({ kind: 'persistentvolumes', name: metadata.name });
    });

    it('tells of a namespace that does not exist by NotFound about the namespace', async () => {
      const answer = await fixture.client.post('/api/v1/namespaces/missing/persistentvolumeclaims', claim('any'));
      const status = expectFailure(answer, 404, 'NotFound');
      expect(status.message).toBe('namespaces "missing" not found');
      expect(status.details).toEqual({ kind: 'namespaces', name: 'missing' });
    });

    it('tells of a claim in a namespace that does not exist by NotFound about the claim', async () => {
      const answer = await fixture.client.get('/api/v1/namespaces/missing/persistentvolumeclaims/any');
      expect(expectFailure(answer, 404, 'NotFound').details).toEqual({ kind: 'persistentvolumeclaims', name: 'any' });
    });

    it('refuses a body that is no JSON', async () => {
      expectFailure(await fixture.client.request('POST', volumesPath, { text: '{nonsense' }), 400, 'BadRequest');
    });

    it('refuses a body of another kind or version', async () => {
      const other = { ...volume('any'), kind: 'Pod' };
      expectFailure(await fixture.client.post(volumesPath, other), 400, 'BadRequest');
      const later = { ...volume('any'), apiVersion: 'v2' };
      expectFailure(await fixture.client.post(volumesPath, later), 400, 'BadRequest');
    });

    it('refuses a body whose name or namespace is not that of the path', async () => {
      const object = await fixture.createClaim();
      const name = await fixture.client.put(`${fixture.claimsPath}/other`, object);
      expect(expectFailure(name, 400, 'BadRequest').message).toBe(
        `the name of the object (${object.metadata.name}) does not match the name on the URL (other)`,
      );
      const namespace = await fixture.client.post(fixture.claimsPath, claim('any', {}, { namespace: 'other' }));
      expect(expectFailure(namespace, 400, 'BadRequest').message).toBe(
        'the namespace of the provided object does not match the namespace sent on the request',
      );
    });

    it('refuses content that it cannot read', async () => {
      const post = await fixture.client.request('POST', volumesPath, { text: 'x', contentType: 'text/plain' });
      expectFailure(post, 415, 'UnsupportedMediaType');
      const { metadata } = await fixture.createVolume();
      const patch = await fixture.client.patch(`${volumesPath}/${metadata.name}`, {}, 'unknown-patch');
      expectFailure(patch, 415, 'UnsupportedMediaType');
    });

    it('refuses methods where they make no sense', async () => {
      for (const [method, path] of [
        ['PUT', volumesPath],
        ['POST', `${volumesPath}/x`],
        ['POST', '/api/v1/persistentvolumeclaims'],
      ] as const) {
        const answer = await fixture.client.request(method, path, { body: volume('x') });
        expectFailure(answer, 405, 'MethodNotAllowed');
      }
    });

    it('refuses a wrong token by Unauthorized, for every path', async ({ skip }) => {
      skip(fixture.client.server.token === undefined, 'the server lets everybody in');
      for (const path of [volumesPath, '/readyz', '/nothing']) {
        const answer = await fixture.client.request('GET', path, { token: 'wrong' });
        const status = expectFailure(answer, 401, 'Unauthorized');
        expect(status.message).toBe('Unauthorized');
      }
    });

    it('refuses a stranger by Forbidden, and names what was forbidden', async ({ skip }) => {
      skip(fixture.client.server.token === undefined, 'the server lets everybody in');
      const answer = await fixture.client.request('GET', `${fixture.claimsPath}/x`, { token: null });
      const status = expectFailure(answer, 403, 'Forbidden');
      expect(status.message).toBe(
        'persistentvolumeclaims "x" is forbidden: User "system:anonymous" cannot get resource ' +
          `"persistentvolumeclaims" in API group "" in the namespace "${fixture.namespace}"`,
      );
      expect(status.details).toEqual({ kind: 'persistentvolumeclaims', name: 'x' });
    });

    it('tells strangers its version and its health', async () => {
      const version = await fixture.client.request('GET', '/version', { token: null });
      expect(version.body).toMatchObject({ major: '1', gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/) });
      for (const path of ['/readyz', '/healthz', '/livez']) {
        expect(await fixture.client.request('GET', path, { token: null })).toMatchObject({ status: 200, body: 'ok' });
      }
    });

    it('says what it serves', async () => {
      const core = await fixture.client.get('/api/v1');
      const names = core.body.resources.map((resource: { name: string }) => resource.name);
      expect(names).toEqual(
        expect.arrayContaining([
          'events',
          'namespaces',
          'nodes',
          'persistentvolumeclaims',
          'persistentvolumeclaims/status',
          'persistentvolumes',
          'persistentvolumes/status',
          'pods',
        ]),
      );
      const storage = await fixture.client.get('/apis/storage.k8s.io/v1');
      expect(storage.body.resources).toContainEqual(
        expect.objectContaining({
          name: 'storageclasses',
          namespaced: false,
          kind: 'StorageClass',
          shortNames: ['sc'],
        }),
      );
    });
  });
}
