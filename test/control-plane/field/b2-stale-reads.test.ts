/** B2: decisions on old pictures of the cluster, which delete data. */
import { expect } from 'vitest';
import type { RequestInfo } from '../../../lib/cluster/request.ts';
import { PROVISIONED_BY } from '../../../lib/controller/annotations.ts';
import { allFunctions } from '../identities.ts';
import { auditFiles } from './audit.ts';
import { describeField } from './describe-field.ts';
import { boundTo, claimRefTo, refTo } from './states.ts';
import { mismatch, noVolume } from './told.ts';

const audit = auditFiles();

const options = {
  plane: { apiServerArgs: audit.args },
  controller: { identity: allFunctions },
};

describeField('B2: stale reads and wrong reclaim', options, (scenario) => {
  const deleted = { persistentVolumeReclaimPolicy: 'Delete' };

  scenario('B2/19 a Bound volume with policy Delete is left alone whatever event comes', async (stage) => {
    const { place, controller } = stage;
    await place.createVolume('used', { spec: deleted });
    const user = await place.createClaim('x');
    await place.untilBound('used', 'x');

    for (let i = 0; i < 5; i++) {
      await place.patchVolume('used', { metadata: { labels: { touched: `${i}` } } });
      await place.patchClaim('x', { metadata: { labels: { touched: `${i}` } } });
    }
    expect(await controller.fullResyncWrites()).toEqual([]);

    expect(await place.volumeState('used')).toEqual({ phase: 'Bound', ref: refTo(user), bbc: true });
    expect(await place.claimState('x')).toEqual(boundTo('used', { bbc: true }));
    expect(await place.phasesOf('used')).toEqual(['Pending', 'Available', 'Bound']);
  });

  scenario(
    'B2/20 a volume that is bound beforehand to a recreated claim by its new uid is never Released',
    async (stage) => {
      const { place, controller } = stage;
      for (let i = 0; i < 10; i++) {
        const [volumeName, claimName] = [`prebound-${i}`, `x-${i}`];
        await place.createClaim(claimName);
        await place.deleteClaim(claimName);
        await place.untilGone(place.claimPath(claimName));
        const recreated = await place.createClaim(claimName);
        await place.createVolume(volumeName, { spec: { ...deleted, claimRef: claimRefTo(recreated) } });

        await place.untilBound(volumeName, claimName);
        expect(await place.volumeState(volumeName)).toEqual({ phase: 'Bound', ref: refTo(recreated) });
        expect(await place.claimState(claimName)).toEqual(boundTo(volumeName, { bbc: true }));
      }
      await controller.settled();
      for (let i = 0; i < 10; i++) expect(await place.phasesOf(`prebound-${i}`)).toEqual(['Pending', 'Bound']);
    },
  );

  scenario('B2/22 a volume newer than what the controller knows is bound, not released', async (stage) => {
    const { place, controller } = stage;
    const numbers = Array.from({ length: 20 }, (_, i) => i);
    await Promise.all(
      numbers.map(async (i) => {
        // As a provisioner does: the claim is a moment old, and the volume is for it alone.
        const young = await place.createClaim(`x-${i}`, { spec: { storageClassName: 'none' } });
        const spec = { ...deleted, storageClassName: 'none', claimRef: claimRefTo(young) };
        const made = await place.createVolume(`made-${i}`, {
          annotations: { [PROVISIONED_BY]: 'external.example.com' },
          spec: { ...spec, hostPath: undefined, csi: { driver: 'external.example.com', volumeHandle: `${i}` } },
        });
        expect(made.status?.phase).toBe('Pending');
        await place.untilBound(`made-${i}`, `x-${i}`);
        expect(await place.volumeState(`made-${i}`)).toEqual({ phase: 'Bound', ref: refTo(young) });
        expect(await place.claimState(`x-${i}`)).toEqual(boundTo(`made-${i}`, { bbc: true }));
      }),
    );
    await controller.settled();
    for (const i of numbers) expect(await place.phasesOf(`made-${i}`)).toEqual(['Pending', 'Bound']);
  });

  scenario('B2/24 a volume that is being deleted is not matched', async ({ place, controller }) => {
    await place.createVolume('leaving', { finalizers: ['example.com/hold'] });
    await place.createVolume('promised', {
      finalizers: ['example.com/hold'],
      spec: { claimRef: { namespace: place.namespace, name: 'heir' } },
    });
    await Promise.all(['leaving', 'promised'].map((name) => place.untilVolume(name, 'Available')));
    await place.deleteVolume('leaving');
    await place.deleteVolume('promised');
    expect((await place.volume('leaving')).metadata.deletionTimestamp).toBeDefined();

    const any = await place.createClaim('any');
    const heir = await place.createClaim('heir');
    const named = await place.createClaim('named', { spec: { volumeName: 'leaving' } });

    await place.untilTold(any, noVolume);
    await place.untilTold(heir, noVolume);
    await place.untilTold(named, mismatch('leaving', 'the volume is marked for deletion "leaving"'));
    await controller.settled();
    expect(await place.volumeState('leaving')).toEqual({ phase: 'Available' });
    expect(await place.volumeState('promised')).toEqual({ phase: 'Available', ref: `${place.namespace}/heir` });
    for (const name of ['any', 'heir']) expect(await place.claimState(name)).toEqual({ phase: 'Pending' });
    expect(await place.claimState('named')).toEqual({ phase: 'Pending', vol: 'leaving' });
  });

  scenario('B2/25 a Released volume and a claim that took its name cost no write', async ({ place, controller }) => {
    await place.createVolume('kept');
    const old = await place.createClaim('x');
    await place.untilBound('kept', 'x');
    await place.release('x', 'kept');
    await place.createClaim('x');
    await controller.settled();

    const before = controller.requests.length;
    for (let i = 0; i < 3; i++) expect(await controller.fullResyncWrites()).toEqual([]);

    const cost = controller.requests.slice(before);
    expect(cost.filter(isWrite)).toEqual([]);
    if (controller.kind === 'ours') {
      expect(getsOf(cost, 'kept')).toBe(3);
      // For the volume and for itself.
      expect(getsOf(cost, 'x')).toBe(6);
    }
    expect(await place.volumeState('kept')).toEqual({ phase: 'Released', ref: refTo(old), bbc: true });
    expect(await place.claimState('x')).toEqual({ phase: 'Pending' });
  });

  scenario(
    'B2/27 after an outage of the API server nothing is taken for released',
    async ({ plane, place, controller }) => {
      await place.createVolume('alive', { spec: deleted });
      const user = await place.createClaim('x');
      await place.untilBound('alive', 'x');

      const before = await place.volume('alive');

      await plane.restartApiServer();
      await place.patchVolume('alive', { metadata: { labels: { touched: 'yes' } } });

      await controller.settled();
      expect(await place.volumeState('alive')).toEqual({ phase: 'Bound', ref: refTo(user), bbc: true });
      expect(await place.claimState('x')).toEqual(boundTo('alive', { bbc: true }));
      // Of an excursion to another phase and back this would tell too.
      const { status } = await place.volume('alive');
      expect(status?.lastPhaseTransitionTime).toBe(before.status?.lastPhaseTransitionTime);
    },
  );

  scenario(
    'B2/27 a volume is deleted with its uid and version as preconditions, after quorum reads',
    async ({ place, controller }) => {
      const doomed = await place.createVolume('doomed', { spec: deleted });
      await place.createClaim('x');
      await place.untilBound('doomed', 'x');
      await place.deleteClaim('x');
      await place.untilGone(place.volumePath('doomed'));
      await controller.settled();

      const ours = (await audit.entries()).filter(({ user }) => user.username === allFunctions);
      const [deletion] = ours.filter(({ verb, objectRef }) => verb === 'delete' && objectRef?.name === 'doomed');
      expect(deletion?.requestObject?.preconditions).toEqual({
        uid: doomed.metadata.uid,
        resourceVersion: expect.stringMatching(/^[0-9]+$/),
      });
      const reads = ours.filter(({ verb }) => verb === 'get');
      expect(reads.length).toBeGreaterThan(0);
      expect(reads.filter(({ requestURI }) => requestURI.includes('resourceVersion'))).toEqual([]);
    },
    { notBuiltIn: 'it decides from its cache and deletes without preconditions' },
  );
});

function isWrite({ method, resource }: RequestInfo): boolean {
  return method !== 'GET' && resource !== 'events';
}

function getsOf(requests: readonly RequestInfo[], wanted: string): number {
  return requests.filter(({ method, name }) => method === 'GET' && name === wanted).length;
}
