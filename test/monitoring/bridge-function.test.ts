/** The bridge's function as it is deployed: it beats while it runs, and sends what it has counted at its end. */
import type { ScheduledEvent } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { auditBus } from '../../functions/audit-bus.ts';
import { createBridgeFunction } from '../../functions/bridge.ts';
import { readConfig } from '../../lib/config.ts';
import { volume } from '../../lib/controller/testing/objects.ts';
import { Runtime } from '../../lib/worker/runtime.ts';
import { startApiServer } from '../../local/api-server/server.ts';
import { createQueues, startEmbeddedQueue } from '../../local/queue/embedded.ts';
import { createContext } from '../../local/queue/lambda-event.ts';
import { capture, release } from './captured.ts';
import { KEY, startEventBridge } from './event-bridge.ts';

/** As in functions/bridge.ts: kept back at the end of an invocation. */
const RESERVE_MS = 15_000;

afterEach(release);

test('an invocation beats each period, with gauges that are 0, and leaves no count behind', async () => {
  const [server, queue] = await Promise.all([startApiServer(), startEmbeddedQueue()]);
  const queues = await createQueues(queue.client, { visibilityTimeoutSeconds: 30 });
  const config = readConfig({ PV_BRIDGE_HEARTBEAT_MS: '1000' });
  const connection = { server: server.url, token: async () => 'a-token' };
  const runtime = new Runtime({ connection, config, sqs: queue.client, queues });
  try {
    await runtime.cluster.create('PersistentVolume', { ...volume('pv-1'), metadata: { name: 'pv-1' } });
    const captured = capture('INFO');
    const run = createBridgeFunction(() => runtime, captured);
    await run({} as ScheduledEvent, createContext('a-bridge', RESERVE_MS + 2_500, 'us-east-1'));
    const beats = captured.blobs().filter((blob) => 'BridgeHeartbeat' in blob);
    expect(beats).toHaveLength(2);
    expect(beats[0]).toMatchObject({ stage: 'test', BridgeHeartbeat: 1, VolumesStuckReleased: 0, ClaimsLost: 0 });
    expect(captured.blobs().some((blob) => 'KeysSent' in blob)).toBe(true);
    expect(captured.blobs().filter((blob) => 'ColdStart' in blob)).toHaveLength(1);
    expect(captured.metrics.hasStoredMetrics()).toBe(false);
    expect(captured.logs().filter(({ level }) => level !== 'INFO')).toEqual([]);
  } finally {
    runtime.close();
    await queue.close();
    await server.stop();
  }
});

test('what others change is on the bus when an invocation ends, though it is shorter than the time between two flushes', async () => {
  const [server, queue, events] = await Promise.all([
    startApiServer(),
    startEmbeddedQueue(),
    startEventBridge('us-east-1'),
  ]);
  const queues = await createQueues(queue.client, { visibilityTimeoutSeconds: 30 });
  const config = readConfig({ PV_AUDIT_BUS: 'storage', PV_EVENTS_ENDPOINT: events.url });
  const connection = { server: server.url, token: async () => 'a-token' };
  const runtime = new Runtime({ connection, config, sqs: queue.client, queues });
  try {
    const { cluster } = runtime;
    const created = await cluster.create('PersistentVolume', { ...volume('pv-1'), metadata: { name: 'pv-1' } });
    const captured = capture('INFO');
    const run = createBridgeFunction(
      () => runtime,
      captured,
      auditBus(config, captured, async () => KEY),
    );
    const running = run({} as ScheduledEvent, createContext('a-bridge', RESERVE_MS + 900, 'us-east-1'));
    const listed = expect.objectContaining({ message: 'listed', kind: 'PersistentVolume' });
    await vi.waitFor(() => expect(captured.logs()).toContainEqual(listed));
    await cluster.updateStatus('PersistentVolume', { ...created, status: { phase: 'Available' } });
    await running;
    const logged = captured.logs().flatMap(({ audit }) => (audit === undefined ? [] : [audit]));
    expect(logged).toMatchObject([{ name: 'pv-1', of: 'phase', to: 'Available', how: 'seen' }]);
    expect(events.events.map(({ Detail }) => JSON.parse(Detail))).toEqual(logged);
  } finally {
    runtime.close();
    await Promise.all([queue.close(), server.stop(), events.close()]);
  }
});
