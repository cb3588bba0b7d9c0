/** Does on one plane what an action says, and tidies up after a play. */
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PersistentVolume } from '../../lib/controller/types.ts';
import type { ApiClient } from '../control-plane/harness.ts';
import { type ActedKind, type Action, collectionOf, pathOf } from './action.ts';
import type { Names } from './names.ts';

const METHODS = { create: 'POST', patch: 'PATCH', 'patch status': 'PATCH', delete: 'DELETE' } as const;
const POLL_MS = 50;
const TIMEOUT_MS = 60_000;
/** Where the hostPath plugin of either controller makes volumes. */
const PROVISIONED = '/tmp/hostpath_pv/';

interface Created {
  readonly metadata: { readonly uid: string };
}

/** @returns the API server's status code: a refusal is an outcome like any other, to be the same on both planes. */
export async function apply(client: ApiClient, names: Names, action: Action): Promise<number> {
  const { path, body } = requestOf(names, action);
  const answer = await client.request<Created>(METHODS[action.do], path, body);
  if (answer.status === 201 && action.kind === 'PersistentVolumeClaim') {
    names.claimAppeared(`${action.namespace}/${action.name}`, answer.body.metadata.uid);
  }
  if (answer.status === 200 && action.do === 'delete' && action.kind === 'Namespace') await untilEmptied(client, path);
  return answer.status;
}

function requestOf(names: Names, action: Action): { path: string; body?: unknown } {
  const { do: verb, kind, namespace, name, body } = action;
  const real = JSON.parse(names.toPlane(JSON.stringify({ namespace, name, body }))) as typeof action;
  const target = { kind, name: real.name, ...(real.namespace !== undefined && { namespace: real.namespace }) };
  if (verb === 'create') {
    const metadata = { ...(real.body?.['metadata'] as object), name: real.name };
    return { path: collectionOf(kind, real.namespace), body: { ...real.body, metadata } };
  }
  // A pod without a kubelet would take its grace time and longer.
  if (verb === 'delete') return { path: pathOf(target) + (kind === 'Pod' ? '?gracePeriodSeconds=0' : '') };
  return { path: pathOf(target) + (verb === 'patch status' ? '/status' : ''), body: real.body };
}

/**
 * The namespace controller waits five seconds before it deletes anything, and deletes the rest only when all pods are
 * gone: those on a node need a hand, since no kubelet ends them. What has finalizers stays, and the namespace with it.
 */
async function untilEmptied(client: ApiClient, path: string): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const isGoing = ({ metadata }: PersistentVolume) => metadata.deletionTimestamp !== undefined;
    const [claims = [], pods = []] = await Promise.all(
      ['persistentvolumeclaims', 'pods'].map(async (kind) => {
        return (await client.request<{ items?: PersistentVolume[] }>('GET', `${path}/${kind}`)).body.items;
      }),
    );
    for (const { metadata } of pods.filter(isGoing)) {
      await client.request('DELETE', `${path}/pods/${metadata.name}?gracePeriodSeconds=0`);
    }
    if (pods.length === 0 && claims.every(isGoing)) return;
    if (Date.now() > deadline) throw new Error(`${path} is not emptied after ${TIMEOUT_MS} ms`);
    await sleep(POLL_MS);
  }
}

/** Everything of all plays goes, finalizers or not; namespaces take their time, and their names are not used again. */
export async function tidyUp(client: ApiClient, namespaces: readonly string[]): Promise<void> {
  const kinds: readonly ActedKind[] = ['Pod', 'StorageClass', 'PersistentVolumeClaim', 'PersistentVolume'];
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const paths = (await Promise.all(kinds.map((kind) => pathsOf(client, kind)))).flat();
    if (paths.length === 0) break;
    if (Date.now() > deadline) throw new Error(`not gone after ${TIMEOUT_MS} ms: ${paths.join(', ')}`);
    for (const path of paths) {
      await client.request('DELETE', path);
      await client.request('PATCH', path.replace('?gracePeriodSeconds=0', ''), { metadata: { finalizers: null } });
    }
  }
  for (const name of namespaces) await client.request('DELETE', pathOf({ kind: 'Namespace', name }));
}

async function pathsOf(client: ApiClient, kind: ActedKind): Promise<string[]> {
  const { body } = await client.request<{ items: PersistentVolume[] }>('GET', collectionOf(kind));
  return await Promise.all(
    body.items.map(async ({ metadata: { namespace, name }, spec }) => {
      const { path = '' } = spec?.hostPath ?? {};
      if (kind === 'PersistentVolume' && path.startsWith(PROVISIONED)) await rm(path, { recursive: true, force: true });
      const at = pathOf({ kind, name, ...(namespace !== undefined && { namespace }) });
      return kind === 'Pod' ? `${at}?gracePeriodSeconds=0` : at;
    }),
  );
}
