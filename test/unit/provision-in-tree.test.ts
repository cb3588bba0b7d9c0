import { describe, expect, test } from 'vitest';
import {
  BETA_STORAGE_CLASS,
  BOUND_BY_CONTROLLER,
  IN_TREE_FINALIZER,
  PROVISIONED_BY,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from '../../lib/controller/annotations.ts';
import { AlreadyExistsError, AmbiguousError, ClusterError } from '../../lib/controller/errors.ts';
import type { VolumePlugin } from '../../lib/controller/plugins.ts';
import type { Cluster } from '../../lib/controller/ports.ts';
import { claim, refTo, storageClass, volume } from '../../lib/controller/testing/objects.ts';
import type { PersistentVolumeClaim, StorageClass } from '../../lib/controller/types.ts';
import { InterceptedCluster } from './intercepted-cluster.ts';
import { failing, Scene } from './scene.ts';

const MOCK = 'kubernetes.io/mock';
const PV = 'pvc-uid-of-one';

/** Takes down what it was asked for. */
function maker(parts: Partial<VolumePlugin> = {}) {
  const log: string[] = [];
  const plugin: VolumePlugin = {
    name: MOCK,
    supportsMountOptions: false,
    supports: () => true,
    newProvisioner: ({ volumeName, storageClass, claim }) => {
      return async (node) => {
        log.push(`provision ${volumeName} on ${node?.metadata.name ?? 'any node'}`);
        return {
          metadata: { name: '', annotations: { made: 'by hand' } },
          spec: {
            persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
            accessModes: claim.spec.accessModes ?? [],
            capacity: { storage: '1Gi' },
            hostPath: { path: '/x' },
          },
        };
      };
    },
    newDeleter: (pv) => async () => {
      log.push(`delete ${pv.metadata.name}`);
    },
    ...parts,
  };
  return { plugin, log };
}

const classy = (parts: Parameters<typeof claim>[1] = {}) =>
  claim('one', { ...parts, spec: { storageClassName: 'fast', ...parts.spec } });

function sceneOf(
  plugin: VolumePlugin,
  pvc: PersistentVolumeClaim = classy(),
  classParts: Partial<StorageClass> = {},
  over: (inner: Cluster) => Cluster = (inner) => inner,
) {
  const objects = {
    PersistentVolumeClaim: [pvc],
    StorageClass: [storageClass('fast', { provisioner: MOCK, ...classParts })],
    Node: [{ metadata: { name: 'node-a' } }],
  };
  return new Scene(objects, [plugin], { over });
}

const succeeded = `Normal ProvisioningSucceeded: Successfully provisioned volume ${PV} using ${MOCK}`;

describe('in-tree provisioning (BEHAVIOUR 8.2)', () => {
  test('names the plugin on the claim, makes the volume, completes it and tells', async () => {
    const { plugin, log } = maker();
    const scene = sceneOf(plugin);
    await scene.syncClaim('one');
    expect(log).toEqual([`provision ${PV} on any node`]);
    expect(scene.claim('one').metadata.annotations?.[STORAGE_PROVISIONER]).toBe(MOCK);
    expect(scene.events).toEqual([succeeded]);
    const { metadata, spec, status } = scene.volume(PV);
    expect(metadata.annotations).toEqual({ made: 'by hand', [BOUND_BY_CONTROLLER]: 'yes', [PROVISIONED_BY]: MOCK });
    expect(metadata.finalizers).toEqual([IN_TREE_FINALIZER]);
    expect(spec.claimRef).toEqual({ ...refTo(classy()), resourceVersion: '2' });
    expect(spec.storageClassName).toBe('fast');
    expect(status?.phase).toBe('Bound');
    expect(scene.claim('one').status?.phase).toBe('Pending');
  });

  test('the next syncs bind it, and provision nothing more', async () => {
    const { plugin, log } = maker();
    const scene = sceneOf(plugin);
    await scene.syncClaim('one');
    await scene.syncVolume(PV);
    expect(scene.enqueued).toHaveLength(1);
    await scene.syncClaim('one', PV);
    expect(scene.claim('one').spec.volumeName).toBe(PV);
    expect(scene.claim('one').status?.phase).toBe('Bound');
    expect(log).toHaveLength(1);
  });

  test('with policy Retain there is no finalizer; the beta annotation names the class', async () => {
    const beta = claim('one', { annotations: { [BETA_STORAGE_CLASS]: 'fast' } });
    const scene = sceneOf(maker().plugin, beta, { reclaimPolicy: 'Retain' });
    await scene.syncClaim('one');
    expect(scene.volume(PV).metadata.finalizers).toBeUndefined();
    expect(scene.volume(PV).spec.storageClassName).toBe('fast');
  });

  test('a volume of that name that exists is enough (step 3)', async () => {
    const { plugin, log } = maker();
    const scene = sceneOf(plugin);
    scene.cluster.put('PersistentVolume', volume(PV, { spec: { storageClassName: 'other' } }));
    await scene.syncClaim('one');
    expect(log).toEqual([]);
    expect(scene.events).toEqual([]);
  });

  test('an error while looking for it provisions nothing', async () => {
    const { plugin, log } = maker();
    const scene = sceneOf(plugin);
    failing(scene, 'get', 'persistentvolumes', new ClusterError('forbidden', { code: 403 }));
    await expect(scene.syncClaim('one')).rejects.toThrow('forbidden');
    expect(log).toEqual([]);
  });

  test('a write of the annotations that fails ends the operation without an event (step 2)', async () => {
    const { plugin, log } = maker();
    const scene = sceneOf(plugin);
    failing(scene, 'update', 'persistentvolumeclaims', new ClusterError('forbidden', { code: 403 }));
    await expect(scene.syncClaim('one')).rejects.toThrow('forbidden');
    expect(log).toEqual([]);
    expect(scene.events).toEqual([]);
  });
});

describe('what stops in-tree provisioning, in order (BEHAVIOUR 8.2)', () => {
  const source = { dataSource: { kind: 'VolumeSnapshot', name: 's' } };
  const refusing = {
    newProvisioner: () => {
      throw new Error('no room');
    },
  };
  const onNode = (node: string) => classy({ annotations: { [SELECTED_NODE]: node } });

  test.each<[string, Partial<VolumePlugin>, PersistentVolumeClaim, Partial<StorageClass>, string]>([
    [
      'a data source',
      {},
      classy({ spec: source }),
      { mountOptions: ['a'] },
      `plugin "${MOCK}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`,
    ],
    [
      'mount options',
      refusing,
      onNode('gone'),
      { mountOptions: ['a', 'b'] },
      'Mount options are not supported by the provisioner but StorageClass "fast" has mount options [a b]',
    ],
    [
      'no provisioner, though the node is missing too',
      refusing,
      onNode('gone'),
      {},
      'Failed to create provisioner: no room',
    ],
    ['a node that is gone', {}, onNode('gone'), {}, 'Failed to get target node: node "gone" not found'],
    ['an empty node name', {}, onNode(''), {}, 'Failed to get target node: node "" not found'],
  ])('%s: one warning, the operation fails, nothing is made', async (_what, parts, pvc, classParts, message) => {
    const { plugin, log } = maker(parts);
    const scene = sceneOf(plugin, pvc, classParts);
    await expect(scene.syncClaim('one')).rejects.toThrow(message);
    expect(scene.events).toEqual([`Warning ProvisioningFailed: ${message}`]);
    expect(log).toEqual([]);
    expect(scene.cluster.all('PersistentVolume')).toEqual([]);
    expect(scene.claim('one').metadata.annotations?.[SELECTED_NODE]).toBe(pvc.metadata.annotations?.[SELECTED_NODE]);
  });

  test('a data source is refused before the claim is written', async () => {
    const scene = sceneOf(maker().plugin, classy({ spec: source }));
    await expect(scene.syncClaim('one')).rejects.toThrow('datasource');
    expect(scene.writes).toEqual([]);
  });

  test('a CSI plugin may have a data source', async () => {
    const name = 'kubernetes.io/csi';
    const { plugin, log } = maker({ name });
    await sceneOf(plugin, classy({ spec: source }), { provisioner: name }).syncClaim('one');
    expect(log).toEqual([`provision ${PV} on any node`]);
  });

  test('a plugin that supports mount options may have them', async () => {
    const { plugin, log } = maker({ supportsMountOptions: true });
    await sceneOf(plugin, classy(), { mountOptions: ['a'] }).syncClaim('one');
    expect(log).toHaveLength(1);
  });

  test('the selected node is handed to the plugin', async () => {
    const { plugin, log } = maker();
    await sceneOf(plugin, onNode('node-a')).syncClaim('one');
    expect(log).toEqual([`provision ${PV} on node-a`]);
  });

  test('a failed attempt without a selected node writes no more than who was asked', async () => {
    const failed = { newProvisioner: () => async () => Promise.reject(new Error('disk full')) };
    const scene = sceneOf(maker(failed).plugin);
    let updates = 0;
    scene.cluster.before = (verb) => {
      if (verb === 'update') updates += 1;
    };
    await expect(scene.syncClaim('one')).rejects.toThrow('disk full');
    expect(updates).toBe(1);
  });

  test('a failed attempt takes the selected node off, so that the scheduler chooses again (step 7)', async () => {
    const failed = { newProvisioner: () => async () => Promise.reject(new Error('disk full')) };
    const message = 'Failed to provision volume with StorageClass "fast": disk full';
    const scene = sceneOf(maker(failed).plugin, onNode('node-a'));
    await expect(scene.syncClaim('one')).rejects.toThrow(message);
    expect(scene.events).toEqual([`Warning ProvisioningFailed: ${message}`]);
    expect(scene.claim('one').metadata.annotations).not.toHaveProperty(SELECTED_NODE);
    const deaf = sceneOf(maker(failed).plugin, onNode('node-a'));
    let writes = 0;
    deaf.cluster.before = (verb) => {
      if (verb === 'update' && ++writes === 2) throw new Error('no answer');
    };
    await expect(deaf.syncClaim('one')).rejects.toThrow(message);
    expect(deaf.events).toEqual([`Warning ProvisioningFailed: ${message}`]);
  });
});

describe('saving the provisioned volume (BEHAVIOUR 8.2 steps 9 and 10)', () => {
  test('is tried again after a pause', async () => {
    const { plugin, log } = maker();
    const scene = sceneOf(plugin);
    failing(scene, 'create', 'persistentvolumes', new ClusterError('internal', { code: 500 }), 2);
    await scene.syncClaim('one');
    expect(scene.sleeps).toEqual([10, 10]);
    expect(scene.events).toEqual([succeeded]);
    expect(log).toEqual([`provision ${PV} on any node`]);
  });

  test('AlreadyExists is success', async () => {
    const scene = sceneOf(maker().plugin);
    failing(scene, 'create', 'persistentvolumes', new AlreadyExistsError('there', { code: 409 }));
    await scene.syncClaim('one');
    expect(scene.sleeps).toEqual([]);
    expect(scene.events).toEqual([succeeded]);
  });

  test('where it never works the storage is deleted again, and the operation ends well', async () => {
    const { plugin, log } = maker();
    const scene = sceneOf(plugin);
    failing(scene, 'create', 'persistentvolumes', new ClusterError('internal', { code: 500 }));
    await scene.syncClaim('one');
    expect(log.slice(0, 2)).toEqual([`provision ${PV} on any node`, `delete ${PV}`]);
    expect(scene.events[0]).toBe(
      'Warning ProvisioningFailed: Error creating provisioned PV object for claim ns/one: internal. Deleting the volume.',
    );
    expect(scene.cluster.all('PersistentVolume')).toEqual([]);
  });

  test('where cleaning up never works either, the user is asked to', async () => {
    const { newDeleter: _none, ...plugin } = maker().plugin;
    const scene = sceneOf(plugin);
    failing(scene, 'create', 'persistentvolumes', new ClusterError('internal', { code: 500 }));
    await scene.syncClaim('one');
    expect(scene.events[1]).toBe(
      'Warning ProvisioningCleanupFailed: Error cleaning provisioned volume for claim ns/one: no deletable volume plugin matched. Please delete manually.',
    );
    expect(scene.sleeps).toEqual([10, 10, 10, 10]);
  });

  test('a plugin that makes what it cannot delete leaves it to the user', async () => {
    const { newDeleter: _none, ...plugin } = maker({ name: 'vendor.com/disk' }).plugin;
    const scene = sceneOf(plugin, classy(), { provisioner: 'vendor.com/disk' });
    failing(scene, 'create', 'persistentvolumes', new ClusterError('internal', { code: 500 }));
    await scene.syncClaim('one');
    expect(scene.events[1]).toBe(
      `Warning ProvisioningCleanupFailed: Error cleaning provisioned volume for claim ns/one: no deleter for volume ${PV}. Please delete manually.`,
    );
  });

  test('a create whose answer was lost has saved the volume: its storage is never deleted', async () => {
    const { plugin, log } = maker();
    let creates = 0;
    const lose = (inner: Cluster) =>
      new InterceptedCluster(inner, {
        before: ({ verb }) => {
          if (verb === 'create' && ++creates > 1) throw new AmbiguousError('timed out');
        },
        after: ({ verb }) => {
          if (verb === 'create') throw new AmbiguousError('timed out');
        },
      });
    const scene = sceneOf(plugin, classy(), {}, lose);
    await scene.syncClaim('one');
    expect(log).toEqual([`provision ${PV} on any node`]);
    expect(scene.cluster.all('PersistentVolume')).toHaveLength(1);
    expect(scene.events.filter((event) => event.includes('Failed'))).toEqual([]);
    expect(scene.events.at(-1)).toContain('Normal ProvisioningSucceeded');
  });

  test('where nobody can say whether it was saved, its storage is not deleted', async () => {
    const { plugin, log } = maker();
    const scene = sceneOf(plugin);
    let creates = 0;
    scene.cluster.before = (verb, resource) => {
      if (verb === 'create') creates++;
      if (verb === 'create' || (verb === 'get' && resource === 'persistentvolumes' && creates > 0)) {
        throw new AmbiguousError('timed out');
      }
    };
    await expect(scene.syncClaim('one')).rejects.toThrow('timed out');
    expect(log).toEqual([`provision ${PV} on any node`]);
  });
});
