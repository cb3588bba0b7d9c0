/** What lines that nobody reads cost: nothing is made of them. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConflictError, OperationError } from '../controller/errors.ts';
import { volume } from '../controller/testing/objects.ts';
import type { SyncKey } from '../controller/types.ts';
import { workerHooks } from './worker-hooks.ts';

const KEY: SyncKey = { kind: 'PersistentVolume', name: 'pv-1' };

let printed: string[];
beforeEach(() => {
  printed = [];
  const take = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** One sync with three notes, of which the last announces a phase, and its end. */
function sync(logLevel: 'DEBUG' | 'INFO' | 'SILENT', durationMs: number) {
  const logger = new Logger({ serviceName: 'pv-controller', logLevel });
  const debug = vi.spyOn(logger, 'debug');
  const metrics = new Metrics({ namespace: 'test', logger });
  const hooks = workerHooks(logger, metrics);
  hooks.onVolume?.(KEY, 'uid-1');
  for (const note of ['first', 'second', 'volume pv-1: phase Bound -> Released']) hooks.onNote?.(KEY, note);
  hooks.onDone?.(KEY, [], durationMs);
  const lines = printed.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('{'));
  return { hooks, debug, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('debug lines', () => {
  test('are all there at DEBUG, each with its volume', () => {
    const { lines } = sync('DEBUG', 12);
    expect(lines.map(({ message, correlation_id }) => `${message} ${correlation_id}`)).toEqual([
      'first uid-1',
      'second uid-1',
      'synced uid-1',
    ]);
  });

  test.each(['INFO', 'SILENT'] as const)('are not even asked for at %s', (level) => {
    const { hooks, debug, lines } = sync(level, 12);
    expect(lines).toEqual([]);
    expect(debug).not.toHaveBeenCalled();
    expect(hooks).toHaveProperty('onNote');
  });
});

test('a slow sync and a failed one are told of at any level that prints them', () => {
  const { hooks, lines } = sync('INFO', 1_200);
  expect(lines).toMatchObject([{ level: 'INFO', message: 'synced', correlation_id: 'uid-1', ms: 1_200 }]);
  hooks.onFailed?.(KEY, new Error('plugin'), { seconds: 1, receiveCount: 1 });
  hooks.onFailed?.(KEY, new ConflictError('newer'), { seconds: 1, receiveCount: 1 });
  expect(printed.filter((text) => text.includes('sync failed'))).toHaveLength(1);
  expect(printed.filter((text) => text.includes('conflict'))).toEqual([]);
});

/** Metric values by name, from what is stored and printed. */
function metricsOf(act: (hooks: ReturnType<typeof workerHooks>) => void, hasDetail = false): Record<string, unknown>[] {
  const logger = new Logger({ serviceName: 'pv-controller', logLevel: 'SILENT' });
  const metrics = new Metrics({ namespace: 'test', serviceName: 'pv-controller', logger });
  act(workerHooks(logger, metrics, { hasDetail }));
  metrics.publishStoredMetrics();
  const blobs = printed.flatMap((text) => text.split('\n')).filter((line) => line.includes('_aws'));
  return blobs.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a change', () => {
  test('is a line with its record: the reason comes from the notes, at any level', () => {
    const { hooks } = sync('INFO', 12);
    const of = { kind: 'PersistentVolume', name: 'pv-1', of: 'phase', from: 'Bound', to: 'Released' } as const;
    const before = volume('pv-1', { metadata: { resourceVersion: '7' } });
    hooks.onVolume?.(KEY, 'uid-1');
    const info = { signal: AbortSignal.timeout(1), receiveCount: 1 };
    hooks.onStart?.(KEY, [{ v: 1, ...KEY, reason: 'modified', resourceVersion: '7' }], info);
    hooks.onNote?.(KEY, 'its claim is gone');
    hooks.onTransition?.(KEY, of, {
      before,
      after: { ...before, metadata: { ...before.metadata, resourceVersion: '8' } },
    });
    expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject({
      level: 'INFO',
      message: 'volume Bound -> Released',
      key: 'PersistentVolume/pv-1',
      correlation_id: 'uid-1',
      audit: {
        ...of,
        v: 1,
        who: 'us',
        how: 'made',
        volumeUid: 'uid-1',
        reason: 'its claim is gone',
        versions: { before: '7', after: '8' },
        cause: { reason: 'modified', resourceVersion: '7' },
      },
    });
  });
});

describe('the default class', () => {
  const note = 'claim ns/data gets the default class fast';

  test('is counted when it was written, and as an error when that failed', () => {
    const [blob] = metricsOf((hooks) => {
      hooks.onNote?.(KEY, note);
      hooks.onDone?.(KEY, [], 1);
      hooks.onDone?.(KEY, [], 1);
      hooks.onNote?.(KEY, note);
      hooks.onFailed?.(KEY, new ConflictError('newer'), { seconds: 1, receiveCount: 1 });
      hooks.onFailed?.(KEY, new ConflictError('newer'), { seconds: 1, receiveCount: 1 });
    });
    expect(blob).toMatchObject({ retroactive_storageclass_total: [1, 1], retroactive_storageclass_errors_total: 1 });
  });
});

test('a default class that was not written, as the mode forbids it, is not counted', () => {
  const blobs = metricsOf((hooks) => {
    hooks.onNote?.(KEY, 'claim ns/data gets the default class fast');
    hooks.onVerdict?.(KEY, [{ verb: 'update', kind: 'PersistentVolume', object: volume('pv-1') }]);
    hooks.onDone?.(KEY, [], 1);
    hooks.onNote?.(KEY, 'claim ns/data gets the default class fast');
    hooks.onPostponed?.(KEY, 60);
    hooks.onDone?.(KEY, [], 1);
  });
  expect(blobs[0]).toMatchObject({ Verdicts: 1, Postponed: 1 });
  expect(blobs[0]).not.toHaveProperty('retroactive_storageclass_total');
});

describe('a failed operation', () => {
  const error = new OperationError('operation delete-pv-1[uid]: no such disk');

  test('is counted under both names', () => {
    const blobs = metricsOf((hooks) => hooks.onFailed?.(KEY, error, { seconds: 1, receiveCount: 1 }));
    expect(blobs).toMatchObject([
      { volume_operation_total_errors: 1, volume_operation_errors_total: 1, SyncFailures: 1 },
    ]);
    expect(blobs[0]).not.toHaveProperty('plugin_name');
  });

  test('is split by plugin and operation with detail', () => {
    const blobs = metricsOf((hooks) => hooks.onFailed?.(KEY, error, { seconds: 1, receiveCount: 1 }), true);
    const labels = { plugin_name: 'N/A', operation_name: 'delete', service: 'pv-controller' };
    expect(blobs).toMatchObject([
      { ...labels, volume_operation_total_errors: 1 },
      { ...labels, volume_operation_errors_total: 1 },
      { volume_operation_total_errors: 1, volume_operation_errors_total: 1 },
    ]);
  });

  const failed = { kind: 'PersistentVolume', name: 'pv-1', of: 'phase', from: 'Released', to: 'Failed' } as const;
  const becameFailed = (persistentVolumeReclaimPolicy: string) => {
    return { before: volume('pv-1'), after: volume('pv-1', { spec: { persistentVolumeReclaimPolicy } }) };
  };

  test('is also a volume that became Failed as nothing can delete it, with its plugin', () => {
    const blobs = metricsOf((hooks) => {
      hooks.onTransition?.(KEY, failed, becameFailed('Delete'));
      hooks.onDone?.(KEY, [], 1);
      hooks.onDone?.(KEY, [], 1);
    }, true);
    const labels = { plugin_name: 'kubernetes.io/host-path', operation_name: 'delete' };
    expect(blobs[1]).toMatchObject({ ...labels, volume_operation_errors_total: 1 });
    expect(blobs.at(-1)).toMatchObject({ volume_operation_errors_total: 1 });
  });

  test('is one where a volume became Failed and its plugin threw', () => {
    const [blob] = metricsOf((hooks) => {
      hooks.onTransition?.(KEY, failed, becameFailed('Delete'));
      hooks.onFailed?.(KEY, error, { seconds: 1, receiveCount: 1 });
    });
    expect(blob).toMatchObject({ volume_operation_errors_total: 1 });
  });

  test('is none where a recycling failed', () => {
    const [blob] = metricsOf((hooks) => {
      hooks.onTransition?.(KEY, failed, becameFailed('Recycle'));
      hooks.onDone?.(KEY, [], 1);
    });
    expect(blob).not.toHaveProperty('volume_operation_errors_total');
  });

  test('is none where only the sync failed', () => {
    const [blob] = metricsOf((hooks) => hooks.onFailed?.(KEY, new Error('503'), { seconds: 1, receiveCount: 1 }));
    expect(blob).not.toHaveProperty('volume_operation_errors_total');
  });
});
