/** What users and other tools change on volumes, claims and classes that exist: rightly, and wrongly. */
import * as annotations from '../../lib/controller/annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../lib/controller/types.ts';
import type { Action } from './action.ts';
import { CLASS_NAMES, claimRefDraft, FINALIZERS, freeSize, VOLUME_NAMES } from './drafts.ts';
import { NODE } from './names.ts';
import type { Random } from './random.ts';
import type { Snapshot } from './snapshot.ts';

type Body = Record<string, unknown>;
type Edit = { readonly do: 'patch' | 'patch status'; readonly body: Body };

const spec = (fields: Body): Edit => ({ do: 'patch', body: { spec: fields } });
const metadata = (fields: Body): Edit => ({ do: 'patch', body: { metadata: fields } });
const annotation = (key: string, value: string | null): Edit => metadata({ annotations: { [key]: value } });

export function editVolume(random: Random, state: Snapshot, volume: PersistentVolume): Action {
  const { claimRef } = volume.spec;
  const edit = random.weighted<Edit>([
    [4, spec({ persistentVolumeReclaimPolicy: random.of(['Retain', 'Delete', 'Recycle']) })],
    [4, spec({ claimRef: null })],
    [4, spec({ claimRef: claimRef?.uid ? { uid: null } : claimRefDraft(random, state.claims) })],
    // A merge patch leaves what it does not name: this can make one of two halves, which happens to people too.
    [6, spec({ claimRef: claimRefDraft(random, state.claims) })],
    [2, metadata({ labels: { tier: random.of(['gold', 'iron', null]) } })],
    [2, spec({ storageClassName: random.of([...CLASS_NAMES.slice(0, 2), null]) })],
    [1, spec({ capacity: { storage: freeSize(random, state) } })],
    [2, annotation(annotations.BOUND_BY_CONTROLLER, random.of(['yes', null]))],
    [2, annotation(annotations.PROVISIONED_BY, random.of(['kubernetes.io/host-path', 'external.example.com', null]))],
    [1, annotation(annotations.MIGRATED_TO, random.of(['ebs.csi.aws.com', '', null]))],
    [2, metadata({ finalizers: random.of([null, [random.of(FINALIZERS)]]) })],
    [
      2,
      {
        do: 'patch status',
        body: { status: { phase: random.of(['Available', 'Bound', 'Released', 'Failed', 'Pending']) } },
      },
    ],
    [1, { do: 'patch status', body: { status: { message: 'written by hand' } } }],
  ]);
  return { ...edit, kind: 'PersistentVolume', name: volume.metadata.name };
}

export function editClaim(random: Random, state: Snapshot, claim: PersistentVolumeClaim): Action {
  const names = [...VOLUME_NAMES, ...state.volumes.map((volume) => volume.metadata.name)];
  const edit = random.weighted<Edit>([
    [3, annotation(annotations.BIND_COMPLETED, random.of(['yes', null]))],
    [2, annotation(annotations.BOUND_BY_CONTROLLER, random.of(['yes', null]))],
    [4, annotation(annotations.SELECTED_NODE, random.of([NODE, NODE, 'gone', null]))],
    [
      2,
      annotation(annotations.STORAGE_PROVISIONER, random.of(['external.example.com', 'kubernetes.io/aws-ebs', null])),
    ],
    [2, annotation(annotations.BETA_STORAGE_CLASS, random.of([...CLASS_NAMES.slice(0, 2), null]))],
    [3, spec({ volumeName: random.of(names) })],
    [1, spec({ storageClassName: random.of(CLASS_NAMES) })],
    [1, spec({ resources: { requests: { storage: '10Gi' } } })],
    [2, metadata({ finalizers: random.of([null, ['example.com/hold']]) })],
    [2, { do: 'patch status', body: { status: { phase: random.of(['Pending', 'Bound', 'Lost']) } } }],
    [1, { do: 'patch status', body: { status: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany'] } } }],
  ]);
  const { namespace, name } = claim.metadata;
  return { ...edit, kind: 'PersistentVolumeClaim', namespace, name };
}

export function editClass(random: Random, { metadata: { name } }: StorageClass): Action {
  return { ...annotation(annotations.DEFAULT_CLASS, random.of(['true', 'false', null])), kind: 'StorageClass', name };
}
