/** A controller that comes to a cluster where everything is bound. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControllerUnderTest, skipReason, startControllerUnderTest } from '../controller-under-test.ts';
import { type ControlPlane, startControlPlane } from '../harness.ts';
import { volumesPath } from '../objects.ts';
import { claim, volume } from './objects.ts';
import { objectCount, sayTime } from './scenario.ts';
import { World } from './world.ts';

const syncPeriodMs = 2_000;

describe.skipIf(skipReason !== undefined)('a controller that starts late', () => {
  let plane: ControlPlane;
  let world: World;
  let controller: ControllerUnderTest | undefined;

  beforeAll(async () => {
    plane = await startControlPlane();
    world = await World.open(plane, 'controller-startup');
  });

  afterAll(async () => {
    try {
      await controller?.stop();
      await world?.close();
    } finally {
      await plane?.stop();
    }
  });

  test('ControllerStartup: 100 pairs that are Bound already never are anything else', async () => {
    for (let i = 0; i < objectCount; i++) await createPair(i);
    const [seenVolumes, seenClaims] = [world.volumes.events.length, world.claims.events.length];

    const started = performance.now();
    controller = await startControllerUnderTest(plane, { syncPeriodMs });
    await sleep(2 * syncPeriodMs);
    await controller.settled();
    sayTime('ControllerStartup', world.lastEventAt - started);

    const late = [...world.volumes.events.slice(seenVolumes), ...world.claims.events.slice(seenClaims)];
    expect(late.filter(({ type, object }) => type !== 'MODIFIED' || object.status.phase !== 'Bound')).toEqual([]);
    const [volumes, claims] = [await world.listVolumes(), await world.listClaims()];
    const expected = Array.from({ length: objectCount }, (_, i) => [`pvc-startup-${i}`, `pv-startup-${i}`]).sort();
    expect(claims.map(({ metadata, spec }) => [metadata.name, spec.volumeName]).sort()).toEqual(expected);
    expect(volumes.map(({ metadata, spec }) => [spec.claimRef?.name, metadata.name]).sort()).toEqual(expected);
    expect(new Set([...volumes, ...claims].map(({ status }) => status.phase))).toEqual(new Set(['Bound']));
    expect(await controller.fullResyncWrites()).toEqual([]);
  });

  async function createPair(i: number): Promise<void> {
    const asked = claim(`pvc-startup-${i}`, '1G', { volumeName: `pv-startup-${i}` });
    // The key is upstream's own: not the real annotation, so the controller has a first binding to complete.
    const { metadata } = await world.createClaim({
      ...asked,
      metadata: { name: `pvc-startup-${i}`, annotations: { annBindCompleted: '' } },
    });
    await setBound(`${world.claimsPath}/${metadata.name}`);
    const { name, namespace, uid, resourceVersion } = metadata;
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion };
    await world.createVolume(volume(`pv-startup-${i}`, '1G', { spec: { claimRef } }));
    await setBound(`${volumesPath}/pv-startup-${i}`);
  }

  async function setBound(path: string): Promise<void> {
    const { status } = await world.client.request('PATCH', `${path}/status`, { status: { phase: 'Bound' } });
    expect(status).toBe(200);
  }
});
