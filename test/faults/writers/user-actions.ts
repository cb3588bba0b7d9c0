/**
 * What many users do to one cluster at once: they make volumes and claims, and edit and delete each other's, rightly and
 * wrongly. Chosen before anything is played, so a seed does the same whatever the controllers make of it.
 */
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  EXTERNAL_FINALIZER,
  IN_TREE_FINALIZER,
  PROVISIONED_BY,
} from '../../../lib/controller/annotations.ts';
import { claim, volume } from '../../control-plane/objects.ts';
import type { Action } from '../../differential/action.ts';
import { Random } from '../../differential/random.ts';
import { PROVISIONER } from '../scenarios/scenarios.ts';

/** How much of it there is. */
export interface Load {
  /** As many claims as volumes. */
  readonly pairs: number;
  readonly users: number;
  /** Of each user, once its volumes and claims are made. */
  readonly edits: number;
}

type Body = Record<string, unknown>;
type Edit = Pick<Action, 'do'> & { readonly body?: Body };

const TIERS = ['gold', 'iron'];
const DRIVER = 'away.example.com';

/** Classes of a run, in which the observer finds its objects; of the last one there is a provisioner. */
export function classesOf(run: string): [string, string, string] {
  return [`${run}-small`, `${run}-large`, `${run}-made`];
}

/** @returns what each user does, one after the other. @param run its namespace, and the beginning of all names. */
export function actionsOf(seed: number, run: string, { pairs, users, edits }: Load): Action[][] {
  const random = new Random(seed);
  const made = Array.from({ length: users }, (): Action[] => []);
  for (let which = 0; which < pairs; which++) {
    made[which % users]?.push(createVolume(random, run, which, pairs));
    made[(which + 1) % users]?.push(createClaim(random, run, which, pairs));
  }
  return made.map((actions) => [
    ...shuffled(random, actions),
    ...Array.from({ length: edits }, () => later(random, run, pairs)).flat(),
  ]);
}

function later(random: Random, run: string, pairs: number): Action[] {
  const which = random.whole(0, pairs - 1);
  const onVolume = { kind: 'PersistentVolume', name: volumeName(run, which) } as const;
  const onClaim = { kind: 'PersistentVolumeClaim', namespace: run, name: claimName(run, which) } as const;
  return random.weighted<() => Action[]>([
    [8, () => [{ ...editVolume(random, run, which, pairs), ...onVolume }]],
    [6, () => [{ ...editClaim(random, run, pairs), ...onClaim }]],
    [2, () => [{ do: 'delete', ...onVolume }]],
    [3, () => [{ do: 'delete', ...onClaim }]],
    // Under its old name, by which volumes are reserved.
    [3, () => [{ do: 'delete', ...onClaim }, createClaim(random, run, which, pairs)]],
    [1, () => [{ do: 'delete', ...onVolume }, createVolume(random, run, which, pairs)]],
  ])();
}

function createVolume(random: Random, run: string, which: number, pairs: number): Action {
  const name = volumeName(run, which);
  const isDisk = isOfDriver(which);
  const provisioner = isDisk ? DRIVER : 'kubernetes.io/host-path';
  const spec = {
    capacity: { storage: `${random.whole(1, 6)}Gi` },
    storageClassName: random.of(classesOf(run).slice(0, 2)),
    persistentVolumeReclaimPolicy: policyFor(random, which),
    // Only what lies below /tmp may be deleted with its volume.
    ...(isDisk
      ? { hostPath: undefined, csi: { driver: DRIVER, volumeHandle: name } }
      : { hostPath: { path: `/tmp/pv-faults/${name}` } }),
    ...(random.percent(15) && { claimRef: reservation(random, run, pairs) }),
  };
  const metadata = {
    labels: { tier: random.of(TIERS) },
    annotations: random.percent(25) ? { [PROVISIONED_BY]: provisioner } : {},
    ...(random.percent(5) && { finalizers: ['example.com/hold'] }),
  };
  return { do: 'create', kind: 'PersistentVolume', name, body: { ...volume(name, spec), metadata } };
}

function createClaim(random: Random, run: string, which: number, pairs: number): Action {
  const name = claimName(run, which);
  const isForMaking = random.percent(8);
  const spec = {
    resources: { requests: { storage: `${random.whole(1, 4)}Gi` } },
    storageClassName: isForMaking ? classesOf(run)[2] : random.of(classesOf(run).slice(0, 2)),
    ...(!isForMaking && random.percent(15) && { volumeName: volumeName(run, random.whole(0, pairs - 1)) }),
    ...(!isForMaking && random.percent(15) && { selector: { matchLabels: { tier: random.of(TIERS) } } }),
  };
  const body = { ...claim(name, spec), metadata: { labels: { tier: random.of(TIERS) } } };
  return { do: 'create', kind: 'PersistentVolumeClaim', namespace: run, name, body };
}

function editVolume(random: Random, run: string, which: number, pairs: number): Edit {
  const annotation = (key: string, value: string | null) => metadata({ annotations: { [key]: value } });
  const provisioner = isOfDriver(which) ? DRIVER : 'kubernetes.io/host-path';
  return random.weighted<Edit>([
    [4, spec({ claimRef: null })],
    // All of it anew: a patch of the name alone would keep the uid of another claim.
    [4, spec({ claimRef: { ...reservation(random, run, pairs), uid: null, resourceVersion: null } })],
    [3, spec({ claimRef: { uid: null, resourceVersion: null } })],
    [4, spec({ persistentVolumeReclaimPolicy: policyFor(random, which) })],
    [3, spec({ storageClassName: random.of(classesOf(run).slice(0, 2)) })],
    [3, metadata({ labels: { tier: random.of(TIERS) } })],
    [2, annotation(BOUND_BY_CONTROLLER, random.of(['yes', null]))],
    [2, annotation(PROVISIONED_BY, random.of([provisioner, null]))],
    [2, metadata({ finalizers: random.of([null, ['example.com/hold'], [IN_TREE_FINALIZER], [EXTERNAL_FINALIZER]]) })],
    [3, status({ phase: random.of(['Available', 'Bound', 'Released', 'Failed', 'Pending']) })],
  ]);
}

function editClaim(random: Random, run: string, pairs: number): Edit {
  const annotation = (key: string) => metadata({ annotations: { [key]: random.of(['yes', null]) } });
  return random.weighted<Edit>([
    [4, spec({ volumeName: volumeName(run, random.whole(0, pairs - 1)) })],
    [4, metadata({ labels: { tier: random.of(TIERS) } })],
    [3, annotation(BIND_COMPLETED)],
    [2, annotation(BOUND_BY_CONTROLLER)],
    [2, metadata({ finalizers: random.of([null, ['example.com/hold']]) })],
    // Never Bound: whose volume has two claims then, a user has said.
    [3, status({ phase: random.of(['Pending', 'Lost']) })],
  ]);
}

const spec = (fields: Body): Edit => ({ do: 'patch', body: { spec: fields } });
const metadata = (fields: Body): Edit => ({ do: 'patch', body: { metadata: fields } });
const status = (fields: Body): Edit => ({ do: 'patch status', body: { status: fields } });

/** By its name alone, so it may become one that is made later. */
function reservation(random: Random, run: string, pairs: number): Body {
  return { namespace: run, name: claimName(run, random.whole(0, pairs - 1)) };
}

/** One in five; no controller here can scrub those. */
function isOfDriver(which: number): boolean {
  return which % 5 === 4;
}

function policyFor(random: Random, which: number): string {
  return random.of(isOfDriver(which) ? ['Retain', 'Delete'] : ['Retain', 'Delete', 'Recycle']);
}

function volumeName(run: string, which: number): string {
  return `${run}-v${which}`;
}

function claimName(run: string, which: number): string {
  return `${run}-c${which}`;
}

function shuffled<T>(random: Random, values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}

/** A class whose volumes an external provisioner makes. */
export function provisioningClass(run: string): Action {
  return {
    do: 'create',
    kind: 'StorageClass',
    name: classesOf(run)[2],
    body: { provisioner: PROVISIONER, reclaimPolicy: 'Delete' },
  };
}
