import type { ChangeMessageVisibilityBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConflictError, OperationError, ThrottledError } from '../controller/errors.ts';
import { applyRetries, retrySeconds } from './retry.ts';

const receives = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000];
const waits = (error: unknown) => receives.map((count) => retrySeconds(error, count));

describe('retrySeconds', () => {
  test('doubles from 1 s to 15 s for a sync', () => {
    expect(waits(new ConflictError('409', { code: 409 }))).toEqual([1, 2, 4, 8, 15, 15, 15, 15, 15, 15]);
    expect(waits(undefined)).toEqual(waits('text'));
  });

  test('doubles from 1 s to 122 s for an operation, also where it is the cause', () => {
    expect(waits(new OperationError('delete'))).toEqual([1, 2, 4, 8, 16, 32, 64, 122, 122, 122]);
    expect(waits(new Error('sync', { cause: new OperationError('delete') }))).toEqual(waits(new OperationError('')));
  });

  test('waits at least as long as a throttling server asks, in whole seconds, and 12 h at most', () => {
    const throttled = (retryAfterSeconds?: number) =>
      new ThrottledError('429', { code: 429, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
    expect(retrySeconds(throttled(30), 1)).toBe(30);
    expect(retrySeconds(throttled(1.2), 1)).toBe(2);
    expect(retrySeconds(throttled(3), 9)).toBe(15);
    expect(retrySeconds(throttled(), 2)).toBe(2);
    expect(retrySeconds(throttled(1e9), 1)).toBe(43_200);
  });

  test('can be switched off for tests', () => {
    const none = { firstSeconds: 0, maxSeconds: 0 };
    expect(retrySeconds(new Error(), 5, { sync: none, operation: none, outOfTimeSeconds: 0 })).toBe(0);
  });

  test('survives a circle of causes', () => {
    const error = new Error('a');
    error.cause = error;
    expect(retrySeconds(error, 1)).toBe(1);
  });
});

describe('applyRetries', () => {
  test('changes all messages in batches of ten', async () => {
    const inputs: unknown[] = [];
    const send = async ({ input }: ChangeMessageVisibilityBatchCommand) => {
      inputs.push(input.Entries?.map((entry) => [entry.Id, entry.ReceiptHandle, entry.VisibilityTimeout]));
      return {};
    };
    const handles = Array.from({ length: 11 }, (_, index) => `h${index}`);
    await applyRetries(
      { send } as unknown as SQSClient,
      'url',
      [
        { receiptHandles: ['x'], seconds: 4 },
        { receiptHandles: handles, seconds: 1 },
      ],
      { timeoutMs: 1_000 },
    );
    expect(inputs).toEqual([
      [['0', 'x', 4], ...handles.slice(0, 9).map((handle, index) => [String(index + 1), handle, 1])],
      [
        ['0', 'h9', 1],
        ['1', 'h10', 1],
      ],
    ]);
  });

  test.each([
    [0, []],
    [10, [10]],
    [20, [10, 10]],
  ])('makes no empty request for %d messages: SQS would refuse it', async (messages, sizes) => {
    const seen: (number | undefined)[] = [];
    const send = async ({ input }: ChangeMessageVisibilityBatchCommand) => {
      seen.push(input.Entries?.length);
      return {};
    };
    const receiptHandles = Array.from({ length: messages }, (_, index) => `h${index}`);
    await applyRetries({ send } as unknown as SQSClient, 'url', [{ receiptHandles, seconds: 1 }], { timeoutMs: 1_000 });
    expect(seen).toEqual(sizes);
  });

  test.each([
    [1_000.7, 1_000],
    [-5, 0],
  ])('gives the requests up after %d ms, and hands that to the client', async (timeoutMs, expected) => {
    const { signal } = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(signal);
    onTestFinished(() => timeout.mockRestore());
    const signals: unknown[] = [];
    const send = async (_command: unknown, { abortSignal }: { abortSignal: unknown }) => {
      signals.push(abortSignal);
      return {};
    };
    const retries = [{ receiptHandles: ['x'], seconds: 1 }];
    await applyRetries({ send } as unknown as SQSClient, 'url', retries, { timeoutMs });
    expect(timeout.mock.calls).toEqual([[expected]]);
    expect(signals).toHaveLength(1);
    expect(signals[0]).toBe(signal);
  });

  test('ignores errors that nobody wants to be told', async () => {
    const retries = [{ receiptHandles: ['x'], seconds: 1 }];
    const apply = (send: () => Promise<unknown>) =>
      applyRetries({ send } as unknown as SQSClient, 'url', retries, { timeoutMs: 1_000 });
    await expect(apply(() => Promise.reject(new Error('away')))).resolves.toBeUndefined();
    await expect(apply(async () => ({ Failed: [{ Id: '0', Code: 'no' }] }))).resolves.toBeUndefined();
  });

  test('tells errors and ignores them', async () => {
    const errors: string[] = [];
    const options = { timeoutMs: 1_000, onError: (error: Error) => errors.push(error.message) };
    const client = (send: () => Promise<unknown>) => ({ send }) as unknown as SQSClient;
    const retries = [{ receiptHandles: ['x'], seconds: 1 }];
    await applyRetries(
      client(async () => Promise.reject(new Error('away'))),
      'url',
      retries,
      options,
    );
    await applyRetries(
      client(async () => ({ Failed: [{ Id: '0', Code: 'ReceiptHandleIsInvalid' }] })),
      'url',
      retries,
      options,
    );
    expect(errors).toEqual(['visibility not changed: away', 'visibility not changed: ReceiptHandleIsInvalid ']);
  });
});
