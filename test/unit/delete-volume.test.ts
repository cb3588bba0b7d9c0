import { describe, expect, test } from 'vitest';
import { IN_TREE_FINALIZER, MIGRATED_TO, PROVISIONED_BY } from '../../lib/controller/annotations.ts';
import { AmbiguousError, ClusterError, ThrottledError } from '../../lib/controller/errors.ts';
import { stillReleased } from '../../lib/controller/is-released.ts';
import { VolumeInUseError, type VolumePlugin } from '../../lib/controller/plugins.ts';
import { claim, orphan, refTo, volume } from '../../lib/controller/testing/objects.ts';
import type { PersistentVolume } from '../../lib/controller/types.ts';
import { InterceptedCluster, type Interception } from './intercepted-cluster.ts';
import { failing, Scene } from './scene.ts';

const MOCK = 'kubernetes.io/mock';

interface Disk extends VolumePlugin {
  readonly destroyed: string[];
}

/** A plugin for hostPath volumes whose deleter fails with these errors first. */
function disk(...errors: (Error | undefined)[]): Disk {
  const destroyed: string[] = [];
  return {
    destroyed,
    name: MOCK,
    supportsMountOptions: false,
    supports: (pv) => pv.spec.hostPath !== undefined,
    newDeleter: (pv) => async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      destroyed.push(pv.metadata.name);
    },
  };
}

const csi = { csi: { driver: 'd', volumeHandle: 'h' } };

function doomed(parts: Parameters<typeof orphan>[1] = {}): PersistentVolume {
  return orphan('pv', { ...parts, spec: { persistentVolumeReclaimPolicy: 'Delete', ...parts.spec } });
}

function sceneOf(pv: PersistentVolume, plugins: VolumePlugin[], interception: Interception = {}) {
  return new Scene({ PersistentVolume: [pv] }, plugins, {
    over: (inner) => new InterceptedCluster(inner, interception),
  });
}

function without(pv: PersistentVolume, field: 'hostPath'): PersistentVolume {
  const { [field]: _none, ...spec } = pv.spec;
  return { ...pv, spec };
}

describe('the delete operation (BEHAVIOUR 7.2)', () => {
  test('destroys the storage, then deletes the object', async () => {
    const plugin = disk();
    const scene = sceneOf(doomed(), [plugin]);
    await scene.syncVolume('pv');
    expect(plugin.destroyed).toEqual(['pv']);
    expect(scene.writes).toEqual(['delete PersistentVolume pv']);
    expect(scene.events).toEqual([]);
    expect(scene.operations).toEqual(['delete-pv[uid-of-pv]']);
  });

  test('takes our finalizer off in between, and leaves those of others', async () => {
    const scene = sceneOf(doomed({ metadata: { finalizers: ['a', IN_TREE_FINALIZER, 'b'] } }), [disk()]);
    await scene.syncVolume('pv');
    expect(scene.writes).toEqual(['update PersistentVolume pv', 'delete PersistentVolume pv']);
    expect(scene.cluster.writes[0]?.object.metadata.finalizers).toEqual(['a', 'b']);
  });

  test('a failed deleter: Failed with its text, one warning however often it is tried, and the operation fails', async () => {
    const plugin = disk(new Error('disk is stuck'), new Error('disk is stuck'), undefined);
    const scene = sceneOf(doomed(), [plugin]);
    await expect(scene.syncVolume('pv')).rejects.toThrow('disk is stuck');
    await expect(scene.syncVolume('pv')).rejects.toThrow('disk is stuck');
    expect(scene.volume('pv').status).toEqual({ phase: 'Failed', message: 'disk is stuck' });
    expect(scene.events).toEqual(['Warning VolumeFailedDelete: disk is stuck']);
    await scene.syncVolume('pv');
    expect(scene.cluster.all('PersistentVolume')).toEqual([]);
  });

  test('a volume still in use: normal event, phase unchanged, the operation fails', async () => {
    const scene = sceneOf(doomed(), [disk(new VolumeInUseError('attached to node a'))]);
    await expect(scene.syncVolume('pv')).rejects.toThrow('attached to node a');
    expect(scene.events).toEqual(['Normal VolumeDelete: attached to node a']);
    expect(scene.cluster.events[0]).toMatchObject({ kind: 'PersistentVolume', object: { metadata: { name: 'pv' } } });
    expect(scene.writes).toEqual([]);
  });

  test('a deleter that cannot be built', async () => {
    const refusing: VolumePlugin = {
      ...disk(),
      newDeleter: () => {
        throw new Error('no disk here');
      },
    };
    const scene = sceneOf(doomed(), [refusing]);
    await expect(scene.syncVolume('pv')).rejects.toThrow();
    expect(scene.volume('pv').status?.message).toBe('failed to create deleter for volume "pv": no disk here');
  });
});

describe('who deletes (BEHAVIOUR 7.2 step 1, DESIGN D12)', () => {
  const PREFIX = 'error getting deleter volume plugin for volume "pv": ';
  const nfs: VolumePlugin = { name: 'kubernetes.io/nfs', supportsMountOptions: true, supports: (pv) => !!pv.spec.nfs };
  const by = (name: string) => ({ annotations: { [PROVISIONED_BY]: name } });

  test.each<[string, PersistentVolume, VolumePlugin[], string]>([
    ['no plugin at all', doomed(), [], `${PREFIX}no volume plugin matched`],
    ['a source of no plugin', doomed({ spec: { local: { path: '/x' } } }), [nfs], `${PREFIX}no volume plugin matched`],
    [
      'a plugin that cannot delete',
      without(doomed({ spec: { nfs: { server: 's', path: '/' } } }), 'hostPath'),
      [nfs, disk()],
      `${PREFIX}no deletable volume plugin matched`,
    ],
    [
      'two plugins',
      doomed(),
      [disk(), { ...disk(), name: 'kubernetes.io/twin' }],
      `${PREFIX}multiple volume plugins matched: kubernetes.io/mock,kubernetes.io/twin`,
    ],
    [
      'an in-tree provisioner that is not there',
      doomed(by('kubernetes.io/gone')),
      [disk()],
      'no volume plugin matched name: kubernetes.io/gone',
    ],
    [
      'an in-tree provisioner that cannot delete',
      doomed(by('kubernetes.io/nfs')),
      [nfs],
      'no deletable volume plugin matched',
    ],
  ])('%s: Failed and a warning, and the operation ends well', async (_what, pv, plugins, message) => {
    const scene = sceneOf(pv, plugins);
    await scene.syncVolume('pv');
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status).toEqual({ phase: 'Failed', message });
    expect(scene.events).toEqual([`Warning VolumeFailedDelete: ${message}`]);
  });

  test.each<[string, PersistentVolume, VolumePlugin[]]>([
    ['of an external provisioner', without(doomed(by('vendor.com/disk')), 'hostPath'), []],
    ['of an external provisioner, whatever its source', doomed(by('vendor.com/disk')), [disk()]],
    [
      'of a provisioner whose plugin here cannot delete',
      doomed(by('vendor.com/disk')),
      [{ name: 'vendor.com/disk', supportsMountOptions: true, supports: () => true }],
    ],
    ['that is static and of a CSI driver', without(doomed({ spec: csi }), 'hostPath'), [disk()]],
    ['of a CSI driver that nothing else supports', without(doomed({ spec: csi }), 'hostPath'), []],
    ['with an empty migrated-to annotation', doomed({ annotations: { [MIGRATED_TO]: '' } }), [disk()]],
    ['that is migrated', doomed({ annotations: { [MIGRATED_TO]: 'ebs.csi.aws.com' } }), [disk()]],
    ['that a migrated plugin provisioned', doomed(by('kubernetes.io/aws-ebs')), []],
  ])('a volume %s ends Released and is left to others, never Failed', async (_what, pv, plugins) => {
    pv.status = { phase: 'Bound' };
    const scene = sceneOf(pv, plugins);
    await scene.syncVolume('pv');
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status).toEqual({ phase: 'Released' });
    expect(scene.events).toEqual([]);
  });

  test('a plugin of ours that is no in-tree one deletes what it provisioned', async () => {
    const plugin = { ...disk(), name: 'vendor.com/disk' };
    const scene = sceneOf(doomed(by('vendor.com/disk')), [plugin]);
    await scene.syncVolume('pv');
    expect(plugin.destroyed).toEqual(['pv']);
    expect(scene.writes).toEqual(['delete PersistentVolume pv']);
  });

  test('an empty provisioned-by names nobody: the source decides', async () => {
    const plugin = disk();
    const scene = sceneOf(doomed(by('')), [plugin]);
    await scene.syncVolume('pv');
    expect(plugin.destroyed).toEqual(['pv']);
  });
});

describe('the last look before anything is destroyed (BEHAVIOUR 7.1)', () => {
  /** Changes the stored volume right before the read that the operation begins with. */
  async function whenChanged(change: (pv: PersistentVolume, scene: Scene) => PersistentVolume | undefined) {
    const plugin = disk();
    let reads = 0;
    const scene: Scene = sceneOf(doomed(), [plugin], {
      before: ({ verb, kind }) => {
        if (verb !== 'get' || kind !== 'PersistentVolume' || ++reads !== 2) return;
        const changed = change(scene.volume('pv'), scene);
        scene.cluster.remove('PersistentVolume', { name: 'pv' });
        if (changed !== undefined) scene.cluster.put('PersistentVolume', changed);
      },
    });
    await scene.syncVolume('pv');
    expect(plugin.destroyed).toEqual([]);
    expect(scene.writes).toEqual([]);
    expect(scene.events).toEqual([]);
  }

  test('a volume that is gone', () => whenChanged(() => undefined));

  test('a volume of that name that is another one', () =>
    whenChanged((pv) => ({ ...pv, metadata: { ...pv.metadata, uid: 'other' } })));

  test('a volume that lost its claimRef, or the uid in it', async () => {
    await whenChanged(({ spec: { claimRef: _gone, ...spec }, ...pv }) => ({ ...pv, spec }));
    await whenChanged((pv) => ({ ...pv, spec: { ...pv.spec, claimRef: { namespace: 'ns', name: 'gone' } } }));
  });

  test.each(['pv', '', undefined])('a volume whose claim is there after all, with volumeName %j', (volumeName) =>
    whenChanged((pv, scene) => {
      scene.cluster.put(
        'PersistentVolumeClaim',
        claim('gone', { spec: volumeName === undefined ? {} : { volumeName } }),
      );
      return pv;
    }),
  );

  test('a volume that never had a uid in its claimRef', async () => {
    const reserved = orphan('pv', { spec: { claimRef: { namespace: 'ns', name: 'gone' } } });
    expect(await stillReleased(new Scene({}).ctx, reserved, reserved)).toBe(false);
  });

  test('a volume that was picked meanwhile for a claim that is bound elsewhere: that is for an unbind to decide (D13)', () =>
    whenChanged((pv, scene) => {
      const other = claim('other', { spec: { volumeName: 'another' } });
      scene.cluster.put('PersistentVolumeClaim', other);
      return { ...pv, spec: { ...pv.spec, claimRef: refTo(other) } };
    }));

  test('a volume whose policy was changed to Retain', () =>
    whenChanged((pv) => ({ ...pv, spec: { ...pv.spec, persistentVolumeReclaimPolicy: 'Retain' } })));
});

describe('the look after the storage was destroyed (BEHAVIOUR 7.2)', () => {
  test('writes no finalizers when ours is not among them', async () => {
    const asked: string[] = [];
    const before: Interception['before'] = ({ verb }) => void (verb !== 'get' && asked.push(verb));
    const scene = sceneOf(doomed({ metadata: { finalizers: ['b'] } }), [disk()], { before });
    await scene.syncVolume('pv');
    expect(scene.writes).toEqual(['delete PersistentVolume pv']);
    expect(asked).toEqual(['delete']);
  });

  test('a volume that is gone is done with: nobody is told that its deletion failed', async () => {
    const vanishing: VolumePlugin = {
      ...disk(),
      newDeleter: () => async () => scene.cluster.remove('PersistentVolume', { name: 'pv' }),
    };
    const asked: string[] = [];
    const scene: Scene = sceneOf(doomed(), [vanishing], { before: ({ verb }) => void asked.push(verb) });
    await scene.syncVolume('pv');
    expect([scene.writes, scene.events]).toEqual([[], []]);
    expect(new Set(asked)).toEqual(new Set(['get']));
  });

  test.each([[[IN_TREE_FINALIZER, 'b']], [['b']], [undefined]])(
    'a volume that was recreated under that name meanwhile, finalizers %j, stays as it is',
    async (finalizers) => {
      const destroyed: string[] = [];
      const successor = volume('pv', {
        metadata: { uid: 'other', resourceVersion: '1', ...(finalizers && { finalizers }) },
      });
      const recreating: VolumePlugin = {
        ...disk(),
        newDeleter: (pv) => async () => {
          destroyed.push(pv.metadata.uid ?? '');
          scene.cluster.remove('PersistentVolume', { name: 'pv' });
          scene.cluster.put('PersistentVolume', successor);
        },
      };
      const scene: Scene = sceneOf(doomed({ metadata: { finalizers: [IN_TREE_FINALIZER] } }), [recreating]);
      await scene.syncVolume('pv');
      expect(destroyed).toEqual(['uid-of-pv']);
      expect(scene.writes).toEqual([]);
      expect(scene.events).toEqual([]);
      expect(scene.volume('pv')).toEqual(successor);
    },
  );
});

describe('an API server that does not answer says nothing about the storage', () => {
  const errors: [string, Error][] = [
    ['401', new ClusterError('unauthorized', { code: 401 })],
    ['403', new ClusterError('forbidden', { code: 403 })],
    ['429', new ThrottledError('slow down', { code: 429, retryAfterSeconds: 3 })],
    ['500', new ClusterError('internal', { code: 500 })],
    ['no answer', new AmbiguousError('timed out')],
  ];

  test.each(errors)(
    '%s at any call: thrown as it is, never Failed, no event; the next sync finishes',
    async (_what, error) => {
      const finalizers = [IN_TREE_FINALIZER];
      for (let at = 1; ; at++) {
        let failed = false;
        const scene = sceneOf(doomed({ metadata: { finalizers }, status: { phase: 'Bound' } }), [disk()], {
          before: ({ number }) => {
            if (number !== at || failed) return;
            failed = true;
            throw error;
          },
        });
        const thrown = await scene.syncVolume('pv').catch((e: unknown) => e);
        if (!failed) {
          expect(at).toBeGreaterThan(7);
          break;
        }
        expect((thrown as Error | undefined)?.message).toContain(error.message);
        expect(scene.cluster.all('PersistentVolume').map((pv) => pv.status?.phase)).not.toContain('Failed');
        expect(scene.events).toEqual([]);
        await scene.syncVolume('pv');
        expect(scene.cluster.all('PersistentVolume')).toEqual([]);
      }
    },
  );

  test('a Failed that cannot be written fails the operation, and sends no event', async () => {
    const scene = sceneOf(doomed(), []);
    failing(scene, 'update', 'persistentvolumes', new ClusterError('forbidden', { code: 403 }));
    await expect(scene.syncVolume('pv')).rejects.toThrow('forbidden');
    expect(scene.events).toEqual([]);
  });

  test('a volume that changed since it was read is not deleted: that delete carries its version', async () => {
    const plugin = disk();
    const scene: Scene = sceneOf(doomed(), [plugin], {
      before: ({ verb }) => {
        if (verb !== 'delete') return;
        const { metadata, spec, ...pv } = scene.volume('pv');
        const policy = { persistentVolumeReclaimPolicy: 'Retain' };
        scene.cluster.put('PersistentVolume', {
          ...pv,
          metadata: { ...metadata, resourceVersion: '9' },
          spec: { ...spec, ...policy },
        });
      },
    });
    await scene.syncVolume('pv');
    expect(plugin.destroyed).toEqual(['pv']);
    expect(scene.volume('pv').status?.phase).toBe('Released');
  });
});
