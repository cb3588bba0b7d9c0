/** Assist mode beside another controller: what that one leaves half done is finished, and nothing else (DESIGN D9). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROVISIONED_BY } from '../../lib/controller/annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { keyOf } from '../../lib/queue/message.ts';
import { MODE_ANNOTATION } from '../../lib/worker/mode.ts';
import { resourceOf } from '../../local/api-server/resources.ts';
import { csi } from './objects.ts';
import { eventually, startWorld, type World } from './world.ts';

const GRACE_MS = 2_000;

let world: World;
let postponed: { key: string; seconds: number }[];
beforeEach(async () => {
  postponed = [];
  world = await startWorld({
    settings: { PV_MODE: 'assist', PV_GRACE_SECONDS: String(GRACE_MS / 1_000) },
    system: { hooks: { onPostponed: (key, seconds) => postponed.push({ key: keyOf(key), seconds }) } },
  });
});
afterEach(() => world.stop());

const phaseOf = async (name: string) => (await world.objects.volume(name)).status?.phase;

async function createHalf(name: string): Promise<{ claim: PersistentVolumeClaim; volume: PersistentVolume }> {
  const claim = await world.objects.createClaim(name);
  const { namespace, uid = '' } = claim.metadata;
  const claimRef = { kind: 'PersistentVolumeClaim', namespace, name, uid };
  return { claim, volume: await world.objects.createVolume(`pv-of-${name}`, { claimRef }) };
}

describe('assist', () => {
  test('finishes a bind of which only the volume’s half was written, when the grace time is over', async () => {
    const begin = Date.now();
    await createHalf('data');
    await eventually('bound', async () => (await world.objects.claim('data')).status?.phase === 'Bound');
    expect(Date.now() - begin).toBeGreaterThanOrEqual(GRACE_MS);
    expect((await world.objects.claim('data')).spec.volumeName).toBe('pv-of-data');
    expect(await phaseOf('pv-of-data')).toBe('Bound');
    expect(postponed.length).toBeGreaterThan(0);
    for (const { seconds } of postponed) expect(seconds).toBeLessThanOrEqual(GRACE_MS / 1_000);
    expect(world.failed).toEqual([]);
  });

  test('leaves to the other controller what that one does in time', async () => {
    await world.objects.createVolume('quick');
    await eventually('looked at', () => postponed.some(({ key }) => key === 'PersistentVolume/quick'));
    const { writes } = world.server.requests;
    // Past HTTP, so that it counts as no request.
    const resource = resourceOf('persistentvolumes');
    const quick = world.server.store.get('persistentvolumes', { name: 'quick' });
    const available = { ...quick, status: { phase: 'Available' } };
    world.server.operations.update({ resource, name: 'quick' }, available, { subresource: 'status' });
    await eventually('looked at again', () => world.done.some(({ key }) => key === 'PersistentVolume/quick'));
    await world.system.settled();
    expect(world.server.requests.writes).toBe(writes);
    expect(await phaseOf('quick')).toBe('Available');
  });

  test('releases a volume whose claim is gone, and picks none that a provisioner would delete', async () => {
    const gone = { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'gone', uid: 'gone' };
    const doomed = { persistentVolumeReclaimPolicy: 'Delete', annotations: { [PROVISIONED_BY]: 'ebs.csi.aws.com' } };
    await world.objects.createVolume('orphan', { ...csi('a'), ...doomed, claimRef: gone });
    await world.objects.createVolume('free', { ...csi('b'), ...doomed });
    await world.objects.createClaim('waits', { volumeName: 'free' });
    await eventually('released', async () => (await phaseOf('orphan')) === 'Released');
    await eventually('told', () => world.done.some(({ key }) => key === 'PersistentVolume/free'));
    expect(await phaseOf('free')).toBe('Pending');
    expect((await world.objects.volume('free')).spec.claimRef).toBeUndefined();
  });

  test('leaves alone what an annotation says is to be observed', async () => {
    await world.objects.createVolume('mine', { annotations: { [MODE_ANNOTATION]: 'observe' } });
    await world.objects.createVolume('yours');
    await eventually('available', async () => (await phaseOf('yours')) === 'Available');
    expect(await phaseOf('mine')).toBe('Pending');
    expect(postponed.map(({ key }) => key)).not.toContain('PersistentVolume/mine');
  });
});
