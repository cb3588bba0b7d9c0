import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Body } from './client.ts';
import { expectFailure, type Fixture } from './fixture.ts';

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

/** What an update may do, and what it does. */
export function updateContract(fixture: Fixture): void {
  async function expectImmutable(object: Body, field: string): Promise<void> {
    const { details } = expectFailure(await fixture.put(object), 422, 'Invalid');
    expect(details.causes.map((cause: Body) => cause.field)).toContain(field);
  }

  describe('optimistic concurrency', () => {
    it('raises the resourceVersion with each change', async () => {
      const object = await fixture.createVolume();
      object.spec.claimRef = { namespace: 'a', name: 'b' };
      const { body } = await fixture.put(object);
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(object.metadata.resourceVersion));
      expect(body.spec.claimRef).toEqual({ namespace: 'a', name: 'b' });
    });

    it.each(['', '/status'])('refuses an old resourceVersion by Conflict (PUT%s)', async (subresource) => {
      const old = await fixture.createVolume();
      await fixture.put({ ...old, metadata: { ...old.metadata, labels: { a: 'b' } } });
      const status = expectFailure(await fixture.put(old, subresource), 409, 'Conflict');
      const { name } = old.metadata;
      expect(status.message).toBe(`Operation cannot be fulfilled on persistentvolumes "${name}": ${modified}`);
      expect(status.details).toEqual({ kind: 'persistentvolumes', name });
    });

    it('refuses the uid of another object by Conflict', async () => {
      const object = await fixture.createVolume();
      const { resourceVersion: _, ...metadata } = object.metadata;
      const other = { ...object, metadata: { ...metadata, uid: '00000000-0000-4000-8000-000000000000' } };
      const status = expectFailure(await fixture.put(other), 409, 'Conflict');
      expect(status.message).toContain(`UID in object meta: ${object.metadata.uid}`);
    });

    it('lets exactly one of several equal writers win', async () => {
      const object = await fixture.createVolume();
      const writers = Array.from({ length: 8 }, (_, index) => `writer-${index}`);
      const answers = await Promise.all(
        writers.map((name) => fixture.put({ ...object, spec: { ...object.spec, claimRef: { namespace: 'a', name } } })),
      );
      const winners = answers.filter((answer) => answer.status === 200);
      expect(winners).toHaveLength(1);
      expect(answers.filter((answer) => answer.status === 409)).toHaveLength(7);
      expect((await fixture.read(object)).spec.claimRef).toEqual(winners[0]?.body.spec.claimRef);
    });

    it.each(['', '/status'])('keeps the resourceVersion when nothing changes (PUT%s)', async (subresource) => {
      const object = await fixture.createVolume();
      const { status, body } = await fixture.put(object, subresource);
      expect(status).toBe(200);
      expect(body.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    });

    it('writes over whatever is there when no resourceVersion is given', async () => {
      const object = await fixture.createVolume();
      const { resourceVersion: _, ...metadata } = object.metadata;
      const { status, body } = await fixture.put({ ...object, metadata: { ...metadata, labels: { forced: 'yes' } } });
      expect(status).toBe(200);
      expect(body.metadata.labels).toEqual({ forced: 'yes' });
    });
  });

  describe('updates', () => {
    it('leaves the status alone when the object is written', async () => {
      const object = await fixture.createVolume();
      object.status = { phase: 'Bound' };
      object.spec.storageClassName = 'changed';
      const { body } = await fixture.put(object);
      expect(body.spec.storageClassName).toBe('changed');
      expect(body.status.phase).toBe('Pending');
    });

    it('leaves the spec alone when the status is written, and yet takes the metadata', async () => {
      const object = await fixture.createVolume();
      object.status = { phase: 'Available', message: 'm' };
      object.spec.storageClassName = 'changed';
      object.metadata.annotations = { a: 'b' };
      const { body } = await fixture.put(object, '/status');
      expect(body.status).toMatchObject({ phase: 'Available', message: 'm' });
      expect(body.spec).not.toHaveProperty('storageClassName');
      expect(body.metadata.annotations).toEqual({ a: 'b' });
    });

    it('takes a whole status of a claim', async () => {
      const object = await fixture.createClaim();
      object.status = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2048Mi' } };
      const { body } = await fixture.put(object, '/status');
      expect(body.status).toEqual({ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } });
    });

    it('notes when the phase of a volume changed, and only then', async () => {
      const object = await fixture.createVolume();
      const created = object.status.lastPhaseTransitionTime;
      await sleep(1100);
      object.status = { phase: 'Available' };
      const available = (await fixture.put(object, '/status')).body;
      expect(Date.parse(available.status.lastPhaseTransitionTime)).toBeGreaterThan(Date.parse(created));
      await sleep(1100);
      available.status.message = 'the same phase';
      const later = (await fixture.put(available, '/status')).body;
      expect(later.status.lastPhaseTransitionTime).toBe(available.status.lastPhaseTransitionTime);
    });

    it('keeps the creation time', async () => {
      const object = await fixture.createVolume();
      const metadata = { ...object.metadata, creationTimestamp: '2001-01-01T00:00:00Z', labels: { a: 'b' } };
      const { body } = await fixture.put({ ...object, metadata });
      expect(body.metadata.creationTimestamp).toBe(object.metadata.creationTimestamp);
    });

    it('lets nobody set the deletion time', async () => {
      const object = await fixture.createVolume();
      object.metadata.deletionTimestamp = '2001-01-01T00:00:00Z';
      await expectImmutable(object, 'metadata.deletionTimestamp');
    });

    it('sets and removes the claimRef of a volume', async () => {
      const object = await fixture.createVolume({ claimRef: { namespace: 'a', name: 'b', uid: 'c' } });
      expect(object.spec.claimRef).toEqual({ namespace: 'a', name: 'b', uid: 'c' });
      delete object.spec.claimRef;
      expect((await fixture.put(object)).body.spec).not.toHaveProperty('claimRef');
    });

    it('never changes the source or the mode of a volume', async () => {
      const object = await fixture.createVolume();
      await expectImmutable(
        { ...object, spec: { ...object.spec, hostPath: { path: '/tmp/other' } } },
        'spec.persistentvolumesource',
      );
      await expectImmutable({ ...object, spec: { ...object.spec, volumeMode: 'Block' } }, 'volumeMode');
    });

    it('takes the source of a volume without its defaults for the same source', async () => {
      const object = await fixture.createVolume();
      object.spec.hostPath = { path: object.spec.hostPath.path };
      expect((await fixture.put(object)).body.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    });

    it('sets the volumeName of a claim once', async () => {
      const object = await fixture.createClaim();
      object.spec.volumeName = 'first';
      const { status, body } = await fixture.put(object);
      expect(status).toBe(200);
      body.spec.volumeName = 'second';
      await expectImmutable(body, 'spec');
      delete body.spec.volumeName;
      await expectImmutable(body, 'spec');
    });

    it('sets the class of a claim that never had one, once', async () => {
      const object = await fixture.createClaim();
      object.spec.storageClassName = 'first';
      const { status, body } = await fixture.put(object);
      expect(status).toBe(200);
      body.spec.storageClassName = 'second';
      await expectImmutable(body, 'spec');
    });

    it('does not give a claim a class that has said that it wants none', async () => {
      const object = await fixture.createClaim({ storageClassName: '' });
      object.spec.storageClassName = 'first';
      await expectImmutable(object, 'spec');
    });

    it('lets the class of a claim move from the annotation to the field, and the annotation change in no other way', async () => {
      const key = 'volume.beta.kubernetes.io/storage-class';
      const object = await fixture.createClaim({}, { annotations: { [key]: 'old' } });
      await expectImmutable(
        { ...object, metadata: { ...object.metadata, annotations: { [key]: 'new' } } },
        `metadata.annotations.${key}`,
      );
      const { annotations: _, ...metadata } = object.metadata;
      const moved = { ...object, metadata, spec: { ...object.spec, storageClassName: 'old' } };
      expect((await fixture.put(moved)).status).toBe(200);
    });

    it.each([
      ['access modes', { accessModes: ['ReadWriteMany'] }],
      ['selector', { selector: { matchLabels: { a: 'b' } } }],
      ['request', { resources: { requests: { storage: '2Gi' } } }],
    ])('never changes the %s of a pending claim', async (_, spec) => {
      const object = await fixture.createClaim();
      await expectImmutable({ ...object, spec: { ...object.spec, ...spec } }, 'spec');
    });

    it('lets a bound claim ask for more only where its class allows that', async () => {
      for (const allowVolumeExpansion of [true, false]) {
        const { metadata } = await fixture.createClass({ allowVolumeExpansion });
        const object = await fixture.createClaim({ storageClassName: metadata.name });
        object.status = { phase: 'Bound' };
        const bound = (await fixture.put(object, '/status')).body;
        bound.spec.resources.requests.storage = '2Gi';
        expect((await fixture.put(bound)).status).toBe(allowVolumeExpansion ? 200 : 403);
      }
    });

    it('never changes what a class does', async () => {
      const object = await fixture.createClass();
      await expectImmutable({ ...object, provisioner: 'example.com/other' }, 'provisioner');
      await expectImmutable({ ...object, parameters: { a: 'b' } }, 'parameters');
      await expectImmutable({ ...object, reclaimPolicy: 'Retain' }, 'reclaimPolicy');
      await expectImmutable({ ...object, volumeBindingMode: 'WaitForFirstConsumer' }, 'volumeBindingMode');
      expect((await fixture.put({ ...object, allowVolumeExpansion: true })).status).toBe(200);
    });

    it('never changes the node of a pod', async () => {
      const object = await fixture.createPod();
      await expectImmutable({ ...object, spec: { ...object.spec, nodeName: 'other' } }, 'spec');
    });

    it('merges a merge patch, and removes what is null in it', async () => {
      const object = await fixture.createVolume({}, { labels: { a: '1', b: '2' } });
      const patch = { metadata: { labels: { a: null, c: '3' } }, spec: { storageClassName: 'patched' } };
      const { status, body } = await fixture.client.patch(fixture.pathOf(object), patch);
      expect(status).toBe(200);
      expect(body.metadata.labels).toEqual({ b: '2', c: '3' });
      expect(body.spec).toMatchObject({ storageClassName: 'patched', hostPath: object.spec.hostPath });
    });

    it('takes a strategic merge patch, and patches of the status', async () => {
      const object = await fixture.createVolume();
      const path = fixture.pathOf(object);
      const first = await fixture.client.patch(path, { metadata: { labels: { a: 'b' } } }, 'strategic-merge-patch');
      expect(first.body.metadata.labels).toEqual({ a: 'b' });
      const second = await fixture.client.patch(`${path}/status`, { status: { phase: 'Available' } });
      expect(second.body.status.phase).toBe('Available');
    });

    it('refuses a patch with an old resourceVersion', async () => {
      const object = await fixture.createVolume();
      const patch = { metadata: { resourceVersion: '1', labels: { a: 'b' } } };
      expectFailure(await fixture.client.patch(fixture.pathOf(object), patch), 409, 'Conflict');
    });
  });
}
