/** What each kind of event costs: the life of volumes and claims on a real API server, counted at queue and API server. */
import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ControllerUnderTest } from '../control-plane/controller-under-test.ts';
import type { ApiClient, ControlPlane } from '../control-plane/harness.ts';
import { claim, volume, volumesPath } from '../control-plane/objects.ts';

/** Of one object or pair. Reads and writes are calls to the API server, lists and refused writes included, events aside. */
export interface Spent {
  readonly messages: number;
  readonly invocations: number;
  readonly reads: number;
  readonly writes: number;
}

/**
 * `available`: a volume is created. `bound`: a claim is created that fits. `contested`: the same, while somebody else keeps
 * changing these objects. `touched`: an annotation of a bound volume is changed. `released`: a claim is deleted.
 */
export const EVENTS = ['available', 'bound', 'contested', 'touched', 'released'] as const;
export type EventKind = (typeof EVENTS)[number];

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const PARALLEL = 10;
const PATIENCE_MS = 180_000;

/** Plays so many of each event, one kind after the other, and waits for rest between them. */
export async function playLife(
  plane: ControlPlane,
  controller: ControllerUnderTest,
  run: number,
  count: number,
): Promise<Record<EventKind, Spent>> {
  const client = plane.client();
  const names = (kind: string) => Array.from({ length: count }, (_, index) => `${kind}-${run}-${index}`);
  const volumes = (kind: string) =>
    together(names(kind), (name) => created(client, volumesPath, csiVolume(name, kind, run)));
  const claims = (kind: string) =>
    together(names(kind), (name) => created(client, CLAIMS, claim(name, { storageClassName: `${kind}-${run}` })));
  const phases = async (path: string, kind: string) => {
    const { body } = await client.request<{ items: { metadata: { name: string }; status: { phase: string } }[] }>(
      'GET',
      path,
    );
    return body.items
      .filter(({ metadata }) => metadata.name.startsWith(`${kind}-${run}-`))
      .map(({ status }) => status.phase);
  };
  const until = (path: string, kind: string, phase: string) =>
    seen(`${count} ${kind} ${phase}`, async () => {
      const now = await phases(path, kind);
      return now.length === count && now.every((one) => one === phase);
    });
  const spent = async (work: () => Promise<void>): Promise<Spent> => {
    await controller.settled();
    const before = countersOf(controller);
    await work();
    await controller.settled();
    const after = countersOf(controller);
    const each = (name: keyof Spent) => (after[name] - before[name]) / count;
    return {
      messages: each('messages'),
      invocations: each('invocations'),
      reads: each('reads'),
      writes: each('writes'),
    };
  };

  const available = await spent(async () => {
    await volumes('calm');
    await until(volumesPath, 'calm', 'Available');
  });
  const bound = await spent(async () => {
    await claims('calm');
    await until(CLAIMS, 'calm', 'Bound');
    await until(volumesPath, 'calm', 'Bound');
  });
  await volumes('contested');
  await until(volumesPath, 'contested', 'Available');
  const contested = await spent(async () => {
    const contester = startContester(client, names('contested'));
    await claims('contested');
    await until(CLAIMS, 'contested', 'Bound');
    await until(volumesPath, 'contested', 'Bound');
    await contester.stop();
  });
  const touched = await spent(() => together(names('calm'), (name) => annotate(client, `${volumesPath}/${name}`)));
  const released = await spent(async () => {
    await together(names('calm'), async (name) => void (await client.request('DELETE', `${CLAIMS}/${name}`)));
    await until(volumesPath, 'calm', 'Released');
  });
  return { available, bound, contested, touched, released };
}

function csiVolume(name: string, kind: string, run: number): object {
  const csi = { driver: 'ebs.csi.aws.com', volumeHandle: name };
  return volume(name, { hostPath: undefined, csi, storageClassName: `${kind}-${run}` });
}

function countersOf({ system, requests }: ControllerUnderTest): Spent {
  const stats = Object.values(system?.sources ?? {}).map((source) => source.stats);
  const calls = requests.filter(({ resource }) => resource !== 'events');
  const reads = calls.filter(({ method }) => method === 'GET').length;
  return {
    messages: stats.reduce((sum, { deleted }) => sum + deleted, 0),
    invocations: stats.reduce((sum, { invocations }) => sum + invocations, 0),
    reads,
    writes: calls.length - reads,
  };
}

/** Changes annotations of random volumes and claims of these names, over and over, until it is stopped. */
function startContester(client: ApiClient, names: readonly string[]): { stop(): Promise<void> } {
  let isStopping = false;
  const contest = async () => {
    while (!isStopping) {
      const name = names[randomInt(names.length)] ?? '';
      await annotate(client, `${randomInt(2) === 0 ? volumesPath : CLAIMS}/${name}`).catch(() => {});
    }
  };
  const contesting = contest();
  return {
    async stop() {
      isStopping = true;
      await contesting;
    },
  };
}

/** A merge patch, which meets no conflict: objects that are missing yet are left alone. */
async function annotate(client: ApiClient, path: string): Promise<void> {
  await client.request('PATCH', path, { metadata: { annotations: { touched: String(randomInt(1_000_000)) } } });
}

async function created(client: ApiClient, path: string, object: object): Promise<void> {
  const { status, body } = await client.request('POST', path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
}

/** Patiently: what is counted does not depend on how long it took. */
async function seen(what: string, look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`not seen in ${PATIENCE_MS / 1_000} s: ${what}`);
    await setTimeout(200);
  }
}

async function together(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const left = names.values();
  const lane = async () => {
    for (const name of left) await work(name);
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
}
