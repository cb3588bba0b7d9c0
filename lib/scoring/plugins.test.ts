/** What the built-in controller's own plugins would do, foreseen without doing it. */
import { expect, test } from 'vitest';
import { InMemoryCluster } from '../cluster/in-memory.ts';
import { PluginRegistry } from '../controller/plugins.ts';
import { volume } from '../controller/testing/objects.ts';
import { builtInPlugins } from './plugins.ts';

const settings = {
  recyclerNamespace: '',
  recyclerImage: 'busybox',
  hostPathTimeoutSeconds: 60,
  nfsTimeoutSeconds: 300,
  incrementTimeoutSeconds: 30,
};
const cluster = new InMemoryCluster();
const plugins = new PluginRegistry(builtInPlugins(cluster, settings));
const hostPath = (path: string) => volume('pv-a', { spec: { hostPath: { path } } });

test('there are those of hostPath and NFS, whatever the settings say of recycling', () => {
  expect(plugins.all().map(({ name }) => name)).toEqual(['kubernetes.io/host-path', 'kubernetes.io/nfs']);
});

test('a hostPath volume is deleted below /tmp, and nowhere else', async () => {
  const deleterOf = (path: string) => plugins.bySource(hostPath(path)).newDeleter?.(hostPath(path));
  await expect(deleterOf('/tmp/disk')?.()).resolves.toBeUndefined();
  await expect(deleterOf('/srv/disk')?.()).rejects.toThrow('host_path deleter only supports /tmp/.+');
});

test('a recycling takes its time, and makes no pod', async () => {
  expect(await plugins.bySource(hostPath('/tmp/disk')).recycle?.(hostPath('/tmp/disk'))).toBe('waiting');
  expect(cluster.writes).toEqual([]);
});

test('nothing is provisioned: that is off by default', () => {
  expect(plugins.all().every(({ newProvisioner }) => newProvisioner === undefined)).toBe(true);
});
