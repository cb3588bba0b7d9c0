import { describe, expect, test } from 'vitest';
import { BOUND_BY_CONTROLLER } from '../../lib/controller/annotations.ts';
import { ClusterError } from '../../lib/controller/errors.ts';
import type { VolumePlugin } from '../../lib/controller/plugins.ts';
import { claim, orphan, podUsing, reservationFor } from '../../lib/controller/testing/objects.ts';
import type { Kind, PersistentVolume, PersistentVolumeClaim, Pod } from '../../lib/controller/types.ts';
import { InterceptedCluster } from './intercepted-cluster.ts';
import { failing, Scene } from './scene.ts';

const mark = { [BOUND_BY_CONTROLLER]: 'yes' };

interface Scrubber extends VolumePlugin {
  readonly scrubbed: string[];
}

function scrubber(...results: (Error | 'waiting' | 'done')[]): Scrubber {
  const scrubbed: string[] = [];
  return {
    scrubbed,
    name: 'kubernetes.io/mock',
    supportsMountOptions: false,
    supports: (pv) => pv.spec.hostPath !== undefined,
    recycle: async (pv) => {
      const result = results.shift() ?? 'done';
      if (result instanceof Error) throw result;
      if (result === 'done') scrubbed.push(pv.metadata.name);
      return result;
    },
  };
}

const used = (parts: Parameters<typeof orphan>[1] = {}) =>
  orphan('pv', { annotations: mark, ...parts, spec: { persistentVolumeReclaimPolicy: 'Recycle', ...parts.spec } });

function sceneOf(
  plugin: VolumePlugin | undefined,
  pods: Pod[] = [],
  claims: PersistentVolumeClaim[] = [],
  pv = used(),
) {
  const objects = { PersistentVolume: [pv], Pod: pods, PersistentVolumeClaim: claims };
  return new Scene(objects, plugin ? [plugin] : []);
}

describe('the recycle operation (BEHAVIOUR 7.3)', () => {
  test('success: event, then a chosen volume loses claimRef and mark and is Available', async () => {
    const scene = sceneOf(scrubber());
    await scene.syncVolume('pv');
    expect(scene.events).toEqual(['Normal VolumeRecycled: Volume recycled']);
    expect(scene.volume('pv').spec.claimRef).toBeUndefined();
    expect(scene.volume('pv').metadata.annotations).toBeUndefined();
    expect(scene.volume('pv').status).toEqual({ phase: 'Available' });
  });

  test('success: a volume reserved by a user keeps the reservation by name', async () => {
    const { metadata, ...rest } = used();
    const { annotations: _none, ...bare } = metadata;
    const scene = sceneOf(scrubber(), [], [], { ...rest, metadata: bare });
    await scene.syncVolume('pv');
    expect(scene.volume('pv').spec.claimRef).toEqual(reservationFor(claim('gone')));
  });

  test('a plugin that needs time changes nothing yet', async () => {
    const scene = sceneOf(scrubber('waiting', 'waiting', 'done'));
    await scene.syncVolume('pv');
    await scene.syncVolume('pv');
    expect(scene.writes).toEqual([]);
    expect(scene.events).toEqual([]);
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status?.phase).toBe('Available');
  });

  test('a failure: Failed with its text and one warning; a later success frees the volume', async () => {
    const scene = sceneOf(scrubber(new Error('dirty'), new Error('dirty')));
    await scene.syncVolume('pv');
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status).toEqual({ phase: 'Failed', message: 'Recycle failed: dirty' });
    expect(scene.events).toEqual(['Warning VolumeFailedRecycle: Recycle failed: dirty']);
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status).toEqual({ phase: 'Available' });
  });

  test('no plugin, or one that cannot recycle', async () => {
    const { recycle: _none, ...other } = scrubber();
    for (const plugin of [undefined, { ...scrubber(), supports: () => false }, other]) {
      const scene = sceneOf(plugin);
      await scene.syncVolume('pv');
      expect(scene.events).toEqual(['Warning VolumeFailedRecycle: No recycler plugin found for the volume!']);
      expect(scene.volume('pv').status?.phase).toBe('Failed');
    }
  });

  test('an API server that does not answer the plugin is no failure of the recycling', async () => {
    const wrapped = new Error('creating a pod', { cause: new ClusterError('forbidden', { code: 403 }) });
    const scene = sceneOf(scrubber(wrapped));
    await expect(scene.syncVolume('pv')).rejects.toThrow('creating a pod');
    expect(scene.writes).toEqual([]);
    expect(scene.events).toEqual([]);
  });

  test('what the plugin left behind is cleaned up only once the volume is free', async () => {
    const order: string[] = [];
    const plugin: VolumePlugin = {
      ...scrubber(),
      cleanUpRecycle: async () => {
        order.push(`clean up, volume ${scene.volume('pv').status?.phase}`);
      },
    };
    const scene: Scene = sceneOf(plugin);
    failing(scene, 'update', 'persistentvolumes', new Error('no answer'), 1);
    await expect(scene.syncVolume('pv')).rejects.toThrow('no answer');
    expect(order).toEqual([]);
    await scene.syncVolume('pv');
    expect(order).toEqual(['clean up, volume Available']);
  });
});

describe('pods that still use the volume (BEHAVIOUR 7.3 steps 2 and 3)', () => {
  const going = (status: Pod['status']): Pod =>
    podUsing('gone', 'p', {
      metadata: { namespace: 'ns', name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' },
      ...(status ? { status } : {}),
    });
  const container = (state: object) => ({ name: 'c', image: '', imageID: '', ready: false, restartCount: 0, state });

  test('hold the recycling up: one sorted event per try, phase unchanged', async () => {
    const plugin = scrubber();
    const scene = sceneOf(plugin, [podUsing('gone', 'web'), podUsing('gone', 'api')]);
    await scene.syncVolume('pv');
    expect(scene.events).toEqual(['Normal VolumeFailedRecycle: Volume is used by pods: ns/api,ns/web']);
    expect(scene.cluster.events[0]).toMatchObject({ kind: 'PersistentVolume', object: { metadata: { name: 'pv' } } });
    expect(scene.writes).toEqual([]);
    expect(plugin.scrubbed).toEqual([]);
  });

  test('do not matter when a newer claim of that name exists: they use its volume', async () => {
    const newer = claim('gone', { metadata: { uid: 'newer' } });
    const scene = sceneOf(scrubber(), [podUsing('gone', 'web')], [newer]);
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status?.phase).toBe('Available');
  });

  test.each<[string, Pod]>([
    ['a pod of another claim', podUsing('other', 'p')],
    ['a pod of another namespace', podUsing('gone', 'p', { metadata: { namespace: 'other', name: 'p' } })],
    ['a Succeeded pod', podUsing('gone', 'p', { status: { phase: 'Succeeded' } })],
    ['a Failed pod', podUsing('gone', 'p', { status: { phase: 'Failed' } })],
    ['a pod that is going and has no container', going({ phase: 'Running' })],
    [
      'a pod that is going and whose containers wait or are done',
      going({
        containerStatuses: [container({ terminated: { exitCode: 0 } })],
        initContainerStatuses: [container({ waiting: {} })],
      }),
    ],
  ])('%s does not hold it up', async (_what, pod) => {
    const scene = sceneOf(scrubber(), [pod]);
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status?.phase).toBe('Available');
  });

  test.each(['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'])(
    'a pod that is going, with one of its %s running or of unknown state, holds it up',
    async (list) => {
      for (const state of [{ running: {} }, {}]) {
        const pod = going({ [list]: [container({ terminated: { exitCode: 0 } }), container(state)] });
        const scene = sceneOf(scrubber(), [pod]);
        await scene.syncVolume('pv');
        expect(scene.volume('pv').status?.phase).toBe('Released');
      }
    },
  );

  test('a generic ephemeral volume counts by the name of its claim', async () => {
    const ephemeral: Pod = {
      metadata: { namespace: 'ns', name: 'go' },
      spec: { containers: [], volumes: [{ name: 'ne', ephemeral: {} }] },
    };
    const pv = used({ spec: { claimRef: { ...reservationFor(claim('go-ne')), uid: 'u' } } });
    const scene = sceneOf(scrubber(), [ephemeral], [], pv);
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status?.phase).toBe('Released');
  });

  test('a list that fails stops the recycling', async () => {
    const plugin = scrubber();
    const scene = sceneOf(plugin);
    failing(scene, 'list', 'pods', new ClusterError('forbidden', { code: 403 }));
    await expect(scene.syncVolume('pv')).rejects.toThrow('forbidden');
    expect(plugin.scrubbed).toEqual([]);
  });
});

describe('the last look before anything is scrubbed (BEHAVIOUR 7.1)', () => {
  test.each<[string, (pv: PersistentVolume) => PersistentVolume | undefined]>([
    ['is gone', () => undefined],
    ['is another one of that name', (pv) => ({ ...pv, metadata: { ...pv.metadata, uid: 'other' } })],
    ['lost its claimRef', ({ spec: { claimRef: _gone, ...spec }, ...pv }) => ({ ...pv, spec })],
    ['is to be retained now', (pv) => ({ ...pv, spec: { ...pv.spec, persistentVolumeReclaimPolicy: 'Retain' } })],
  ])('a volume that %s is not scrubbed', async (_what, change) => {
    const plugin = scrubber();
    let reads = 0;
    const scene: Scene = new Scene({ PersistentVolume: [used()] }, [plugin], {
      over: (inner) =>
        new InterceptedCluster(inner, {
          before: ({ verb, kind }) => {
            if (verb !== 'get' || kind !== ('PersistentVolume' satisfies Kind) || ++reads !== 2) return;
            const changed = change(scene.volume('pv'));
            scene.cluster.remove('PersistentVolume', { name: 'pv' });
            if (changed !== undefined) scene.cluster.put('PersistentVolume', changed);
          },
        }),
    });
    await scene.syncVolume('pv');
    expect(plugin.scrubbed).toEqual([]);
    expect(scene.writes).toEqual([]);
  });
});
