/** Runs pods in name only: each that appears has succeeded a moment later. No node is needed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './harness.ts';

export interface FakeKubelet {
  /** Names of the pods that it has run. */
  readonly ran: readonly string[];
  stop(): Promise<void>;
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly uid: string };
    readonly status: { readonly phase: string };
  }[];
}

const pollMilliseconds = 50;

/** Starts to look after the pods of one namespace. */
export function startFakeKubelet(client: ApiClient, namespace: string): FakeKubelet {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const ran: string[] = [];
  const stopping = new AbortController();
  const work = async () => {
    while (!stopping.signal.aborted) {
      const { body } = await client.request<PodList>('GET', path);
      for (const { metadata, status } of body.items ?? []) {
        if (status.phase !== 'Pending') continue;
        // The uid keeps it from finishing another pod that has taken the name meanwhile.
        const succeeded = { metadata: { uid: metadata.uid }, status: { phase: 'Succeeded' } };
        const answer = await client.request('PATCH', `${path}/${metadata.name}/status`, succeeded);
        if (answer.status === 200) ran.push(metadata.name);
      }
      await sleep(pollMilliseconds, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const working = work();
  return {
    ran,
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
}
