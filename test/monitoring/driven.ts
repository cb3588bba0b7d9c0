/** Every hook and every emitter of metrics, called once in each way that it tells apart. */
import type { SQSRecord } from 'aws-lambda';
import { auditBus } from '../../functions/audit-bus.ts';
import { createResyncFunction } from '../../functions/resync.ts';
import { madeRecord } from '../../lib/audit/record.ts';
import type { Bridge, Holdings } from '../../lib/bridge/bridge.ts';
import type { BridgeHooks } from '../../lib/bridge/ports.ts';
import { type Config, readConfig } from '../../lib/config.ts';
import { ConflictError, OperationError, StateError, ThrottledError } from '../../lib/controller/errors.ts';
import { claim, orphan, volume } from '../../lib/controller/testing/objects.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { bridgeHooks } from '../../lib/observability/bridge-hooks.ts';

import { startHeartbeat } from '../../lib/observability/heartbeat.ts';
import { workerHooks } from '../../lib/observability/worker-hooks.ts';
import { BadMessageError } from '../../lib/queue/message.ts';
import { FlipError } from '../../lib/worker/flip-detector.ts';
import type { KeyHooks } from '../../lib/worker/hooks.ts';
import type { Runtime } from '../../lib/worker/runtime.ts';
import type { Transition } from '../../lib/worker/transition.ts';
import { createContext } from '../../local/queue/lambda-event.ts';
import type { Captured } from './captured.ts';

const KEY: SyncKey = { kind: 'PersistentVolume', name: 'pv-1' };
const CLAIM: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'data' };
const UID = 'uid-of-pv-1';

const RELEASED: Transition = { kind: KEY.kind, name: 'pv-1', of: 'phase', from: 'Bound', to: 'Released' };

type Calls<H> = {
  readonly [K in keyof H]-?: NonNullable<H[K]> extends (...args: infer A) => void ? readonly A[] : never;
};

const WRITTEN = { before: volume('pv-1'), after: volume('pv-1') };

const WORKER_CALLS: Calls<KeyHooks> = {
  onStart: [[KEY, [], { signal: AbortSignal.timeout(1), receiveCount: 1 }]],
  onVolume: [[KEY, UID]],
  onNote: [
    [KEY, 'volume pv-1 is retained'],
    [KEY, 'volume pv-1: phase Bound -> Released'],
    [CLAIM, 'claim ns/data gets the default class fast'],
  ],
  onTransition: [
    [KEY, RELEASED, WRITTEN],
    [KEY, RELEASED, WRITTEN],
    [KEY, { kind: KEY.kind, name: 'pv-1', of: 'binding', from: 'none', to: 'ns/data' }, WRITTEN],
    [KEY, { kind: KEY.kind, name: 'pv-1', of: 'binding', from: 'ns/data', to: 'none' }, WRITTEN],
  ],
  onVerdict: [
    [KEY, []],
    [
      KEY,
      [
        { verb: 'updateStatus', kind: 'PersistentVolume', object: volume('pv-1') },
        {
          verb: 'event',
          event: { kind: CLAIM.kind, object: claim('data'), type: 'Normal', reason: 'R', message: 'm' },
        },
      ],
    ],
  ],
  onContradiction: [[KEY, new StateError('contradiction')]],
  onFlip: [[KEY, new FlipError('somebody else has undone status.phase')]],
  onUnknownMode: [[KEY, 'enforced']],
  onPostponed: [[KEY, 60]],
  onSkipped: [['PersistentVolume/pv-1', 'out-of-time']],
  onDeadLetter: [[{ messageId: 'message-1' } as SQSRecord, new BadMessageError('name', '..', 'is no name')]],
  onQueueError: [[new Error('throttled')]],
  onDone: [
    [KEY, [], 1_200],
    [KEY, [], 12],
  ],
  onFailed: [
    [KEY, new Error('plugin'), { seconds: 1, receiveCount: 1 }],
    [KEY, new ConflictError('newer'), { seconds: 1, receiveCount: 1 }],
    [KEY, new ConflictError('newer'), { seconds: 1, receiveCount: 1 }],
    [KEY, new ThrottledError('later', { code: 429 }), { seconds: 1, receiveCount: 1 }],
    [KEY, new OperationError('operation delete-pv-1[uid]: stuck'), { seconds: 1, receiveCount: 1 }],
    [CLAIM, new ConflictError('newer'), { seconds: 1, receiveCount: 1 }],
  ],
};

/** A released volume that its provisioner has deleted. */
const GONE = orphan('pv-1', {
  metadata: {
    managedFields: [
      { manager: 'kubectl-edit', time: '2026-05-01T10:00:00Z' },
      { manager: 'kube-controller-manager', time: '2026-05-01T10:00:00Z', subresource: 'status' },
    ],
  },
  spec: { persistentVolumeReclaimPolicy: 'Delete' },
  status: { phase: 'Released', lastPhaseTransitionTime: '2026-05-01T10:00:00Z' },
});

const BRIDGE_CALLS: Calls<BridgeHooks> = {
  changed: [
    [{ type: 'DELETED', kind: KEY.kind, before: GONE, after: GONE, at: Date.parse('2026-05-01T10:00:09Z') }, UID],
    [
      { type: 'MODIFIED', kind: KEY.kind, before: volume('pv-1'), after: GONE, at: Date.parse('2026-05-01T10:00:09Z') },
      UID,
    ],
  ],
  seen: [['PersistentVolume', 'ADDED']],
  filtered: [[KEY]],
  sent: [
    [KEY.kind, 'added', KEY, UID],
    [CLAIM.kind, 'resync', CLAIM, undefined],
  ],
  listed: [['PersistentVolume', 3]],
  woken: [[CLAIM, 'pv-1', UID]],
  lag: [['PersistentVolume', 5]],
  failed: [['send', new Error('refused')]],
};

/** Calls them all, and has the metrics printed. */
export async function driveAll(captured: Captured): Promise<void> {
  const { logger, metrics } = captured;
  const hooks = workerHooks(logger, metrics, { hasDetail: true });
  callAll(hooks, WORKER_CALLS);
  callAll(bridgeHooks(logger, metrics, { hasDetail: true }), BRIDGE_CALLS);
  await loseOnce(captured);
  metrics.publishStoredMetrics();
  await beatOnce(captured, true);
  await beatOnce(captured, false);
  await resyncOnce(captured);
}

function callAll<H extends object>(hooks: H, calls: Calls<H>): void {
  for (const [name, all] of Object.entries(calls) as [keyof H, readonly unknown[][]][]) {
    for (const args of all) (hooks[name] as ((...args: unknown[]) => void) | undefined)?.(...args);
  }
}

/** One audit record that an invocation had no time left to send. */
async function loseOnce(captured: Captured): Promise<void> {
  const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret' };
  const bus = auditBus(readConfig({ PV_AUDIT_BUS: 'storage' }), captured, keys);
  bus?.write(madeRecord(RELEASED, { at: 0 }));
  await bus?.flush(0);
}

/** One heartbeat of a bridge that works, with detail; or of one that does not. */
async function beatOnce(captured: Captured, isHealthy: boolean): Promise<void> {
  const holdings: Holdings = {
    volumes: () => [volume('pv-1')],
    claims: () => [claim('data')],
    storageClass: () => undefined,
  };
  const health: ReturnType<Bridge['health']> = { ready: isHealthy, unsent: 0, oldestUnsentMs: 0, resources: {} };
  const config: Config = { ...readConfig({ PV_METRICS_DETAIL: 'on' }), heartbeatPeriodMs: 1 };
  const heartbeat = startHeartbeat({ health: () => health, holdings }, captured, config);
  await new Promise((resolve) => setTimeout(resolve, 20));
  heartbeat.stop();
}

/** The resync as it is deployed, over an empty cluster. */
async function resyncOnce(captured: Captured): Promise<void> {
  const cluster = { withSignal: () => ({ listWithVersion: async () => ({ items: [], resourceVersion: '1' }) }) };
  const runtime = { cluster, producer: { send: async () => {} } } as unknown as Runtime;
  const resync = createResyncFunction(() => runtime, captured);
  await resync({ id: 'epoch' } as Parameters<typeof resync>[0], createContext('a-resync', 30_000, 'us-east-1'));
}
