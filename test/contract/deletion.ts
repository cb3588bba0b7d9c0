import { describe, expect, it } from 'vitest';
import { expectFailure, type Fixture, hold } from './fixture.ts';

/** How objects go. */
export function deletionContract(fixture: Fixture): void {
  const status = async (path: string) => (await fixture.client.get(path)).status;

  describe('deletion', () => {
    it('removes an object that nothing holds, and answers its last state', async () => {
      const object = await fixture.createVolume();
      const path = fixture.pathOf(object);
      const deleted = await fixture.client.delete(path);
      expect(deleted.status).toBe(200);
      expect(deleted.body).toMatchObject({ kind: 'PersistentVolume', metadata: { uid: object.metadata.uid } });
      expect(await status(path)).toBe(404);
      expectFailure(await fixture.client.delete(path), 404, 'NotFound');
    });

    it('only marks an object that has a finalizer, and marks it once', async () => {
      const object = await fixture.createVolume({}, { finalizers: [hold] });
      const path = fixture.pathOf(object);
      const { body: marked } = await fixture.client.delete(path);
      expect(marked.metadata).toMatchObject({
        deletionTimestamp: expect.stringMatching(/Z$/),
        deletionGracePeriodSeconds: 0,
        finalizers: [hold],
      });
      expect((await fixture.client.delete(path)).body.metadata).toEqual(marked.metadata);
    });

    it.each(['', '/status'])('removes a marked object with its last finalizer (PUT%s)', async (subresource) => {
      const object = await fixture.createVolume({}, { finalizers: [hold, `${hold}-too`] });
      const path = fixture.pathOf(object);
      const { body } = await fixture.client.delete(path);
      const one = await fixture.put({ ...body, metadata: { ...body.metadata, finalizers: [hold] } }, subresource);
      expect(await status(path)).toBe(200);
      const none = await fixture.put({ ...one.body, metadata: { ...one.body.metadata, finalizers: [] } }, subresource);
      expect(none.status).toBe(200);
      expect(await status(path)).toBe(404);
    });

    it('does not let a marked object get new finalizers', async () => {
      const object = await fixture.createVolume({}, { finalizers: [hold] });
      const { body } = await fixture.client.delete(fixture.pathOf(object));
      body.metadata.finalizers.push(`${hold}-too`);
      const { message } = expectFailure(await fixture.put(body), 422, 'Invalid');
      expect(message).toContain(
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, ' +
          `found new finalizers []string{"${hold}-too"}`,
      );
    });

    it('does not let a deletion be taken back', async () => {
      const object = await fixture.createVolume({}, { finalizers: [hold] });
      const { body: marked } = await fixture.client.delete(fixture.pathOf(object));
      const { deletionTimestamp, deletionGracePeriodSeconds: _, ...metadata } = marked.metadata;
      const { body } = await fixture.put({ ...marked, metadata: { ...metadata, labels: { a: 'b' } } });
      expect(body.metadata).toMatchObject({ deletionTimestamp, deletionGracePeriodSeconds: 0 });
    });

    it('still takes updates of a marked object', async () => {
      const object = await fixture.createVolume({}, { finalizers: [hold] });
      const { body } = await fixture.client.delete(fixture.pathOf(object));
      body.status.phase = 'Failed';
      expect((await fixture.put(body, '/status')).body.status.phase).toBe('Failed');
    });

    it('refuses a deletion whose uid or resourceVersion is not that of the object', async () => {
      const object = await fixture.createVolume();
      const path = fixture.pathOf(object);
      const { uid, resourceVersion, name } = object.metadata;
      const otherUid = await fixture.client.delete(path, { preconditions: { uid: 'other' } });
      const status409 = expectFailure(otherUid, 409, 'Conflict');
      expect(status409.message).toBe(
        `Operation cannot be fulfilled on PersistentVolume "${name}": the UID in the precondition (other) does not ` +
          `match the UID in record (${uid}). The object might have been deleted and then recreated`,
      );
      expect(status409.details).toEqual({ kind: 'PersistentVolume', name });
      const oldVersion = await fixture.client.delete(path, { preconditions: { uid, resourceVersion: '1' } });
      expect(expectFailure(oldVersion, 409, 'Conflict').message).toContain(
        'the ResourceVersion in the precondition (1)',
      );
      expect((await fixture.client.delete(path, { preconditions: { uid, resourceVersion } })).status).toBe(200);
    });

    it('answers the deletion of an event by a success', async () => {
      const path = '/api/v1/namespaces/default/events';
      const metadata = { name: fixture.name('event') };
      const event = { metadata, involvedObject: { name: 'any' }, reason: 'Contract', type: 'Normal' };
      const { uid } = (await fixture.create(path, event)).metadata;
      expect((await fixture.client.delete(`${path}/${metadata.name}`)).body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: metadata.name, kind: 'events', uid },
      });
    });

    it('removes a pod that is on no node at once', async () => {
      const object = await fixture.createPod();
      const deleted = await fixture.client.delete(fixture.pathOf(object));
      expect(deleted.body.metadata.deletionGracePeriodSeconds).toBe(0);
      expect(await status(fixture.pathOf(object))).toBe(404);
    });

    it('leaves a pod on a node until its end is confirmed', async () => {
      const object = await fixture.createPod({ nodeName: 'nowhere' });
      const path = fixture.pathOf(object);
      const deleted = await fixture.client.delete(path);
      expect(deleted.body.metadata.deletionGracePeriodSeconds).toBe(30);
      expect(await status(path)).toBe(200);
      await fixture.client.delete(path, { gracePeriodSeconds: 0 });
      expect(await status(path)).toBe(404);
    });

    it('does not delete the namespace default', async () => {
      expectFailure(await fixture.client.delete('/api/v1/namespaces/default'), 403, 'Forbidden');
    });

    it('deletes nothing in a dry run', async () => {
      const object = await fixture.createVolume();
      expect((await fixture.client.delete(`${fixture.pathOf(object)}?dryRun=All`)).status).toBe(200);
      expect(await status(fixture.pathOf(object))).toBe(200);
    });
  });
}
