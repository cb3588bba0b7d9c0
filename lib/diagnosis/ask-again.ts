/** Cures of a Pending claim: most of its spec cannot be changed, so it is made again with other wishes. */
import { accessModesSatisfied } from '../controller/access-modes.ts';
import { BETA_STORAGE_CLASS, hasAnnotation, storageClassOf, volumeModeOf } from '../controller/annotations.ts';
import { capacityOf, type Request } from '../controller/candidate.ts';
import { defaultClassOf } from '../controller/default-class.ts';
import { compareQuantities } from '../controller/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../controller/types.ts';
import type { Cure } from './finding.ts';
import { quoted, recreateCommand } from './kubectl.ts';

type ClaimSpec = PersistentVolumeClaim['spec'];
/** Undefined takes a field away. */
type SpecChanges = { readonly [K in keyof ClaimSpec]?: ClaimSpec[K] | undefined };

/** The claim again. Only the very version that was diagnosed is deleted for it: Pending, and so without data. */
export function askAgain(claim: PersistentVolumeClaim, changes: SpecChanges, does: string): Cure {
  return { does, command: recreateCommand(claim, withSpec(claim, changes)) };
}

/** The claim again, with whatever it takes to fit this volume. */
export function askForVolume(claim: PersistentVolumeClaim, volume: PersistentVolume, request: Request): Cure {
  const { spec } = volume;
  const isLarger = compareQuantities(request.storage, capacityOf(volume)) > 0;
  const hasModes = accessModesSatisfied(claim.spec.accessModes, spec.accessModes);
  const isSelected = request.selector?.(volume.metadata.labels ?? {}) ?? true;
  const changes: SpecChanges = {
    ...(isLarger && { resources: { requests: { storage: capacityOf(volume) } } }),
    ...(!hasModes && { accessModes: spec.accessModes ?? [] }),
    ...(volumeModeOf(volume) !== request.volumeMode && { volumeMode: volumeModeOf(volume) }),
    ...(storageClassOf(volume) !== request.storageClass && { storageClassName: storageClassOf(volume) }),
    ...((spec.volumeAttributesClassName ?? '') !== request.attributesClass && {
      volumeAttributesClassName: spec.volumeAttributesClassName,
    }),
    ...(!isSelected && { selector: undefined }),
  };
  const fields = Object.keys(changes).map((field) => (field === 'resources' ? 'size' : field));
  return askAgain(claim, changes, `Ask for what volume ${volume.metadata.name} has (${fields.join(', ')})`);
}

/** Marks the class as the cluster's default, so that claims without a class get it. */
export function makeDefault(storageClass: StorageClass): Cure {
  const { name } = storageClass.metadata;
  return {
    does: `Make ${name} the default class of the cluster`,
    command: `kubectl annotate storageclass ${quoted(name)} --overwrite storageclass.kubernetes.io/is-default-class=true`,
  };
}

/** The class to propose where the claim's own cannot work: the default one, else the only one. */
export function classToPropose(classes: readonly StorageClass[]): StorageClass | undefined {
  return defaultClassOf(classes) ?? (classes.length === 1 ? classes[0] : undefined);
}

/** Keys of the cluster's own: marks of a binding, provisioners, the node; and what kubectl remembers. */
const CLUSTER_KEY = /^([^/]+\.)?kubernetes\.io\//;

/** The claim as its user would write it: without what the cluster added, its class in the field. */
function withSpec(claim: PersistentVolumeClaim, changes: SpecChanges) {
  const { namespace, name, labels, annotations, ownerReferences } = claim.metadata;
  const own = Object.entries(annotations ?? {}).filter(([key]) => !CLUSTER_KEY.test(key));
  const metadata = {
    namespace,
    name,
    ...(labels && { labels }),
    ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
    ...(ownerReferences && { ownerReferences }),
  };
  const asked = hasAnnotation(claim, BETA_STORAGE_CLASS) ? { storageClassName: storageClassOf(claim) } : {};
  const all = Object.entries({ ...claim.spec, ...asked, ...changes });
  const spec = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec };
}
