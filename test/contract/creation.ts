import { describe, expect, it } from 'vitest';
import { claim, classesPath, type Fixture, pod, storageClass, volume, volumesPath } from './fixture.ts';

const defaultClass = { 'storageclass.kubernetes.io/is-default-class': 'true' };
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const seconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** What the server makes of a new object. */
export function creationContract(fixture: Fixture): void {
  describe('creation', () => {
    it('starts a volume as Pending, whatever status the client sends', async () => {
      const name = fixture.name('pv');
      const created = await fixture.create(volumesPath, { ...volume(name), status: { phase: 'Bound', reason: 'x' } });
      expect(created.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: expect.stringMatching(seconds) });
    });

    it('starts a claim as Pending, whatever status the client sends', async () => {
      const status = { phase: 'Bound', capacity: { storage: '1Gi' } };
      const created = await fixture.create(fixture.claimsPath, { ...claim(fixture.name('claim')), status });
      expect(created.status).toEqual({ phase: 'Pending' });
    });

    it('starts a pod as Pending', async () => {
      const created = await fixture.create(fixture.path('pods'), {
        ...pod(fixture.name('pod')),
        status: { phase: 'Running' },
      });
      expect(created.status.phase).toBe('Pending');
    });

    it('keeps the data of a volume by default, and gives it a file system', async () => {
      const { spec } = await fixture.createVolume();
      expect(spec).toEqual({
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
        hostPath: { path: '/tmp/contract', type: '' },
      });
    });

    it('gives a claim a file system by default, and no class where there is no default class', async () => {
      const { spec } = await fixture.createClaim();
      expect(spec).toEqual({
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeMode: 'Filesystem',
      });
    });

    it('makes a class delete volumes and bind at once by default', async () => {
      const created = await fixture.createClass();
      expect(created).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
      expect(created.status).toBeUndefined();
    });

    it('gives a new claim that names no class the default class, and no other claim', async () => {
      const { metadata } = await fixture.createClass({}, defaultClass);
      const silent = await fixture.createClaim();
      const classless = await fixture.createClaim({ storageClassName: '' });
      const own = await fixture.createClaim({ storageClassName: 'own' });
      const beta = await fixture.createClaim({}, { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } });
      await fixture.client.delete(`${classesPath}/${metadata.name}`);
      expect(silent.spec.storageClassName).toBe(metadata.name);
      expect(classless.spec.storageClassName).toBe('');
      expect(own.spec.storageClassName).toBe('own');
      expect(beta.spec.storageClassName).toBeUndefined();
    });

    it.each([
      ['1024Mi', '1Gi'],
      ['0.5Gi', '512Mi'],
      ['1.5Gi', '1536Mi'],
      ['1000m', '1'],
      ['1500', '1500'],
      ['2000', '2k'],
      ['1e3', '1e3'],
      ['5000000000', '5G'],
      ['1000Gi', '1000Gi'],
      ['0.5', '500m'],
      ['.5Gi', '512Mi'],
    ])('gives the quantity %s back as %s', async (given, shown) => {
      const created = await fixture.createVolume({ capacity: { storage: given } });
      expect(created.spec.capacity.storage).toBe(shown);
    });

    it('sets identity and times itself', async () => {
      const { metadata } = await fixture.createVolume(
        {},
        { uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', deletionTimestamp: '2001-01-01T00:00:00Z' },
      );
      expect(metadata.uid).toMatch(uuid);
      expect(metadata.creationTimestamp).toMatch(seconds);
      expect(Date.parse(metadata.creationTimestamp)).toBeGreaterThan(Date.parse('2020-01-01T00:00:00Z'));
      expect(metadata.deletionTimestamp).toBeUndefined();
      expect(metadata.generation).toBeUndefined();
      expect(metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
    });

    it('takes kind and version from the path where the body has none', async () => {
      const { apiVersion: _, kind: __, ...bare } = storageClass(fixture.name('class'));
      expect(await fixture.create(classesPath, bare)).toMatchObject({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
      });
    });

    it('drops the namespace of an object that can have none', async () => {
      const created = await fixture.createVolume({}, { namespace: 'default' });
      expect(created.metadata.namespace).toBeUndefined();
    });

    it('sets the namespace of an object that has to have one', async () => {
      const created = await fixture.createClaim();
      expect(created.metadata.namespace).toBe(fixture.namespace);
    });

    it('drops fields that are null or empty', async () => {
      const created = await fixture.createVolume(
        { claimRef: null, storageClassName: '', mountOptions: [] },
        { labels: {}, annotations: {}, finalizers: [] },
      );
      expect(created.spec).not.toHaveProperty('claimRef');
      expect(created.spec).not.toHaveProperty('storageClassName');
      expect(created.spec).not.toHaveProperty('mountOptions');
      expect(created.metadata).not.toHaveProperty('labels');
      expect(created.metadata).not.toHaveProperty('annotations');
      expect(created.metadata).not.toHaveProperty('finalizers');
    });

    it('makes up a name from generateName', async () => {
      const stem = `${fixture.namespace}-`;
      const body = volume('', {}, { name: undefined, generateName: stem });
      const [one, two] = [await fixture.create(volumesPath, body), await fixture.create(volumesPath, body)];
      expect(one.metadata.generateName).toBe(stem);
      expect(one.metadata.name).toMatch(/-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(one.metadata.name).not.toBe(two.metadata.name);
    });

    it('stores nothing of a dry run', async () => {
      const name = fixture.name('pv');
      const { status, body } = await fixture.client.post(`${volumesPath}?dryRun=All`, volume(name));
      expect(status).toBe(201);
      expect(body.status.phase).toBe('Pending');
      expect((await fixture.client.get(`${volumesPath}/${name}`)).status).toBe(404);
    });

    it('keeps events about volumes in the namespace default', async () => {
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: fixture.name('event'), namespace: 'default' },
        involvedObject: { kind: 'PersistentVolume', apiVersion: 'v1', name: 'any', uid: 'any' },
        reason: 'Contract',
        message: 'a message',
        type: 'Normal',
        source: { component: 'contract' },
        count: 1,
      };
      const created = await fixture.create('/api/v1/namespaces/default/events', event);
      expect(created).toMatchObject({ involvedObject: event.involvedObject, count: 1, source: event.source });
      const elsewhere = { ...event, metadata: { name: event.metadata.name } };
      expect((await fixture.client.post(fixture.path('events'), elsewhere)).status).toBe(422);
    });
  });
}
