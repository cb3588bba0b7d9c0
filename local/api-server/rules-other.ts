/** Events, namespaces, nodes and pods: only what a PersistentVolume controller meets. */
import { dropEmptyFields, specOf, statusOf } from './drafts.ts';
import { type FieldError, forbidden, invalid, required } from './errors.ts';
import { deepEqual, isObject, objectAt } from './json.ts';
import type { Rules } from './rules.ts';

export const eventRules: Rules = {
  normalize(draft) {
    if (isObject(draft['involvedObject'])) {
      dropEmptyFields(draft['involvedObject'], Object.keys(draft['involvedObject']));
    }
    draft['involvedObject'] ??= {};
    draft['source'] ??= {};
    draft['eventTime'] ??= null;
    draft['reportingComponent'] ??= '';
    draft['reportingInstance'] ??= '';
  },

  validate(draft) {
    // Events about cluster-scoped objects live in `default`.
    const about = objectAt(draft['involvedObject'])['namespace'];
    const { namespace } = draft.metadata;
    return about === namespace || (about === undefined && namespace === 'default')
      ? []
      : [invalid('involvedObject.namespace', about ?? '', 'does not match event.namespace')];
  },
};

export const namespaceRules: Rules = {
  normalize(draft) {
    const spec = specOf(draft);
    spec['finalizers'] ??= ['kubernetes'];
    draft.metadata.labels = { ...draft.metadata.labels, 'kubernetes.io/metadata.name': draft.metadata.name };
    statusOf(draft);
  },

  create(draft) {
    draft.status = { phase: 'Active' };
  },

  validate: () => [],
};

export const nodeRules: Rules = {
  normalize(draft) {
    specOf(draft);
    statusOf(draft);
  },
  validate: () => [],
};

export const podRules: Rules = {
  normalize(draft) {
    const spec = specOf(draft);
    dropEmptyFields(spec, ['nodeName', 'volumes', 'nodeSelector']);
    spec['restartPolicy'] ??= 'Always';
    spec['dnsPolicy'] ??= 'ClusterFirst';
    spec['schedulerName'] ??= 'default-scheduler';
    spec['terminationGracePeriodSeconds'] ??= 30;
    spec['securityContext'] ??= {};
    const status = statusOf(draft);
    status['phase'] ??= 'Pending';
  },

  create(draft) {
    draft.status = { phase: 'Pending', qosClass: 'BestEffort' };
  },

  validate(draft) {
    const containers = objectAt(draft.spec)['containers'];
    if (!Array.isArray(containers) || containers.length === 0) return [required('spec.containers')];
    return containers.flatMap((container, index): FieldError[] => {
      const { name, image } = objectAt(container);
      return [
        ...(name ? [] : [required(`spec.containers[${index}].name`)]),
        ...(image ? [] : [required(`spec.containers[${index}].image`)]),
      ];
    });
  },

  validateUpdate(draft, old) {
    const { activeDeadlineSeconds: _, tolerations: __, ...fixed } = objectAt(draft.spec);
    const { activeDeadlineSeconds: ___, tolerations: ____, ...before } = objectAt(old.spec);
    if (deepEqual(withoutImages(fixed), withoutImages(before))) return [];
    const detail =
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
      '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
      '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
    return [forbidden('spec', detail)];
  },
};

function withoutImages(spec: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(spec), (field, value) => (field === 'image' ? undefined : value));
}
