import { describe, expect, test } from 'vitest';
import { MIGRATED_TO } from '../../lib/controller/annotations.ts';
import { orphan } from '../../lib/controller/testing/objects.ts';
import { failing, Scene, type SceneParts } from './scene.ts';

function sceneOf(
  persistentVolumeReclaimPolicy: string,
  annotations: Record<string, string> = {},
  parts: SceneParts = {},
) {
  const pv = orphan('pv', { annotations, spec: { persistentVolumeReclaimPolicy } });
  return new Scene({ PersistentVolume: [pv] }, [], parts);
}

const UNKNOWN = 'Warning VolumeUnknownReclaimPolicy: Volume has unrecognized PersistentVolumeReclaimPolicy';

describe('reclaim by policy (BEHAVIOUR 7)', () => {
  test.each([
    ['Retain', []],
    ['Delete', ['delete-pv[uid-of-pv]']],
    ['Recycle', ['recycle-pv[uid-of-pv]']],
  ])('%s starts the operations %j', async (policy, operations) => {
    const started: string[] = [];
    const scene = sceneOf(
      policy,
      {},
      {
        runOperation: async (name) => {
          started.push(name);
        },
      },
    );
    await scene.syncVolume('pv');
    expect(started).toEqual(operations);
    expect(scene.writes).toEqual([]);
  });

  test.each(['Delete', 'Recycle', 'Unknown'])('a migrated volume with policy %s is left alone', async (policy) => {
    const scene = sceneOf(policy, { [MIGRATED_TO]: 'ebs.csi.aws.com' });
    await scene.syncVolume('pv');
    expect(scene.operations).toEqual([]);
    expect(scene.writes).toEqual([]);
  });

  test.each(['Unknown', ''])('an unknown policy %j: Failed with one warning', async (policy) => {
    const scene = sceneOf(policy);
    await scene.syncVolume('pv');
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status).toEqual({
      phase: 'Failed',
      message: 'Volume has unrecognized PersistentVolumeReclaimPolicy',
    });
    expect(scene.events).toEqual([UNKNOWN]);
  });

  test('no event is sent where the phase could not be written', async () => {
    const scene = sceneOf('Unknown');
    failing(scene, 'update', 'persistentvolumes', new Error('no answer'));
    await expect(scene.syncVolume('pv')).rejects.toThrow('no answer');
    expect(scene.events).toEqual([]);
  });
});
