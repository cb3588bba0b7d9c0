/** The predicates case by case; test/property/needs-sync.test.ts holds them against the syncs. */
import { describe, expect, test } from 'vitest';
import * as names from './annotations.ts';
import { STANDARD_MIGRATION } from './migration.ts';
import { type ClusterView, couldBind, needsClaimSync, needsVolumeSync } from './needs-sync.ts';
import { PluginRegistry, type VolumePlugin } from './plugins.ts';
import type { SyncRules } from './ports.ts';
import { boundPair, claim, orphan, refTo, reservationFor, storageClass, volume } from './testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from './types.ts';
import { VolumeIndex } from './volume-index.ts';

const plugin = (more: Partial<VolumePlugin>): VolumePlugin => ({
  name: 'kubernetes.io/mock',
  supportsMountOptions: true,
  supports: () => true,
  ...more,
});

const rulesWith = (plugins: VolumePlugin[] = [], dynamicProvisioning = true): SyncRules => ({
  plugins: new PluginRegistry(plugins),
  features: { volumeAttributesClass: true },
  migration: STANDARD_MIGRATION,
  settings: { dynamicProvisioning, createVolumeAttempts: 1, createVolumeIntervalMs: 0, poolMaxAgeMs: 0 },
});

const NONE = rulesWith();
const recycling = rulesWith([plugin({ recycle: async () => 'done' })]);
const deleting = rulesWith([plugin({ newDeleter: () => async () => {} })]);

interface Held {
  readonly volumes?: PersistentVolume[];
  readonly claims?: PersistentVolumeClaim[];
  readonly classes?: StorageClass[];
}

function viewOf({ volumes = [], claims = [], classes = [] }: Held): ClusterView {
  return {
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    claim: ({ namespace, name }) =>
      claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    storageClass: (name) => classes.find(({ metadata }) => metadata.name === name),
    storageClasses: () => classes,
    volumes: new VolumeIndex(volumes),
  };
}

describe('a volume needs a sync', () => {
  const needs = (object: PersistentVolume, claims: PersistentVolumeClaim[] = [], rules = NONE) =>
    needsVolumeSync(viewOf({ volumes: [object], claims }), object, rules);
  const reserved = { claimRef: reservationFor(claim('one')) };

  test.each<[string, boolean, PersistentVolume]>([
    ['free and not Available', true, volume('pv', { status: { phase: 'Pending' } })],
    ['free and Available', false, volume('pv')],
    ['reserved and not Available', true, volume('pv', { spec: reserved, status: { phase: 'Pending' } })],
    ['reserved and Available', false, volume('pv', { spec: reserved })],
    ['released, under Retain', false, orphan('pv')],
    ['Bound to a claim that is gone', true, orphan('pv', { status: { phase: 'Bound' } })],
  ])('when it is %s: %s', (_, expected, object) => {
    expect(needs(object)).toBe(expected);
  });

  test('not when its claim cannot exist: no sync could read it', () => {
    const claimRef = { ...refTo(claim('one')), name: '../x' };
    expect(needs(volume('pv', { spec: { claimRef }, status: { phase: 'Bound' } }))).toBe(false);
  });

  test('when a claim of the name has another uid', () => {
    const { volume: bound, claim: old } = boundPair();
    const recreated = { ...old, metadata: { ...old.metadata, uid: 'another' } };
    expect(needs(bound, [recreated])).toBe(true);
    expect(needs({ ...bound, status: { phase: 'Released' } }, [recreated])).toBe(false);
  });

  test('when the claim that it waits for has no volume yet only to tell that the modes differ', () => {
    const one = claim('one');
    const waiting = { claimRef: refTo(one) };
    expect(needs(volume('pv', { spec: waiting }), [one])).toBe(false);
    expect(needs(volume('pv', { spec: { ...waiting, volumeMode: 'Block' } }), [one])).toBe(true);
  });

  test('when its claim names it and it is not Bound', () => {
    const { volume: bound, claim: one } = boundPair();
    expect(needs(bound, [one])).toBe(false);
    expect(needs({ ...bound, status: { phase: 'Available' } }, [one])).toBe(true);
  });

  test('when its claim went elsewhere, unless it is on its way out because it was made for that claim', () => {
    const { volume: bound, claim: one } = boundPair({ status: { phase: 'Released' } });
    const elsewhere = { ...one, spec: { ...one.spec, volumeName: 'pv-other' } };
    const made = (policy: string): PersistentVolume => ({
      ...bound,
      metadata: { ...bound.metadata, annotations: { [names.PROVISIONED_BY]: 'vendor.com/disk' } },
      spec: { ...bound.spec, persistentVolumeReclaimPolicy: policy },
    });
    expect(needs(bound, [elsewhere])).toBe(true);
    expect(needs(made('Retain'), [elsewhere])).toBe(true);
    expect(needs(made('Delete'), [elsewhere])).toBe(false);
    expect(needs({ ...made('Delete'), status: { phase: 'Bound' } }, [elsewhere])).toBe(true);
    const created = (object: PersistentVolume, second: number) => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    });
    const claimed = {
      ...elsewhere,
      metadata: { ...elsewhere.metadata, creationTimestamp: '2026-01-01T00:00:05Z' },
    };
    // An older one was not made for it, and is only unbound.
    expect([4, 5, 6].map((second) => needs(created(made('Delete'), second), [claimed]))).toEqual([true, false, false]);
    const picked = { ...bound, spec: { ...bound.spec, persistentVolumeReclaimPolicy: 'Delete' } };
    expect(needs(picked, [elsewhere])).toBe(true);
  });

  test.each<[string, string, boolean, SyncRules, Record<string, string>?]>([
    ['Recycle', 'Released', true, NONE],
    ['Recycle', 'Failed', false, NONE],
    ['Recycle', 'Released', true, recycling],
    ['Recycle', 'Failed', true, recycling],
    ['Delete', 'Released', true, deleting],
    ['Delete', 'Failed', true, deleting],
    // No plugin of that source: the sync says so once, by the phase.
    ['Delete', 'Released', true, NONE],
    ['Delete', 'Failed', false, NONE],
    ['Delete', 'Released', false, NONE, { [names.PROVISIONED_BY]: 'vendor.com/disk' }],
    ['Delete', 'Released', false, deleting, { [names.MIGRATED_TO]: 'disk.vendor.com' }],
    ['Retain', 'Failed', false, deleting],
    ['Whatever', 'Released', true, NONE],
    ['Whatever', 'Failed', false, NONE],
  ])('when its claim is gone, under %s and %s: %s', (policy, phase, expected, rules, annotations = {}) => {
    const spec = { persistentVolumeReclaimPolicy: policy };
    // Without its finalizers a volume would be corrected first.
    expect(needs(orphan('pv', { annotations, spec, status: { phase } }), [], rules)).toBe(expected);
  });
});

describe('a bound claim needs a sync', () => {
  const needs = (one: PersistentVolumeClaim, ...volumes: PersistentVolume[]) =>
    needsClaimSync(viewOf({ volumes }), one, NONE);
  const lost = (one: PersistentVolumeClaim) => ({ ...one, status: { phase: 'Lost' } });

  test('not when it and its volume are as a bind leaves them', () => {
    const { claim: one, volume: bound } = boundPair();
    expect(needs(one, bound)).toBe(false);
  });

  test('when anything of the bind is missing', () => {
    const { claim: one, volume: bound } = boundPair();
    const { claimRef: _, ...free } = bound.spec;
    expect(needs(one, { ...bound, spec: free })).toBe(true);
    expect(needs(one, { ...bound, status: { phase: 'Available' } })).toBe(true);
    expect(needs({ ...one, status: { ...one.status, phase: 'Pending' } }, bound)).toBe(true);
    expect(needs({ ...one, status: { ...one.status, accessModes: ['ReadWriteMany'] } }, bound)).toBe(true);
    const pending = { ...one, status: { phase: 'Pending' } };
    // A volume of no size: the sync fails, having written what comes before.
    expect(needs(pending, { ...bound, spec: { ...bound.spec, capacity: {} } })).toBe(true);
  });

  test('when its volume is gone or another’s, until it is Lost', () => {
    const { claim: one, volume: bound } = boundPair();
    const taken = { ...bound, spec: { ...bound.spec, claimRef: refTo(claim('two')) } };
    expect([needs(one), needs(lost(one))]).toEqual([true, false]);
    expect([needs(one, taken), needs(lost(one), taken)]).toEqual([true, false]);
  });
});

describe('an unbound claim that names a volume needs a sync', () => {
  const naming = (status = 'Pending', annotations = {}) =>
    claim('one', { annotations, spec: { volumeName: 'pv' }, status: { phase: status } });
  const needs = (one: PersistentVolumeClaim, ...volumes: PersistentVolume[]) =>
    needsClaimSync(viewOf({ volumes }), one, NONE);
  const small = volume('pv', { spec: { capacity: { storage: '1Mi' } } });
  const taken = volume('pv', { spec: { claimRef: refTo(claim('two')) } });

  test('when the volume is free and fits, or is reserved for it', () => {
    expect(needs(naming(), volume('pv'))).toBe(true);
    expect(needs(naming(), volume('pv', { spec: { claimRef: reservationFor(naming()) } }))).toBe(true);
  });

  test('when all of the bind is done but the mark that it is', () => {
    const { claim: one, volume: bound } = boundPair();
    const { [names.BIND_COMPLETED]: _mark, ...annotations } = one.metadata.annotations ?? {};
    expect(needs({ ...one, metadata: { ...one.metadata, annotations } }, bound)).toBe(true);
  });

  test.each([
    ['is not there', []],
    ['is free and does not fit', [small]],
    ['is another’s', [taken]],
  ])('only to become Pending when the volume %s', (_, volumes) => {
    expect(needs(naming(), ...volumes)).toBe(false);
    expect(needs(naming(''), ...volumes)).toBe(true);
  });

  test('not when the controller had chosen a volume that is another’s: the objects contradict each other', () => {
    const chosen = { [names.BOUND_BY_CONTROLLER]: 'yes' };
    expect(needs(naming('', chosen), taken)).toBe(false);
    expect(needs(naming('', chosen), small)).toBe(true);
  });
});

describe('an unbound claim without a volume needs a sync', () => {
  const fast = storageClass('fast');
  const delayed = storageClass('fast', { volumeBindingMode: 'WaitForFirstConsumer' });
  const asked = { [names.STORAGE_PROVISIONER]: 'vendor.com/disk', [names.BETA_STORAGE_PROVISIONER]: 'vendor.com/disk' };
  const wanting = (annotations = {}, phase = 'Pending') =>
    claim('one', { annotations, spec: { storageClassName: 'fast' }, status: { phase } });
  const needs = (one: PersistentVolumeClaim, held: Held = {}, rules = NONE) => needsClaimSync(viewOf(held), one, rules);

  test('when a volume fits', () => {
    expect(needs(claim('one'), { volumes: [volume('pv')] })).toBe(true);
    expect(needs(claim('one'), { volumes: [volume('pv', { spec: { capacity: { storage: '1Mi' } } })] })).toBe(false);
  });

  test('when there is a default class and it has none', () => {
    const isDefault = { [names.DEFAULT_CLASS]: 'true' };
    const classes = [storageClass('standard', { metadata: { name: 'standard', annotations: isDefault } })];
    expect(needs(claim('one'), { classes })).toBe(true);
    expect(needs(claim('one'), { classes: [storageClass('standard')] })).toBe(false);
    expect(needs(claim('one', { spec: { storageClassName: '' } }), { classes })).toBe(false);
  });

  test('when its provisioner is not asked yet', () => {
    expect(needs(wanting(), { classes: [fast] })).toBe(true);
    expect(needs(wanting(asked), { classes: [fast] })).toBe(false);
    expect(needs(wanting(asked, ''), { classes: [fast] })).toBe(false);
    expect(needs(wanting(), { classes: [fast] }, rulesWith([], false))).toBe(false);
    expect(needs(wanting())).toBe(false);
  });

  test('always when a plugin of ours provisions, and never when that plugin is not there', () => {
    const ours = [storageClass('fast', { provisioner: 'kubernetes.io/mock' })];
    const newProvisioner = () => async () => volume('pv');
    expect(needs(wanting(), { classes: ours }, rulesWith([plugin({ newProvisioner })]))).toBe(true);
    expect(needs(wanting(), { classes: ours })).toBe(false);
  });

  test('not when nobody knows the driver to which its class was migrated: the sync only says so', () => {
    const migration = { ...STANDARD_MIGRATION, isMigrated: () => true, driverOf: () => undefined };
    expect(needs(wanting(), { classes: [fast] }, { ...NONE, migration })).toBe(false);
  });

  test('with delayed binding when a node is selected, before that only to become Pending', () => {
    expect(needs(wanting(), { classes: [delayed] })).toBe(false);
    expect(needs(wanting({}, ''), { classes: [delayed] })).toBe(true);
    expect(needs(wanting({ [names.SELECTED_NODE]: 'a' }), { classes: [delayed] })).toBe(true);
    const free = volume('pv', { spec: { storageClassName: 'fast' } });
    expect(needs(wanting(), { classes: [delayed], volumes: [free] })).toBe(false);
  });

  test('only to become Pending when it wants no class', () => {
    expect(needs(claim('one', { spec: { storageClassName: '' } }))).toBe(false);
    expect(needs(claim('one', { spec: { storageClassName: '' }, status: { phase: '' } }))).toBe(true);
  });

  test('not when its selector is broken: the sync fails before it writes', () => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] };
    const broken = claim('one', { spec: { selector }, status: { phase: '' } });
    expect(needs(broken, { volumes: [volume('pv')] })).toBe(false);
    expect(couldBind(viewOf({}), volume('pv'), broken, NONE)).toBe(false);
  });

  test('could have a volume that fits, unless its class waits for the first consumer', () => {
    const free = volume('pv', { spec: { storageClassName: 'fast' } });
    expect(couldBind(viewOf({ classes: [fast] }), free, wanting(), NONE)).toBe(true);
    expect(couldBind(viewOf({ classes: [delayed] }), free, wanting(), NONE)).toBe(false);
    expect(couldBind(viewOf({ classes: [fast] }), volume('pv'), wanting(), NONE)).toBe(false);
  });
});
