/** Static volumes and claims: made, bound, released; and bound once more with all claims there before anybody looks. */
import { claimDraft, volumeDraft } from '../driver/drafts.ts';
import { driverLanes } from '../driver/driver.ts';
import { inLanes } from '../driver/lanes.ts';
import type { Course } from '../meters/meter.ts';
import { bindAll, courseOf, deleteClaim, nameOf, prepareVolumes, type Stage } from './stage.ts';

/** N volumes created → all Available; N claims created → all Bound; N claims deleted → all volumes Released. */
export async function life(stage: Stage): Promise<void> {
  const { objects, contender } = stage;
  if (contender.offer === undefined) await stage.measure('available', objects, () => makeAvailable(stage));
  const volumes = contender.offer === undefined ? [] : await prepareVolumes(stage, volumeDraft);
  await stage.measure('bind', objects, () => bindAll(stage, claimDraft, { volumes }));
  if (contender.offer !== undefined) return;
  const chosen = await volumesOfClaims(stage);
  await stage.measure('release', objects, () => releaseAll(stage, chosen));
}

/**
 * The same binds without the driver beside them: the contender is held while the claims are made, and the clock starts
 * when it is let go. Only this can be compared with bare writes.
 */
export async function backlog(stage: Stage): Promise<void> {
  const { objects, contender, driver } = stage;
  const volumes = await prepareVolumes(stage, volumeDraft);
  // Counters are asked for before a contender is held, which could not answer.
  await stage.measure('backlog', objects, async () => {
    const bound = volumes.map(({ metadata }) => driver.observer.when('PersistentVolumeClaim', metadata.name, 'Bound'));
    contender.pause();
    await inLanes(objects, driverLanes, async (index) => {
      const claim = await driver.cluster.create('PersistentVolumeClaim', claimDraft(nameOf(stage, index)));
      const volume = volumes[index];
      if (volume !== undefined) contender.offer?.(volume, claim);
    });
    const startedAt = performance.now();
    contender.resume();
    return courseOf(startedAt, [], await driver.observer.all(bound));
  });
}

async function makeAvailable(stage: Stage): Promise<Course> {
  const { driver, objects } = stage;
  const began: number[] = [];
  const available = Array.from({ length: objects }, (_, index) =>
    driver.observer.when('PersistentVolume', nameOf(stage, index), 'Available'),
  );
  const startedAt = performance.now();
  await inLanes(objects, driverLanes, async (index) => {
    began[index] = performance.now();
    await driver.cluster.create('PersistentVolume', volumeDraft(nameOf(stage, index)));
  });
  return courseOf(startedAt, began, await driver.observer.all(available));
}

/** By the claim's name: a claim may have taken any of the volumes. */
async function volumesOfClaims({ driver }: Stage): Promise<Map<string, string>> {
  const claims = await driver.cluster.list('PersistentVolumeClaim');
  return new Map(claims.map(({ metadata, spec }) => [metadata.name, spec.volumeName ?? '']));
}

async function releaseAll(stage: Stage, chosen: ReadonlyMap<string, string>): Promise<Course> {
  const { driver, objects } = stage;
  const names = Array.from({ length: objects }, (_, index) => nameOf(stage, index));
  const released = names.map((name) => driver.observer.when('PersistentVolume', chosen.get(name) ?? '', 'Released'));
  const began: number[] = [];
  const startedAt = performance.now();
  await inLanes(objects, driverLanes, async (index) => {
    began[index] = performance.now();
    await deleteClaim(stage, nameOf(stage, index));
  });
  return courseOf(startedAt, began, await driver.observer.all(released));
}
