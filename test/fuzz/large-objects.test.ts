/**
 * Objects as large as a server takes them (256 KiB of annotations), and larger than any would: what a sync prints, sends
 * and writes stays small, whichever field the bulk is in.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createObservability } from '../../functions/environment.ts';
import { Slimmer } from '../../lib/bridge/slim.ts';
import { EventRecorder } from '../../lib/cluster/event-recorder.ts';
import type { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import * as annotations from '../../lib/controller/annotations.ts';
import { claim, orphan, storageClass, volume } from '../../lib/controller/testing/objects.ts';
import type { ClusterEvent, Kind, PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { workerHooks } from '../../lib/observability/worker-hooks.ts';
import { enqueueThrough, QueueProducer } from '../../lib/queue/producer.ts';
import { fakeQueue } from '../../lib/queue/test-queue.ts';
import { FlipDetector } from '../../lib/worker/flip-detector.ts';
import { createSyncKey, type Mode } from '../../lib/worker/sync-key.ts';
import { clusters, type GeneratedCluster } from '../property/clusters.ts';
import { contextOver, keysOf, load, rules } from '../property/sync-context.ts';
import { KIBIBYTE, MEBIBYTE } from './hostile.ts';
import { inTime, runs } from './runs.ts';
import { watched } from './streams.ts';

/** Bytes of a log line, of a message, of an Event. */
const MOST = { line: 16 * KIBIBYTE, message: 3 * KIBIBYTE, event: 4 * KIBIBYTE };
/**
 * By how much writes may make an object larger, besides one text that is on it already: upstream quotes a provisioner's
 * name in `status.message`, in full.
 */
const GROWTH = 4 * KIBIBYTE;

vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'true');
const observability = createObservability({ logLevel: 'DEBUG' });
const hooks = workerHooks(observability.logger, observability.metrics);

afterEach(() => {
  observability.metrics.clearMetrics();
});

interface Made {
  readonly printed: readonly string[];
  readonly sent: readonly string[];
  readonly events: readonly ClusterEvent[];
}

/** Syncs every key as a worker does, and collects what leaves it. */
async function syncAll(cluster: InMemoryCluster, mode: Mode): Promise<Made> {
  const printed: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => printed.push(String(text)) > 0),
  );
  const queue = fakeQueue(async () => undefined);
  const queueUrls = { PersistentVolume: 'v', PersistentVolumeClaim: 'c' };
  const producer = new QueueProducer({ client: queue.client, queueUrls, settings: { lingerMs: 0 } });
  const { pool, plugins } = contextOver(cluster);
  const sync = createSyncKey(
    {
      mode,
      cluster: () => cluster,
      pool,
      flips: new FlipDetector(),
      enqueue: () => enqueueThrough(producer),
      plugins: () => plugins.all(),
      rules: async () => rules,
    },
    hooks,
  );
  const info = { signal: new AbortController().signal, receiveCount: 1 };
  for (const key of keysOf(cluster)) {
    await sync(key, [{ v: 1, ...key, reason: 'modified' }], info).catch((error: unknown) => {
      hooks.onFailed?.(key, error, { seconds: 1, receiveCount: 1 });
    });
  }
  for (const spy of spies) spy.mockRestore();
  return { printed, sent: queue.requests.flat().map(({ body }) => body), events: await recorded(cluster) };
}

async function recorded(cluster: InMemoryCluster): Promise<ClusterEvent[]> {
  const events: ClusterEvent[] = [];
  const store = {
    get: async () => undefined,
    update: async () => {},
    create: async (event: ClusterEvent) => void events.push(event),
  };
  const recorder = new EventRecorder({ onFailure: (error) => expect(error).toBeUndefined() });
  for (const event of cluster.events) await recorder.record(event, store);
  return events;
}

const bytes = (value: unknown) => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));

/** @param length bytes of the longest text in it. */
async function assertSmall(generated: GeneratedCluster, mode: Mode, length: number): Promise<void> {
  const cluster = load(generated);
  const sizes = new Map<string, number>();
  const sizeOf = (kind: Kind, object: { metadata: { name: string } }) => `${kind} ${object.metadata.name}`;
  for (const kind of ['PersistentVolume', 'PersistentVolumeClaim'] as const) {
    for (const object of cluster.all(kind)) sizes.set(sizeOf(kind, object), bytes(object));
  }
  const { printed, sent, events } = await syncAll(cluster, mode);
  // A second time: nothing is added at each sync.
  await syncAll(cluster, mode);
  for (const line of printed) expect(bytes(line), line.slice(0, 300)).toBeLessThan(MOST.line);
  for (const body of sent) expect(bytes(body), body.slice(0, 300)).toBeLessThan(MOST.message);
  for (const event of events) expect(bytes(event), event.reason ?? '').toBeLessThan(MOST.event);
  for (const { kind, object } of cluster.writes) {
    const before = sizes.get(sizeOf(kind, object));
    if (before !== undefined) expect(bytes(object) - before).toBeLessThan(length + GROWTH);
  }
}

/** Puts bulk into texts that users write and no server checks: annotations, and references to other objects. */
function inflated(generated: GeneratedCluster, choices: readonly number[], length: number): GeneratedCluster {
  const bulk = 'x'.repeat(length);
  let at = 0;
  const isChosen = () => (choices[at++ % choices.length] ?? 0) === 0;
  const withBulk = <T extends PersistentVolume | PersistentVolumeClaim>(object: T): T => {
    const copy = structuredClone(object);
    const { metadata } = copy;
    for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
      if (isChosen()) metadata.annotations = { ...metadata.annotations, [key]: `${value}${bulk}` };
    }
    if (isChosen()) metadata.annotations = { ...metadata.annotations, 'example.com/note': bulk };
    const spec = copy.spec as { volumeName?: string; claimRef?: { name?: string; uid?: string } };
    if (spec.volumeName && isChosen()) spec.volumeName += bulk;
    if (spec.claimRef?.name && isChosen()) spec.claimRef.name += bulk;
    return copy;
  };
  return { ...generated, volumes: generated.volumes.map(withBulk), claims: generated.claims.map(withBulk) };
}

test('a sync of generated clusters with bulk anywhere prints, sends and writes little', async () => {
  const choices = fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 12 });
  const mode = fc.constantFrom<Mode>('enforce', 'observe');
  const naming = { volumes: [], claims: [claim('one', { spec: { volumeName: 'pv-1' } })], classes: [] };
  await fc.assert(
    fc.asyncProperty(clusters, choices, mode, async (generated, chosen, as) => {
      await assertSmall(inflated(generated, chosen, 32 * KIBIBYTE), as, 32 * KIBIBYTE);
    }),
    { ...runs(6), examples: [[naming, [0], 'enforce']] as never },
  );
});

const ALL = Object.values(annotations).flatMap((value): string[] =>
  typeof value === 'string' && value.includes('/') ? [value] : [],
);

describe.each<[string, number, readonly string[]]>([
  ['255 KiB, as much as a server takes', 255 * KIBIBYTE, [...ALL, 'example.com/note']],
  ['a megabyte, from a server that does not count', MEBIBYTE, [annotations.BETA_STORAGE_CLASS, 'example.com/note']],
])('an annotation of %s', (_, length, keys) => {
  test.each(keys)('%s', async (key) => {
    const bulk = { annotations: { [key]: 'x'.repeat(length) } };
    const generated: GeneratedCluster = {
      volumes: [volume('pv-1', bulk), orphan('pv-2', { ...bulk, spec: { persistentVolumeReclaimPolicy: 'Delete' } })],
      claims: [claim('one', bulk), claim('two', { ...bulk, spec: { volumeName: 'pv-1' } })],
      classes: [storageClass('fast')],
    };
    const reclaimed = generated.volumes[1] as PersistentVolume;
    reclaimed.spec.claimRef = { namespace: 'ns', name: 'gone', uid: 'uid-of-gone' };
    for (const mode of ['enforce', 'observe'] as const) await inTime(() => assertSmall(generated, mode, length));
  });

  test('comes through a watch whole, and is not kept by the bridge', async () => {
    const object = volume('pv-1', { annotations: { 'example.com/note': '😀'.repeat(length / 4) } });
    const frame = Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    const chunks = Array.from({ length: Math.ceil(frame.length / 4_093) }, (__, index) =>
      frame.subarray(index * 4_093, (index + 1) * 4_093),
    );
    const { events, error } = await inTime(() => watched(chunks));
    expect(error).toBeUndefined();
    expect(events).toEqual([{ type: 'ADDED', object }]);
    expect(bytes(new Slimmer().volume(object))).toBeLessThan(2 * KIBIBYTE);
  });
});

test('a frame of more than eight megabytes is refused, not kept', async () => {
  const chunk = Buffer.alloc(MEBIBYTE, 0x61);
  const { events, error } = await inTime(() => watched(Array(12).fill(chunk)));
  expect(events).toEqual([]);
  expect(String(error)).toMatch(/longer than \d+ bytes/);
});
