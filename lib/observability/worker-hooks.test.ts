/** What lines that nobody reads cost: nothing is made of them. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConflictError } from '../controller/errors.ts';
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
    // Without a hook the sync does not call one for each note.
    expect(hooks.onNote).toBeUndefined();
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
