import { describe, expect, it } from 'vitest';
import type { Body } from './client.ts';
import { claim, classesPath, expectFailure, type Fixture, pod, storageClass, volume, volumesPath } from './fixture.ts';

type Case = readonly [why: string, object: Body, field: string, reason: string];

const volumes: readonly Case[] = [
  ['has no capacity', volume('bad', { capacity: undefined }), 'spec.capacity', 'FieldValueRequired'],
  [
    'has a capacity of nothing',
    volume('bad', { capacity: { storage: '0' } }),
    'spec.capacity[storage]',
    'FieldValueInvalid',
  ],
  ['has no access modes', volume('bad', { accessModes: [] }), 'spec.accessModes', 'FieldValueRequired'],
  ['has an unknown access mode', volume('bad', { accessModes: ['Any'] }), 'spec.accessModes', 'FieldValueNotSupported'],
  ['has no source', volume('bad', { hostPath: undefined }), 'spec', 'FieldValueRequired'],
  ['has two sources', volume('bad', { nfs: { server: 'a', path: '/' } }), 'spec.nfs', 'FieldValueForbidden'],
  [
    'has an unknown reclaim policy',
    volume('bad', { persistentVolumeReclaimPolicy: 'Unknown' }),
    'spec.persistentVolumeReclaimPolicy',
    'FieldValueNotSupported',
  ],
  [
    'would recycle the root',
    volume('bad', { persistentVolumeReclaimPolicy: 'Recycle', hostPath: { path: '/' } }),
    'spec.persistentVolumeReclaimPolicy',
    'FieldValueForbidden',
  ],
  ['has an unknown volume mode', volume('bad', { volumeMode: 'Any' }), 'spec.volumeMode', 'FieldValueNotSupported'],
  [
    'is local without a node',
    volume('bad', { hostPath: undefined, local: { path: '/x' } }),
    'spec.nodeAffinity',
    'FieldValueRequired',
  ],
  ['has a bad name', volume('Bad_Name'), 'metadata.name', 'FieldValueInvalid'],
  ['has no name', volume(''), 'metadata.name', 'FieldValueRequired'],
  [
    'has a finalizer without a domain',
    volume('bad', {}, { finalizers: ['hold'] }),
    'metadata.finalizers[0]',
    'FieldValueInvalid',
  ],
  ['has a bad label', volume('bad', {}, { labels: { 'a b': 'c' } }), 'metadata.labels', 'FieldValueInvalid'],
];

const claims: readonly Case[] = [
  // No digits are no fault: they are zero.
  [
    'asks for nothing',
    claim('bad', { resources: { requests: { storage: 'Gi' } } }),
    'spec.resources[storage]',
    'FieldValueInvalid',
  ],
  ['has no access modes', claim('bad', { accessModes: undefined }), 'spec.accessModes', 'FieldValueRequired'],
  ['asks for no storage', claim('bad', { resources: {} }), 'spec.resources[storage]', 'FieldValueRequired'],
  [
    'asks for less than nothing',
    claim('bad', { resources: { requests: { storage: '-1' } } }),
    'spec.resources[storage]',
    'FieldValueInvalid',
  ],
  ['has an unknown access mode', claim('bad', { accessModes: ['Any'] }), 'spec.accessModes', 'FieldValueNotSupported'],
  [
    'mixes ReadWriteOncePod with others',
    claim('bad', { accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'] }),
    'spec.accessModes',
    'FieldValueForbidden',
  ],
  ['has an unknown volume mode', claim('bad', { volumeMode: 'Any' }), 'spec.volumeMode', 'FieldValueNotSupported'],
];

const others: readonly Case[] = [
  ['class has no provisioner', storageClass('bad', { provisioner: undefined }), 'provisioner', 'FieldValueRequired'],
  ['class would recycle', storageClass('bad', { reclaimPolicy: 'Recycle' }), 'reclaimPolicy', 'FieldValueNotSupported'],
  [
    'class binds at an unknown time',
    storageClass('bad', { volumeBindingMode: 'Never' }),
    'volumeBindingMode',
    'FieldValueNotSupported',
  ],
  ['pod has no containers', pod('bad', { containers: [] }), 'spec.containers', 'FieldValueRequired'],
];

/** What the server does not let in. */
export function validationContract(fixture: Fixture): void {
  async function expectRefusal(collection: string, [, object, field, reason]: Case): Promise<void> {
    const { message, details } = expectFailure(await fixture.client.post(collection, object), 422, 'Invalid');
    const group = object.kind === 'StorageClass' ? '.storage.k8s.io' : '';
    expect(message).toContain(`${object.kind}${group} "${object.metadata.name}" is invalid: `);
    expect(details.kind).toBe(object.kind);
    expect(details.causes).toContainEqual(expect.objectContaining({ field, reason }));
    const cause = details.causes.find((one: Body) => one.field === field && one.reason === reason);
    expect(message).toContain(`${field}: ${cause.message}`);
  }

  describe('validation', () => {
    it.each(volumes)('refuses a volume that %s', (...args) => expectRefusal(volumesPath, args));
    it.each(claims)('refuses a claim that %s', (...args) => expectRefusal(fixture.claimsPath, args));
    it.each(others)('refuses it if the %s', (...args) =>
      expectRefusal(args[1].kind === 'Pod' ? fixture.path('pods') : classesPath, args),
    );

    it('puts several faults into one message, in brackets', async () => {
      const answer = await fixture.client.post(volumesPath, volume('bad', { capacity: undefined }));
      expect(expectFailure(answer, 422, 'Invalid').message).toBe(
        'PersistentVolume "bad" is invalid: [spec.capacity: Required value, ' +
          'spec.capacity: Unsupported value: null: supported values: "storage"]',
      );
    });

    it.each(['x', '1Q', '', '1 Gi', '--1', '1.2.3'])('cannot read the quantity "%s"', async (storage) => {
      const answer = await fixture.client.post(
        fixture.claimsPath,
        claim('bad', { resources: { requests: { storage } } }),
      );
      const { message } = expectFailure(answer, 400, 'BadRequest');
      expect(message).toMatch(
        /^PersistentVolumeClaim in version "v1" cannot be handled as a PersistentVolumeClaim: .*quantit/,
      );
    });

    it('refuses an update that a creation would have been refused for', async () => {
      const object = await fixture.createVolume();
      object.spec.accessModes = [];
      expectFailure(await fixture.put(object), 422, 'Invalid');
    });
  });
}
