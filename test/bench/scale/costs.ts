/** What the system costs with a number of pairs standing by. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OursRunning } from '../contenders/ours.ts';
import { claimDraft, namespace, volumeDraft } from '../driver/drafts.ts';
import { driverLanes } from '../driver/driver.ts';
import { inLanes } from '../driver/lanes.ts';
import { courseOf, deleteClaim, nameOf, prepareVolumes, type Stage } from '../jobs/stage.ts';
import type { Course, Figures } from '../meters/meter.ts';
import { standingName } from './standing.ts';

/** One claim after the other, each waited for: nothing queues, so a latency is that of one bind. */
export async function bindOneByOne(stage: Stage): Promise<Figures> {
  const { driver, objects } = stage;
  await prepareVolumes(stage, volumeDraft);
  const figures = await stage.measure('bind', objects, async () => {
    const began: number[] = [];
    const ended: number[] = [];
    const startedAt = performance.now();
    for (let index = 0; index < objects; index++) {
      const bound = driver.observer.when('PersistentVolumeClaim', nameOf(stage, index), 'Bound');
      began.push(performance.now());
      await driver.cluster.create('PersistentVolumeClaim', claimDraft(nameOf(stage, index)));
      ended.push(...(await driver.observer.all([bound])));
    }
    return courseOf(startedAt, began, ended);
  });
  await remove(stage);
  return figures;
}

/** Somebody writes an annotation of a settled volume or claim, which changes nothing for the controller. */
export async function touchSettled(stage: Stage): Promise<Figures> {
  const { driver, objects } = stage;
  return await stage.measure('event', objects, () =>
    timed(async () => {
      await inLanes(objects, driverLanes, async (index) => {
        const name = standingName(Math.floor(index / 2));
        if (index % 2 === 0) {
          const volume = await driver.cluster.get('PersistentVolume', { name });
          if (volume !== undefined) await driver.cluster.update('PersistentVolume', annotated(volume));
        } else {
          const claim = await driver.cluster.get('PersistentVolumeClaim', { namespace, name });
          if (claim !== undefined) await driver.cluster.update('PersistentVolumeClaim', annotated(claim));
        }
      });
      await stage.contender.settled();
    }),
  );
}

/** Every key is looked at once, needed or not. */
export async function resyncAll(stage: Stage, running: OursRunning): Promise<Figures> {
  return await stage.measure('resync', stage.objects, () =>
    timed(async () => {
      await running.resync();
      await running.settled();
    }),
  );
}

/** Nothing happens for a while. */
export async function waitSettled(stage: Stage, minutes: number): Promise<Figures> {
  return await stage.measure('settled', stage.objects, () => timed(() => sleep(minutes * 60_000)));
}

async function timed(work: () => Promise<unknown>): Promise<Course> {
  const startedAt = performance.now();
  await work();
  const endedAt = performance.now();
  return { startedAt, endedAt, latencies: [endedAt - startedAt] };
}

async function remove(stage: Stage): Promise<void> {
  const { driver, objects, contender } = stage;
  contender.pause();
  await inLanes(objects, driverLanes, async (index) => {
    await deleteClaim(stage, nameOf(stage, index));
    await driver.cluster.delete('PersistentVolume', { metadata: { name: nameOf(stage, index) }, spec: {} });
  });
  contender.resume();
  await contender.settled();
}

function annotated<T extends { metadata: { annotations?: Record<string, string> } }>(object: T): T {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, 'bench/touched': String(Date.now()) } },
  };
}
