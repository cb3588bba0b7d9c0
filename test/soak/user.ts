/** Acts at random, straight at the API server, where nothing fails; each look at the cluster is good for a few actions. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StorageClass } from '../../lib/controller/types.ts';
import type { ApiClient } from '../control-plane/harness.ts';
import { type Action, collectionOf, pathOf } from '../differential/action.ts';
import { Random } from '../differential/random.ts';
import type { Snapshot } from '../differential/snapshot.ts';
import { realNames, realProvisioner } from './names.ts';
import { propose } from './proposals.ts';
import { viewOf } from './view.ts';

const LOOK_EVERY_MS = 1_000;
const ACTIONS_PER_LOOK = 5;
const METHODS = { create: 'POST', patch: 'PATCH', 'patch status': 'PATCH', delete: 'DELETE' } as const;

export class User {
  readonly #client: ApiClient;
  readonly #random: Random;
  #nextVolume = 1;
  /** By what was done, such as `patch PersistentVolume`: how often, and how often the API server refused it. */
  readonly done = new Map<string, { times: number; refused: number }>();

  constructor(client: ApiClient, seed: number) {
    this.#client = client;
    this.#random = new Random(seed);
  }

  get actions(): number {
    return [...this.done.values()].reduce((sum, { times }) => sum + times, 0);
  }

  /** Goes on until the signal. @throws Error when the API server fails: nothing stands before it. */
  async actUntil(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const state = await viewOf(this.#client);
      const actions = Array.from({ length: ACTIONS_PER_LOOK }, () => propose(this.#random, state));
      await Promise.all(actions.map((action) => action && this.#act(action, state)));
      await sleep(LOOK_EVERY_MS, undefined, { signal: over }).catch(() => {});
    }
  }

  async #act(proposed: Action, state: Snapshot): Promise<void> {
    const action = this.#real(proposed);
    const { status, body } = await this.#client.request(METHODS[action.do], addressOf(action), bodyOf(action, state));
    if (status >= 500) throw new Error(`${action.do} ${addressOf(action)}: ${status} ${JSON.stringify(body)}`);
    const what = `${action.do} ${action.kind}`;
    const count = this.done.get(what) ?? { times: 0, refused: 0 };
    const refused = count.refused + (status >= 300 ? 1 : 0);
    this.done.set(what, { times: count.times + 1, refused });
  }

  #real(proposed: Action): Action {
    const action = JSON.parse(realNames(JSON.stringify(proposed), this.#nextVolume, this.#random)) as Action;
    if (action.do === 'create' && action.kind === 'PersistentVolume') this.#nextVolume += 1;
    return action;
  }
}

function addressOf(action: Action): string {
  if (action.do === 'create') return collectionOf(action.kind, action.namespace);
  // A pod without a kubelet would take its grace time and longer.
  if (action.do === 'delete') return pathOf(action) + (action.kind === 'Pod' ? '?gracePeriodSeconds=0' : '');
  return pathOf(action) + (action.do === 'patch status' ? '/status' : '');
}

function bodyOf({ do: verb, kind, name, body }: Action, { volumes }: Snapshot): object | undefined {
  if (body === undefined) return undefined;
  const metadata = body['metadata'] as object | undefined;
  if (verb === 'create') {
    const provisioner = kind === 'StorageClass' && realProvisioner((body as unknown as StorageClass).provisioner);
    return { ...body, metadata: { ...metadata, name }, ...(provisioner && { provisioner }) };
  }
  // A claimRef is edited only as it was seen: it was the user's to edit then.
  const seen = volumes.find((volume) => volume.metadata.name === name)?.metadata.resourceVersion;
  const isOfClaimRef = kind === 'PersistentVolume' && 'claimRef' in ((body['spec'] ?? {}) as object);
  return isOfClaimRef ? { ...body, metadata: { ...metadata, resourceVersion: seen } } : body;
}
