/** B11: conflicts, names, and messages about what is gone. */
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import { ConflictError, findCause } from '../../../lib/controller/errors.ts';
import type { System } from '../../../local/system.ts';
import type { Scenario } from './describe-field.ts';
import { boundTo, refTo } from './states.ts';
import { lostVolume, mismatch, noVolume } from './told.ts';

const longest = 253;

export function oddEnds(scenario: Scenario): void {
  scenario('B11/94 others who write all the time delay nothing and fail nothing', async (stage) => {
    const { place, controller, failures } = stage;
    const numbers = Array.from({ length: 20 }, (_, i) => i);
    let writing = true;
    const others = [0, 1, 2].map(async (other) => {
      for (let i = other; writing; i += 3) {
        const annotations = { annotations: { [`example.com/${other}`]: `${i}` } };
        const number = i % numbers.length;
        await place.client.request('PATCH', place.volumePath(`contended-${number}`), { metadata: annotations });
        await place.client.request('PATCH', place.claimPath(`x-${number}`), { metadata: annotations });
      }
    });
    await Promise.all(
      numbers.map(async (i) => {
        const spec = { storageClassName: `class-${i}` };
        await Promise.all([place.createVolume(`contended-${i}`, { spec }), place.createClaim(`x-${i}`, { spec })]);
        await place.untilBound(`contended-${i}`, `x-${i}`);
      }),
    );
    writing = false;
    await Promise.all(others);

    await controller.settled();
    for (const i of numbers) {
      expect(await place.claimState(`x-${i}`)).toEqual(boundTo(`contended-${i}`, { bbc: true }));
      expect(await place.phasesOf(`contended-${i}`)).toEqual(['Pending', 'Available', 'Bound']);
    }
    // Given back to the queue at most, which logs a conflict at debug level and counts it apart.
    expect(failures.filter(({ error }) => findCause(error, ConflictError) === undefined)).toEqual([]);
  });

  for (const [what, name, claimName] of [
    ['dots', 'pv.example.com.disk-1', 'data.web.example.com'],
    ['64 characters', 'a'.repeat(64), 'b'.repeat(64)],
    ['253 characters', longName('v'), longName('c')],
  ] as const) {
    scenario(`B11/95 names with ${what} are bound, told of and released like any other`, async (stage) => {
      const { place, controller, failures } = stage;
      const waiting = await place.createClaim(claimName);
      await place.untilTold(waiting, noVolume);
      await place.createVolume(name);
      await place.untilBound(name, claimName);
      await controller.settled();
      expect(await place.volumeState(name)).toEqual({ phase: 'Bound', ref: refTo(waiting), bbc: true });
      expect(await place.claimState(claimName)).toEqual(boundTo(name, { bbc: true }));

      await place.release(claimName, name);
      const again = await place.createClaim(claimName, { spec: { volumeName: name } });
      await place.patchVolume(name, { spec: { claimRef: null, storageClassName: '' } });
      await place.untilBound(name, claimName);
      await controller.settled();
      expect(await place.volumeState(name)).toEqual({ phase: 'Bound', ref: refTo(again), bbc: true });

      await place.patchVolume(name, { spec: { persistentVolumeReclaimPolicy: 'Delete' } });
      await place.deleteClaim(claimName);
      await place.untilGone(place.volumePath(name));
      expect(failures).toEqual([]);
    });
  }

  scenario('B11/95 a mismatch of volumes and claims with long names is told of both', async ({ place }) => {
    const [name, claimName] = [longName('w'), longName('d')];
    const claimRef = { namespace: place.namespace, name: claimName };
    const block = await place.createClaim(claimName, { spec: { volumeMode: 'Block', volumeName: '' } });
    const spec = { claimRef: { ...claimRef, uid: block.metadata.uid } };
    const volume = await place.createVolume(name, { spec });

    const claimWords = `Cannot bind PersistentVolume "${name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`;
    const volumeWords = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claimName}" due to incompatible volumeMode.`;
    await place.untilTold(volume, { type: 'Warning', reason: 'VolumeMismatch', message: volumeWords });
    await place.untilTold(block, { type: 'Warning', reason: 'VolumeMismatch', message: claimWords });
    const named = await place.createClaim('named', { spec: { volumeMode: 'Block', volumeName: 'plain' } });
    await place.createVolume('plain');
    await place.untilTold(named, mismatch('plain', 'incompatible volumeMode'));
  });

  scenario('B11/97 a phase is written to the status and nowhere else', async ({ place, controller }) => {
    await place.createVolume('split');
    const user = await place.createClaim('x');
    await place.untilBound('split', 'x');
    await controller.settled();

    // A phase in an ordinary write, and a claimRef in one of the status, are ignored by the API server.
    await place.patchVolume('split', { status: { phase: 'Failed' } });
    await place.request('PATCH', `${place.volumePath('split')}/status`, { spec: { claimRef: null } });

    await controller.settled();
    expect(await place.volumeState('split')).toEqual({ phase: 'Bound', ref: refTo(user), bbc: true });
    expect(await place.phasesOf('split')).toEqual(['Pending', 'Available', 'Bound']);
    // A phase that somebody has really written is put right.
    await place.patchStatus(place.volumePath('split'), { phase: 'Failed', message: 'out of order' });
    await place.untilVolume('split', 'Bound');
    await controller.settled();
    expect(await place.volumeState('split')).toEqual({ phase: 'Bound', ref: refTo(user), bbc: true });
  });

  scenario('B11/99 a claim whose volume vanishes is Lost, and nothing is left in the queues', async (stage) => {
    const { place, controller, failures } = stage;
    const numbers = Array.from({ length: 10 }, (_, i) => i);
    await Promise.all(
      numbers.map(async (i) => {
        const spec = { storageClassName: `class-${i}` };
        await place.createVolume(`vanishing-${i}`, { spec });
        await place.createClaim(`x-${i}`, { spec });
        await place.untilBound(`vanishing-${i}`, `x-${i}`);
      }),
    );

    // Half of the claims are deleted in the same moment, so that their message is about a volume that is gone.
    await Promise.all(
      numbers.flatMap((i) => [
        place.forceDelete(place.volumePath(`vanishing-${i}`)),
        ...(i % 2 === 0 ? [place.forceDelete(place.claimPath(`x-${i}`))] : []),
      ]),
    );

    for (const i of numbers.filter((number) => number % 2 === 1)) {
      const lost = await place.untilClaim(`x-${i}`, 'Lost');
      await place.untilTold(lost, lostVolume);
      expect(await place.claimState(`x-${i}`)).toEqual({ phase: 'Lost', vol: `vanishing-${i}`, bc: true, bbc: true });
    }
    await controller.settled();
    expect(failures).toEqual([]);
    if (controller.system) expect(await deadLetters(controller.system)).toBe(0);
  });
}

/** Labels of 63 characters, as long as a name can be. */
function longName(letter: string): string {
  return Array(4).fill(letter.repeat(63)).join('.').slice(0, longest).replace(/\.$/, letter);
}

async function deadLetters({ queue: { client, addresses } }: System): Promise<number> {
  const counts = await Promise.all(
    Object.values(addresses).map(async ({ deadLetterUrl }) => {
      const query = { QueueUrl: deadLetterUrl, AttributeNames: ['ApproximateNumberOfMessages' as const] };
      const { Attributes } = await client.send(new GetQueueAttributesCommand(query));
      return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
