/** What a job works with, and the steps that jobs are made of. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/controller/types.ts';
import type { ControlPlane } from '../../control-plane/harness.ts';
import type { RunningContender } from '../contenders/contender.ts';
import { namespace } from '../driver/drafts.ts';
import { type Driver, driverLanes } from '../driver/driver.ts';
import { inLanes } from '../driver/lanes.ts';
import type { Course, Figures } from '../meters/meter.ts';
import type { Route } from '../plane/plane.ts';

export interface Stage {
  readonly plane: ControlPlane;
  readonly route: Route;
  readonly driver: Driver;
  readonly contender: RunningContender;
  readonly objects: number;
  /** Of the objects' names, which nobody has had before. */
  readonly prefix: string;
  /** Measures a job and takes its figures down. */
  measure(job: string, objects: number, work: () => Promise<Course>): Promise<Figures>;
}

export function nameOf({ prefix }: Stage, index: number): string {
  return `${prefix}-${index}`;
}

/** Creates volumes and, unless the contender only does what it is told, waits for them to be Available. */
export async function prepareVolumes(
  stage: Stage,
  draft: (name: string) => PersistentVolume,
): Promise<PersistentVolume[]> {
  const { driver, contender, objects } = stage;
  const made: PersistentVolume[] = [];
  const available = Array.from({ length: objects }, (_, index) =>
    driver.observer.when('PersistentVolume', nameOf(stage, index), 'Available'),
  );
  await inLanes(objects, driverLanes, async (index) => {
    let volume = await driver.cluster.create('PersistentVolume', draft(nameOf(stage, index)));
    if (contender.offer !== undefined) {
      volume = await driver.cluster.updateStatus('PersistentVolume', { ...volume, status: { phase: 'Available' } });
    }
    made[index] = volume;
  });
  await driver.observer.all(available);
  return made;
}

/**
 * Creates claims, as fast as the driver can, and waits for each to be Bound.
 * @param before is done in the same lane before each claim, and belongs to the job.
 */
export async function bindAll(
  stage: Stage,
  draft: (name: string) => PersistentVolumeClaim,
  { volumes = [], before }: { volumes?: readonly PersistentVolume[]; before?: (name: string) => Promise<unknown> } = {},
): Promise<Course> {
  const { driver, contender, objects } = stage;
  const began: number[] = [];
  const bound = Array.from({ length: objects }, (_, index) =>
    driver.observer.when('PersistentVolumeClaim', nameOf(stage, index), 'Bound'),
  );
  const startedAt = performance.now();
  await inLanes(objects, driverLanes, async (index) => {
    await before?.(nameOf(stage, index));
    began[index] = performance.now();
    const claim = await driver.cluster.create('PersistentVolumeClaim', draft(nameOf(stage, index)));
    const volume = volumes[index];
    if (volume !== undefined) contender.offer?.(volume, claim);
  });
  return courseOf(startedAt, began, await driver.observer.all(bound));
}

export function courseOf(startedAt: number, began: readonly number[], ended: readonly number[]): Course {
  const latencies = ended.map((at, index) => at - (began[index] ?? startedAt));
  return { startedAt, endedAt: ended.reduce((last, at) => Math.max(last, at), startedAt), latencies };
}

/** Deletes a claim, whatever its version is. */
export async function deleteClaim({ driver }: Stage, name: string): Promise<void> {
  // Without a version and a uid the delete has no precondition.
  await driver.cluster.delete('PersistentVolumeClaim', { metadata: { name, namespace }, spec: {} });
}

/** Takes everything away while the contender is held, and lets it find out. */
export async function clear({ driver, contender }: Pick<Stage, 'driver' | 'contender'>): Promise<void> {
  contender.pause();
  await driver.clear();
  contender.resume();
  await contender.settled();
}
