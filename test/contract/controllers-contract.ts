import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiServerUnderTest, type Body, Client } from './client.ts';
import { claim, Fixture, pod, volume, volumesPath } from './fixture.ts';

const volumeFinalizer = 'kubernetes.io/pv-protection';
const claimFinalizer = 'kubernetes.io/pvc-protection';
/** The namespace controller takes its time before it looks again. */
const patience = { timeout: 45_000, interval: 50 };

/**
 * Declares the tests of what the built-in controllers for protection and namespaces do. The server has to run them, and
 * has to add the protection finalizers itself.
 */
export function controllersContract(name: string, connect: () => Promise<ApiServerUnderTest>): void {
  describe(name, () => {
    const fixture = new Fixture();
    const usingPod = (claimName: string, fields: Body = {}) =>
      pod(fixture.name('pod'), { ...fields, volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });
    const create = async (collection: string, object: Body) => (await fixture.client.post(collection, object)).body;
    const untilGone = (path: string) =>
      vi.waitFor(async () => expect((await fixture.client.get(path)).status).toBe(404), patience);
    const remove = async (object: Body) => {
      await fixture.client.delete(fixture.pathOf(object), { gracePeriodSeconds: 0 });
      await untilGone(fixture.pathOf(object));
    };

    /** Expects the object to stay where it is marked, long enough for a controller to have looked at it. */
    async function expectHeld(object: Body): Promise<void> {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const { metadata } = await fixture.read(object);
      expect(metadata.deletionTimestamp).toBeDefined();
      expect(metadata.finalizers).toHaveLength(1);
    }

    beforeAll(async () => {
      fixture.client = new Client(await connect());
    });

    afterAll(() => fixture.client.server.stop());

    it('adds the protection finalizers when it creates', async () => {
      const created = await create(volumesPath, volume(fixture.name('pv'), {}, { finalizers: ['example.com/own'] }));
      expect(created.metadata.finalizers).toEqual(['example.com/own', volumeFinalizer]);
      const createdClaim = await create(fixture.claimsPath, claim(fixture.name('claim')));
      expect(createdClaim.metadata.finalizers).toEqual([claimFinalizer]);
    });

    it('gives a volume its finalizer back', async () => {
      const created = await create(volumesPath, volume(fixture.name('pv')));
      await fixture.client.patch(fixture.pathOf(created), { metadata: { finalizers: null } });
      const finalizers = async () => (await fixture.read(created)).metadata.finalizers;
      await vi.waitFor(async () => expect(await finalizers()).toEqual([volumeFinalizer]), patience);
      await remove(created);
    });

    it.each(['Pending', 'Available', 'Released', 'Failed'])('lets a volume go that is %s', async (phase) => {
      const created = await create(volumesPath, volume(fixture.name('pv')));
      created.status.phase = phase;
      await fixture.put(created, '/status');
      await remove(created);
    });

    it('keeps a Bound volume until it is not bound any more', async () => {
      const created = await create(volumesPath, volume(fixture.name('pv')));
      await fixture.client.patch(`${fixture.pathOf(created)}/status`, { status: { phase: 'Bound' } });
      await fixture.client.delete(fixture.pathOf(created));
      await expectHeld(created);
      await fixture.client.patch(`${fixture.pathOf(created)}/status`, { status: { phase: 'Released' } });
      await untilGone(fixture.pathOf(created));
    });

    it('lets a claim go that no pod uses', async () => {
      await remove(await create(fixture.claimsPath, claim(fixture.name('claim'))));
    });

    it('lets a claim go that only pods without a node use', async () => {
      const created = await create(fixture.claimsPath, claim(fixture.name('claim')));
      await create(fixture.path('pods'), usingPod(created.metadata.name));
      await remove(created);
    });

    it('keeps a claim while a pod on a node uses it, even one that has ended', async () => {
      const created = await create(fixture.claimsPath, claim(fixture.name('claim')));
      const user = await create(fixture.path('pods'), usingPod(created.metadata.name, { nodeName: 'nowhere' }));
      await fixture.client.delete(fixture.pathOf(created));
      await expectHeld(created);
      await fixture.client.patch(`${fixture.pathOf(user)}/status`, { status: { phase: 'Succeeded' } });
      await expectHeld(created);
      await fixture.client.delete(fixture.pathOf(user), { gracePeriodSeconds: 0 });
      await untilGone(fixture.pathOf(created));
    });

    it('empties a namespace that is deleted, and removes it then', async () => {
      const space = fixture.name('space');
      const path = `/api/v1/namespaces/${space}`;
      await create('/api/v1/namespaces', { metadata: { name: space } });
      await create(`${path}/persistentvolumeclaims`, claim('held', {}, { finalizers: ['example.com/hold'] }));
      await create(`${path}/persistentvolumeclaims`, claim('free'));
      await create(`${path}/pods`, pod('any'));

      const deleted = (await fixture.client.delete(path)).body;
      expect(deleted.status.phase).toBe('Terminating');
      await untilGone(`${path}/pods/any`);
      await untilGone(`${path}/persistentvolumeclaims/free`);
      const refused = await fixture.client.post(`${path}/persistentvolumeclaims`, claim('late'));
      expect(refused.body).toMatchObject({ reason: 'Forbidden', code: 403 });
      expect(refused.body.details.causes[0].reason).toBe('NamespaceTerminating');
      expect((await fixture.client.get(path)).status).toBe(200);

      await fixture.client.patch(`${path}/persistentvolumeclaims/held`, { metadata: { finalizers: null } });
      await untilGone(path);
    }, 120_000);
  });
}
