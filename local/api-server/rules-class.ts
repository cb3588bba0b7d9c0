import { dropEmptyFields } from './drafts.ts';
import { type FieldError, invalid, notSupported, required } from './errors.ts';
import { deepEqual } from './json.ts';
import type { Rules } from './rules.ts';

const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];
const immutable = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'];

export const classRules: Rules = {
  normalize(draft) {
    draft['reclaimPolicy'] ??= 'Delete';
    draft['volumeBindingMode'] ??= 'Immediate';
    dropEmptyFields(draft as never, ['parameters', 'mountOptions', 'allowedTopologies', 'provisioner']);
  },

  validate(draft) {
    const errors: FieldError[] = [];
    if (draft['provisioner'] === undefined) errors.push(required('provisioner'));
    if (!reclaimPolicies.includes(String(draft['reclaimPolicy']))) {
      errors.push(notSupported('reclaimPolicy', draft['reclaimPolicy'], reclaimPolicies));
    }
    if (!bindingModes.includes(String(draft['volumeBindingMode']))) {
      errors.push(notSupported('volumeBindingMode', draft['volumeBindingMode'], bindingModes));
    }
    return errors;
  },

  validateUpdate(draft, old) {
    return immutable
      .filter((field) => !deepEqual(draft[field], old[field]))
      .map((field) => invalid(field, draft[field], 'field is immutable'));
  },
};
