import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, controlPlaneBinary, type Provisioner, startControlPlane } from './harness.ts';
import {
  claim,
  claimsPath,
  classesPath,
  create,
  eventually,
  storageClass,
  untilGone,
  untilPhase,
  volume,
  volumesPath,
} from './objects.ts';

const binary = await controlPlaneBinary();
// Where the machine has no Go there is nothing to test with; a pipeline must not pass by that.
const skipped = 'missing' in binary && process.env.CI !== 'true';
const startupMilliseconds = 60_000;

describe.skipIf(skipped)('a control plane with the built-in binder', () => {
  const provisionerName = 'external.example.com';
  let plane: ControlPlane;
  let provisioner: Provisioner;

  beforeAll(async () => {
    plane = await startControlPlane({ auth: [{ name: 'stranger' }] });
    await plane.startControllerManager({ binder: true, syncPeriod: '1s' });
    provisioner = await plane.startProvisioner({ name: provisionerName });
    await create(plane.client(), classesPath, storageClass('external', provisionerName));
  }, startupMilliseconds);

  afterAll(() => plane?.stop(), startupMilliseconds);

  /** Has a claim provisioned and bound; gives the volume's path. */
  async function provisioned(name: string): Promise<{ readonly path: string; readonly volumeName: string }> {
    await create(plane.client(), claimsPath, claim(name, { storageClassName: 'external' }));
    const { spec } = await untilPhase(plane.client(), `${claimsPath}/${name}`, 'Bound');
    const volumeName = spec.volumeName ?? '';
    await untilPhase(plane.client(), `${volumesPath}/${volumeName}`, 'Bound');
    return { path: `${volumesPath}/${volumeName}`, volumeName };
  }

  test('binds a static volume', async () => {
    await create(plane.client(), volumesPath, volume('static'));
    await create(plane.client(), claimsPath, claim('static'));

    const bound = await untilPhase(plane.client(), `${claimsPath}/static`, 'Bound');

    expect(bound.spec.volumeName).toBe('static');
    await untilPhase(plane.client(), `${volumesPath}/static`, 'Bound');
  });

  test('knows a declared identity and gives it no rights', async () => {
    const { status } = await plane.client('stranger').request('GET', volumesPath);

    expect(status).toBe(403);
    expect(() => plane.kubeconfig('nobody')).toThrow('no identity');
  });

  test('provisions a claim, and deletes the disk with it', async () => {
    const { path, volumeName } = await provisioned('dynamic');
    expect(await provisioner.disks()).toEqual([volumeName]);

    await plane.client().request('DELETE', `${claimsPath}/dynamic`);
    await untilGone(plane.client(), path);

    expect(await provisioner.disks()).toEqual([]);
    const calls = (await provisioner.calls()).filter((call) => call.volume === volumeName);
    // The library works from a cache: it may well delete twice.
    expect(new Set(calls.map((call) => call.operation))).toEqual(new Set(['provision', 'delete']));
  });

  test('keeps the disk and the Released volume while Delete fails', async () => {
    const { path, volumeName } = await provisioned('stuck');
    await provisioner.setFailDelete('the array is on fire');

    await plane.client().request('DELETE', `${claimsPath}/stuck`);
    await untilPhase(plane.client(), path, 'Released');
    const failed = await eventually('a failed delete', async () =>
      (await provisioner.calls()).find((call) => call.volume === volumeName && call.error !== undefined),
    );

    expect(failed).toMatchObject({ operation: 'delete', error: 'the array is on fire' });
    expect(await provisioner.disks()).toEqual([volumeName]);
    await provisioner.setFailDelete(false);
    await untilGone(plane.client(), path);
    expect(await provisioner.disks()).toEqual([]);
  });

  test('leaves a claim Pending while Provision fails', async () => {
    await provisioner.setFailProvision(true);
    await create(plane.client(), claimsPath, claim('unlucky', { storageClassName: 'external' }));
    await eventually('a failed provision', async () =>
      (await provisioner.calls()).find((call) => call.operation === 'provision' && call.error !== undefined),
    );

    const { body } = await plane.client().request('GET', `${claimsPath}/unlucky`);

    expect(body).toMatchObject({ status: { phase: 'Pending' } });
    await provisioner.setFailProvision(false);
    await untilPhase(plane.client(), `${claimsPath}/unlucky`, 'Bound');
  });

  test('comes back after an outage of the API server', { timeout: startupMilliseconds }, async () => {
    const before = plane.apiServer.pid;

    await plane.restartApiServer();

    expect(plane.apiServer.pid).not.toBe(before);
    await untilPhase(plane.client(), `${claimsPath}/static`, 'Bound');
  });
});

describe.skipIf(skipped)('a control plane that emulates 1.35 without VolumeAttributesClass', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane({ emulatedVersion: '1.35', featureGates: { VolumeAttributesClass: false } });
    await plane.startControllerManager({ binder: true, syncPeriod: '1s' });
  }, startupMilliseconds);

  afterAll(() => plane?.stop(), startupMilliseconds);

  test('drops the class of a claim and binds it', async () => {
    const csi = { driver: 'mock-driver', volumeHandle: 'gold' };
    const gold = { volumeAttributesClassName: 'gold' };
    await create(plane.client(), volumesPath, volume('gold', { ...gold, hostPath: undefined, csi }));
    await create(plane.client(), claimsPath, claim('gold', gold));

    const bound = await untilPhase(plane.client(), `${claimsPath}/gold`, 'Bound');

    expect(bound.spec.volumeName).toBe('gold');
    expect(bound.spec.volumeAttributesClassName).toBeUndefined();
    expect((await plane.client().request('GET', '/version')).body).toMatchObject({ emulationMinor: '35' });
  });
});
