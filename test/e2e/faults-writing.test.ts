/** Failures of the API server or of a proxy at any step of a bind, a release and a delete: it is done in the end. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FAULTS, type Failing, type FaultyWorld, startFaultyWorld } from './faults.ts';
import { boundPair } from './objects.ts';
import { eventually } from './world.ts';

let world: FaultyWorld;
let count = 0;

beforeAll(async () => {
  world = await startFaultyWorld({ settings: { PV_POOL_MAX_AGE_MS: '0' } });
});
afterAll(() => world.stop());

/** A class of its own for each pair, so that a claim has one volume to choose. */
async function createPair(name: string): Promise<void> {
  await world.objects.createVolume(name, { storageClassName: name, persistentVolumeReclaimPolicy: 'Delete' });
  await world.objects.createClaim(name, { storageClassName: name });
}

const untilBound = (name: string) =>
  eventually(`${name} bound`, async () => (await world.objects.pair(name, name)) === boundPair(name, name));

/** Names of pairs, one for each step. */
const namesFor = (steps: readonly string[]) => steps.map((step) => ({ step, name: `pair-${++count}` }));
const failuresOf = (key: string) => world.failed.filter((failed) => failed.key === key);

describe.concurrent.each(Object.entries(FAULTS))('%s', (_, fault) => {
  test('at any step of a bind: the claim is bound in the end, and no phase is ever wrong', async () => {
    const pairs = namesFor([
      'get persistentvolumeclaims',
      'get persistentvolumes',
      'update persistentvolumes',
      'update persistentvolumes/status',
      'update persistentvolumeclaims',
      'update persistentvolumeclaims/status',
    ]);
    const failing = pairs.map(({ step, name }) => world.fail(fault, step, name, 2));
    for (const { name } of pairs) await createPair(name);
    for (const [index, { step, name }] of pairs.entries()) {
      await untilBound(name);
      expect(['Pending,Available,Bound', 'Pending,Bound']).toContain(world.phases.get(name)?.join());
      // A write whose answer was lost is not done again.
      const isLost = step.startsWith('update') && (fault === 'cut-after' || fault === 'cut-mid');
      expect(failing[index]?.hits.length).toBeGreaterThanOrEqual(isLost ? 1 : 2);
    }
  });

  test('at any step of a release and a delete: the volume is Released once, deleted, and never Failed', async () => {
    const pairs = namesFor([
      'get persistentvolumeclaims',
      'get persistentvolumes',
      'update persistentvolumes/status',
      'delete persistentvolumes',
    ]);
    for (const { name } of pairs) await createPair(name);
    for (const { name } of pairs) await untilBound(name);
    const failing: Failing[] = [];
    for (const { step, name } of pairs) {
      failing.push(world.fail(fault, step, name, 2));
      await world.objects.deleteClaim(name);
    }
    for (const [index, { name }] of pairs.entries()) {
      await eventually(`${name} deleted`, () => world.phases.get(name)?.at(-1) === 'deleted');
      expect(world.phases.get(name)?.slice(-3)).toEqual(['Bound', 'Released', 'deleted']);
      expect(failing[index]?.hits.length).toBeGreaterThan(0);
    }
  });
});

const LIST_FAULTS = [
  'a 404 page of a proxy',
  'a 200 page of a proxy',
  '403 Forbidden',
  '500 with a Status',
  'a connection cut in the middle of the answer',
];

describe.each(LIST_FAULTS)('%s in place of the list of volumes', (what) => {
  test('makes a claim wait, and is no reason to say that no volume fits', async () => {
    const name = `pair-${++count}`;
    await world.objects.createVolume(name, { storageClassName: name });
    await world.system.settled();
    const failing = world.fail(FAULTS[what] ?? 'cut', 'list persistentvolumes');
    onTestFinished(failing.heal);
    await world.objects.createClaim(name, { storageClassName: name });
    await eventually('failures', () => failuresOf(`PersistentVolumeClaim/default/${name}`).length >= 2);
    expect(world.phases.get(name)).toEqual(['Pending', 'Available']);
    failing.heal();
    await world.system.settled();

    expect(await world.objects.pair(name, name)).toBe(boundPair(name, name));
  });
});

test('a server that asks to wait is not asked again before', async () => {
  const name = `pair-${++count}`;
  const failing = world.fail(FAULTS['429 with Retry-After'] ?? 'cut', 'update persistentvolumes', name, 2);
  await createPair(name);
  await world.system.settled();

  expect((failing.hits[1] ?? 0) - (failing.hits[0] ?? 0)).toBeGreaterThan(950);
  expect(failuresOf(`PersistentVolumeClaim/default/${name}`).length).toBe(2);
  expect(await world.objects.pair(name, name)).toBe(boundPair(name, name));
});

test('when all is over no volume was ever Failed, lost its claim or was released twice', async () => {
  await world.system.settled();

  for (const phases of world.phases.values()) {
    expect(phases.join()).toMatch(/^Pending,(Available,)?Bound(,Released,deleted)?$/);
  }
});
