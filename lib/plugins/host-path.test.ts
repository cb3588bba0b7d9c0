import { describe, expect, test } from 'vitest';
import { InMemoryCluster } from '../cluster/in-memory.ts';
import { claim, storageClass, volume } from '../controller/testing/objects.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { type HostPathOptions, HostPathPlugin } from './host-path.ts';
import { RecyclerPods } from './recycler-pod.ts';

const settings = { namespace: 'r', image: 'i', minimumTimeoutSeconds: 60, incrementTimeoutSecondsPerGib: 30 };

function pluginWith(parts: Partial<HostPathOptions> = {}) {
  const log: string[] = [];
  const disk = {
    makeDirectory: async (path: string) => void log.push(`make ${path}`),
    removeDirectory: async (path: string) => void log.push(`remove ${path}`),
    uuid: () => 'uuid',
  };
  const pods = new RecyclerPods(new InMemoryCluster());
  return { log, plugin: new HostPathPlugin({ pods, settings, disk, ...parts }) };
}

const at = (path: string): PersistentVolume => volume('pv', { spec: { hostPath: { path } } });

describe('the hostPath deleter (BEHAVIOUR 7.5)', () => {
  test.each(['/tmp/a', '/tmp/hostpath_pv/uuid', '/tmp//a', '/tmp/a/', '/tmp/..a'])('removes %s', async (path) => {
    const { plugin, log } = pluginWith();
    await plugin.newDeleter?.(at(path))();
    expect(log).toEqual([`remove ${path}`]);
  });

  test.each([
    '/tmp',
    '/tmp/',
    '/tmp//',
    '/',
    '',
    '/tmpa/b',
    '/var/tmp/a',
    'tmp/a',
    '//tmp/a',
    '/tmp/../etc',
    '/tmp/a/../../etc',
    '/tmp/./a',
    '/tmp/a/..',
  ])('refuses %j', async (path) => {
    const { plugin, log } = pluginWith();
    const message = `host_path deleter only supports /tmp/.+ but received provided ${path}`;
    await expect(plugin.newDeleter?.(at(path))()).rejects.toThrow(message);
    expect(log).toEqual([]);
  });

  test('is not there where there is no host: a Lambda', () => {
    const pods = new RecyclerPods(new InMemoryCluster());
    const plugin = new HostPathPlugin({ pods, settings, provisioning: true });
    expect(plugin.newDeleter).toBeUndefined();
    expect(plugin.newProvisioner).toBeUndefined();
    expect(plugin.supports(at('/tmp/a'))).toBe(true);
  });
});

describe('the hostPath provisioner (BEHAVIOUR 7.5)', () => {
  const options = { volumeName: 'pvc-1', claim: claim('one'), storageClass: storageClass('fast') };

  test('is refused unless it is enabled', () => {
    expect(() => pluginWith().plugin.newProvisioner?.(options)).toThrow(
      'provisioning in volume plugin "kubernetes.io/host-path" is disabled',
    );
  });

  test('makes a directory of its own, with the claim’s size and access modes', async () => {
    const { plugin, log } = pluginWith({ provisioning: true });
    const made = await plugin.newProvisioner?.(options)();
    expect(log).toEqual(['make /tmp/hostpath_pv/uuid']);
    expect(made).toEqual({
      metadata: { name: 'pvc-1', annotations: { 'kubernetes.io/createdby': 'hostpath-dynamic-provisioner' } },
      spec: {
        persistentVolumeReclaimPolicy: 'Delete',
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/tmp/hostpath_pv/uuid' },
      },
    });
  });

  test('takes the policy of the class, and ReadWriteOnce where the claim wants none', async () => {
    const { plugin } = pluginWith({ provisioning: true });
    const retained = storageClass('fast', { reclaimPolicy: 'Retain' });
    const modeless = claim('one', { spec: { accessModes: [] } });
    const made = await plugin.newProvisioner?.({ ...options, storageClass: retained, claim: modeless })();
    expect(made?.spec.persistentVolumeReclaimPolicy).toBe('Retain');
    expect(made?.spec.accessModes).toEqual(['ReadWriteOnce']);
  });

  test('refuses block volumes', async () => {
    const { plugin, log } = pluginWith({ provisioning: true });
    const block = { ...options, claim: claim('one', { spec: { volumeMode: 'Block' } }) };
    await expect(plugin.newProvisioner?.(block)()).rejects.toThrow(
      'kubernetes.io/host-path does not support block volume provisioning',
    );
    expect(log).toEqual([]);
  });

  test('knows no mount options', () => {
    expect(pluginWith().plugin.supportsMountOptions).toBe(false);
  });
});
