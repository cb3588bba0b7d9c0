import {
  canonicalQuantities,
  dropEmptyFields,
  specOf,
  statusOf,
  validateAccessModes,
  validatePositive,
  validateVolumeMode,
} from './drafts.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from './errors.ts';
import { deepEqual, isObject, type JsonObject, objectAt, stringsAt } from './json.ts';
import type { Rules } from './rules.ts';

/** The fields of a volume's spec of which exactly one must be set. */
const sources = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'csi',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'glusterfs',
  'hostPath',
  'iscsi',
  'local',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];
const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

export const volumeRules: Rules = {
  normalize(draft) {
    const spec = specOf(draft);
    dropEmptyFields(spec, ['accessModes', 'capacity', 'mountOptions', 'storageClassName']);
    spec['persistentVolumeReclaimPolicy'] ??= 'Retain';
    spec['volumeMode'] ??= 'Filesystem';
    if (isObject(spec['hostPath'])) spec['hostPath']['type'] ??= '';
    if (isObject(spec['claimRef'])) dropEmptyFields(spec['claimRef'], Object.keys(spec['claimRef']));
    canonicalQuantities(draft.kind, spec['capacity']);
    statusOf(draft);
  },

  create(draft, now) {
    draft.status = { phase: 'Pending', lastPhaseTransitionTime: now };
  },

  updateStatus(draft, old, now) {
    const status = statusOf(draft);
    const before = objectAt(old.status);
    const time = status['lastPhaseTransitionTime'];
    if (status['phase'] === before['phase']) {
      if (time === undefined && before['lastPhaseTransitionTime'] !== undefined) {
        status['lastPhaseTransitionTime'] = before['lastPhaseTransitionTime'];
      }
    } else if (time === undefined || time === before['lastPhaseTransitionTime']) {
      status['lastPhaseTransitionTime'] = now;
    }
  },

  validate(draft) {
    const spec = objectAt(draft.spec);
    const policy = spec['persistentVolumeReclaimPolicy'];
    const errors: FieldError[] = [];
    if (stringsAt(spec['accessModes']).length === 0) errors.push(required('spec.accessModes'));
    errors.push(...validateAccessModes(spec), ...validateCapacity(spec['capacity']));
    if (!reclaimPolicies.includes(String(policy))) {
      errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies));
    }
    errors.push(...validateSource(spec), ...validateVolumeMode(spec));
    return errors;
  },

  validateUpdate(draft, old) {
    const errors: FieldError[] = [];
    const spec = objectAt(draft.spec);
    const before = objectAt(old.spec);
    if (!deepEqual(sourceOf(spec), sourceOf(before))) {
      errors.push(forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'));
    }
    if (spec['volumeMode'] !== before['volumeMode']) {
      errors.push(invalid('volumeMode', spec['volumeMode'], 'field is immutable'));
    }
    if (before['nodeAffinity'] !== undefined && !deepEqual(spec['nodeAffinity'], before['nodeAffinity'])) {
      errors.push(invalid('nodeAffinity', spec['nodeAffinity'], 'field is immutable'));
    }
    return errors;
  },
};

function validateCapacity(capacity: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const map = objectAt(capacity);
  const names = Object.keys(map);
  if (names.length === 0) errors.push(required('spec.capacity'));
  if (names.length !== 1 || names[0] !== 'storage') {
    errors.push(notSupported('spec.capacity', names.length === 0 ? null : map, ['storage']));
  }
  for (const name of names) errors.push(...validatePositive(map[name], `spec.capacity[${name}]`));
  return errors;
}

function validateSource(spec: JsonObject): FieldError[] {
  const [first, ...others] = Object.keys(sourceOf(spec));
  if (first === undefined) return [required('spec', 'must specify a volume type')];
  const errors = others.map((name) => forbidden(`spec.${name}`, 'may not specify more than 1 volume type'));
  const path = objectAt(spec['hostPath'])['path'];
  if (first === 'local' && spec['nodeAffinity'] === undefined) {
    errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
  }
  if (typeof path === 'string' && /^\/+$/.test(path) && spec['persistentVolumeReclaimPolicy'] === 'Recycle') {
    errors.push(forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'"));
  }
  return errors;
}

function sourceOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => sources.includes(field)));
}
