/** A worker's function and the audit trail's bus: told at the end of each invocation, however it ended. */
import type { SQSEvent } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { EventBus } from '../lib/audit/event-bus.ts';
import { createContext } from '../local/queue/lambda-event.ts';
import { createObservability } from './environment.ts';
import { createWorkerFunction } from './worker.ts';

vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'true');

const EVENT: SQSEvent = { Records: [] };
/** Of 20 s, but for what the test itself takes. */
const LEFT_MS = 19_500;

test('an invocation that failed flushes too, and keeps half a second for itself', async () => {
  const bus = new EventBus(
    async () => [],
    () => {},
  );
  const flush = vi.spyOn(bus, 'flush');
  const noRuntime = () => Promise.reject(new Error('no runtime'));
  const worker = createWorkerFunction('PersistentVolume', noRuntime, createObservability({ logLevel: 'SILENT' }), {
    bus,
  });
  await expect(worker(EVENT, createContext('a-worker', 20_000, 'us-east-1'))).rejects.toThrow('no runtime');
  expect(flush).toHaveBeenCalledTimes(1);
  const [withinMs = 0] = flush.mock.calls[0] ?? [];
  expect(withinMs).toBeLessThanOrEqual(LEFT_MS);
  expect(withinMs).toBeGreaterThan(LEFT_MS - 2_000);
});
