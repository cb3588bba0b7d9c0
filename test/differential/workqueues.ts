/**
 * The two work queues of the built-in controller, seen through its metrics: whether it has nothing to do, and whether it
 * has gone over everything once more. A wait by the clock alone would prove nothing on a busy machine.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, apiClient } from '../control-plane/api-client.ts';
import type { ManagedProcess } from '../control-plane/harness.ts';

const QUEUES = ['volumes', 'claims'] as const;
type Counts = Readonly<Record<(typeof QUEUES)[number], number>>;

const POLL_MS = 25;
const QUIET_LOOKS = 3;
const TIMEOUT_MS = 60_000;

export class Workqueues {
  readonly #client: ApiClient;

  private constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Of a running controller manager that lets anybody read its metrics. @throws Error when it does not say where. */
  static async of(manager: ManagedProcess, directory: string): Promise<Workqueues> {
    const [, address] = /Serving securely on (127\.0\.0\.1:\d+)/.exec(await readFile(manager.logFile, 'utf8')) ?? [];
    if (address === undefined) throw new Error(`${manager.logFile} does not say where ${manager.name} serves`);
    const ca = join(directory, `${manager.name}-certificates`, 'kube-controller-manager.crt');
    return new Workqueues(apiClient(`https://${address}`, await readFile(ca, 'utf8')));
  }

  /**
   * Waits for the next resync to be over and for what it led to.
   * @param count says how many volumes and claims there are, each of which a resync adds to its queue. Asked again when a
   *   resync is overdue: an object that was going when it was counted is never added.
   */
  async pass(count: () => Promise<Counts>, syncPeriodMs: number): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    let objects = await count();
    const before = parse(await this.#metrics());
    await sleep(syncPeriodMs);
    for (let overdueAt = Date.now() + syncPeriodMs; ; ) {
      if (Date.now() > overdueAt) {
        objects = await count();
        overdueAt = Date.now() + syncPeriodMs;
      }
      const now = parse(await this.#metrics());
      const isDone = QUEUES.every(
        (queue) => now.added[queue] >= before.added[queue] + objects[queue] && now.added[queue] === now.done[queue],
      );
      if (isDone) return;
      if (Date.now() > deadline) throw new Error(`the built-in controller did not resync in ${TIMEOUT_MS} ms`);
      await sleep(POLL_MS);
    }
  }

  /** Waits until both queues have been empty for a moment: what an event brings is on its way that long. */
  async idle(): Promise<void> {
    for (let looks = 0; looks < QUIET_LOOKS; ) {
      const { added, done } = parse(await this.#metrics());
      looks = QUEUES.every((queue) => added[queue] === done[queue]) ? looks + 1 : 0;
      await sleep(POLL_MS);
    }
  }

  async #metrics(): Promise<string> {
    const { status, body } = await this.#client.request<string>('GET', '/metrics');
    if (status !== 200) throw new Error(`GET /metrics of the controller manager: ${status}`);
    return body;
  }
}

function parse(text: string): { readonly added: Counts; readonly done: Counts } {
  const counts = (metric: string): Counts => {
    const of = (queue: string) => {
      const found = new RegExp(`^${metric}\\{name="${queue}"\\} (\\S+)$`, 'm').exec(text);
      if (found === null) throw new Error(`the controller manager has no metric ${metric} of queue ${queue}`);
      return Number(found[1]);
    };
    return { volumes: of('volumes'), claims: of('claims') };
  };
  return { added: counts('workqueue_adds_total'), done: counts('workqueue_work_duration_seconds_count') };
}
