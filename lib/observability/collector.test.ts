/** The counts of the built-in controller's collector, label by label. */
import { expect, test } from 'vitest';
import { BETA_STORAGE_CLASS } from '../controller/annotations.ts';
import { claim, volume } from '../controller/testing/objects.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { Collector, pluginNameOf } from './collector.ts';

/** A volume of this source instead of a hostPath. */
function from(source: Partial<PersistentVolume['spec']>, name: string, phase = 'Available'): PersistentVolume {
  const { hostPath: _hostPath, ...spec } = volume(name).spec;
  return { ...volume(name), spec: { ...spec, ...source }, status: { phase } };
}

const csi = { csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' }, storageClassName: 'gp3' };

/** `name{label values} value`, as a scrape would have it. */
function countsOf(collector: Collector): string[] {
  return collector.counts().map(({ name, labels, value }) => `${name}{${Object.values(labels).join(',')}} ${value}`);
}

test('volumes are counted by plugin and mode, and by class as bound and unbound', () => {
  const collector = new Collector();
  collector.volume(from(csi, 'one', 'Bound'));
  collector.volume(from(csi, 'two', 'Released'));
  collector.volume(volume('three', { spec: { volumeMode: 'Block' }, annotations: { [BETA_STORAGE_CLASS]: 'old' } }));
  expect(countsOf(collector).sort()).toEqual([
    'pv_collector_bound_pv_count{gp3} 1',
    'pv_collector_total_pv_count{kubernetes.io/csi:ebs.csi.aws.com,Filesystem} 2',
    'pv_collector_total_pv_count{kubernetes.io/host-path,Block} 1',
    'pv_collector_unbound_pv_count{gp3} 1',
    // Of a volume only the field counts.
    'pv_collector_unbound_pv_count{none} 1',
  ]);
});

test('claims are counted by namespace, class and attributes class; of a claim the annotation comes first', () => {
  const collector = new Collector();
  const spec = { storageClassName: 'gp3', volumeAttributesClassName: 'fast' };
  collector.claim(claim('one', { spec, status: { phase: 'Bound' } }));
  collector.claim(claim('two', { spec, annotations: { [BETA_STORAGE_CLASS]: 'old' }, status: { phase: 'Lost' } }));
  collector.claim(claim('three'));
  expect(countsOf(collector).sort()).toEqual([
    'pv_collector_bound_pvc_count{ns,gp3,fast} 1',
    'pv_collector_unbound_pvc_count{ns,none,none} 1',
    'pv_collector_unbound_pvc_count{ns,old,fast} 1',
  ]);
});

test('the totals are over all labels, and the largest count comes first', () => {
  const collector = new Collector();
  for (const name of ['a', 'b', 'c'])
    collector.claim(claim(name, { metadata: { namespace: name === 'a' ? 'x' : 'y' } }));
  expect(collector.totals()).toEqual({
    pv_collector_total_pv_count: 0,
    pv_collector_bound_pv_count: 0,
    pv_collector_unbound_pv_count: 0,
    pv_collector_bound_pvc_count: 0,
    pv_collector_unbound_pvc_count: 3,
  });
  expect(collector.counts().map(({ value }) => value)).toEqual([2, 1]);
});

test('labels that contain each other’s separators are different labels', () => {
  const collector = new Collector();
  collector.claim(claim('a', { spec: { storageClassName: 'x', volumeAttributesClassName: 'y","z' } }));
  collector.claim(claim('b', { spec: { storageClassName: 'x","y', volumeAttributesClassName: 'z' } }));
  expect(collector.counts()).toHaveLength(2);
});

test('a source that no plugin of the built-in controller is for has none', () => {
  expect(pluginNameOf(from({ iscsi: { iqn: 'i', lun: 0, targetPortal: 'p' } }, 'pv'))).toBe('N/A');
  expect(pluginNameOf(from({ nfs: { server: 's', path: '/' } }, 'pv'))).toBe('kubernetes.io/nfs');
});
