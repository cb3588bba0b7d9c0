import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OutgoingMessage } from '../queue/producer.ts';
import { systemClock } from './clock.ts';
import type { BridgeHooks } from './ports.ts';
import { Publisher } from './publisher.ts';
import { FakeQueue } from './testing/fake-queue.ts';

let queue: FakeQueue;
let publisher: Publisher;
let failed: string[];
let hooks: BridgeHooks;

beforeEach(() => {
  vi.useFakeTimers();
  queue = new FakeQueue();
  failed = [];
  hooks = { failed: (what) => failed.push(what) };
  publisher = publisherOf({});
});
afterEach(() => void vi.useRealTimers());

function publisherOf(settings: { maxSending?: number }): Publisher {
  const defaults = { maxSending: 100, retryBaseMs: 100, retryMaxMs: 1_000 };
  return new Publisher({ sender: queue, settings: { ...defaults, ...settings }, clock: systemClock, hooks });
}

function message(name: string, version: string, hint?: string): OutgoingMessage {
  return {
    message: {
      v: 1,
      kind: 'PersistentVolume',
      name,
      resourceVersion: version,
      reason: 'modified',
      ...(hint !== undefined && { hint: { volumeName: hint } }),
    },
    occasion: { form: 'change', uid: name, resourceVersion: version },
  };
}

const versions = () => queue.messages.map(({ name, resourceVersion }) => `${name}@${resourceVersion}`);

describe('Publisher', () => {
  it('resolves when the queue has the message', async () => {
    queue.latencyMs = 50;
    const done = vi.fn();
    void publisher.publish(message('a', '1')).then(done);
    await vi.advanceTimersByTimeAsync(49);
    expect(done).not.toHaveBeenCalled();
    expect(publisher.size).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledOnce();
    expect(publisher.size).toBe(0);
  });

  it('lets a later message about a key take the place of one that waits, and answers both; a hint stays', async () => {
    queue.latencyMs = 50;
    const done = vi.fn();
    for (const each of [message('a', '1'), message('a', '2', 'pv'), message('a', '3')]) {
      void publisher.publish(each).then(done);
    }
    await vi.advanceTimersByTimeAsync(200);
    expect(versions()).toEqual(['a@1', 'a@3']);
    expect(queue.messages[1]?.hint).toEqual({ volumeName: 'pv' });
    expect(done).toHaveBeenCalledTimes(3);
  });

  it('keeps trying while the queue is away, and then sends what is newest', async () => {
    queue.isDown = true;
    const done = vi.fn();
    void publisher.publish(message('a', '1')).then(done);
    void publisher.publish(message('b', '1')).then(done);
    await vi.advanceTimersByTimeAsync(5_000);
    void publisher.publish(message('a', '2')).then(done);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(done).not.toHaveBeenCalled();
    expect(publisher.oldestSince).toBe(Date.now() - 10_000);
    queue.isDown = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(done).toHaveBeenCalledTimes(3);
    expect(versions().sort()).toEqual(['a@2', 'b@1']);
    expect(failed.length).toBeGreaterThan(10);
    expect(new Set(failed)).toEqual(new Set(['send']));
    // The newer message took the place of the one that failed: there is no third one behind them.
    expect(queue.accepted).toBe(2);
  });

  it('counts what waits behind a message under way', () => {
    queue.hold();
    for (const version of ['1', '2', '3']) void publisher.publish(message('a', version));
    void publisher.publish(message('b', '1'));
    expect(publisher.size).toBe(3);
  });

  it('drops a message that no worker would take, and goes on', async () => {
    await publisher.publish(message('Not A Name', '1'));
    await publisher.publish(message('a', '1'));
    expect(versions()).toEqual(['a@1']);
    expect(failed).toEqual(['message']);
  });

  it('does not merge a wake or a deletion with a look', async () => {
    queue.hold();
    void publisher.publish(message('a', '1'));
    void publisher.publish(message('a', '2'), 'wake');
    void publisher.publish(message('a', '3'), 'deleted u');
    queue.release();
    await vi.advanceTimersByTimeAsync(10);
    expect(versions()).toEqual(['a@1', 'a@2', 'a@3']);
  });

  it('hands over no more than so many at a time, and makes bulk publishers wait', async () => {
    publisher = publisherOf({ maxSending: 2 });
    queue.hold();
    const send = vi.spyOn(queue, 'send');
    for (let i = 0; i < 30; i++) void publisher.publish(message(`a${i}`, '1'));
    const room = vi.fn();
    void publisher.room().then(room);
    await vi.advanceTimersByTimeAsync(10);
    expect(send).toHaveBeenCalledTimes(2);
    expect(room).not.toHaveBeenCalled();
    queue.release();
    await vi.advanceTimersByTimeAsync(10);
    expect(queue.messages).toHaveLength(30);
    expect(room).toHaveBeenCalledOnce();
  });

  it.each([
    [22, true],
    [23, false],
  ])('has room for bulk publishers while ten times as many wait as may be under way: of %i %s', async (count, has) => {
    publisher = publisherOf({ maxSending: 2 });
    queue.hold();
    for (let i = 0; i < count; i++) void publisher.publish(message(`a${i}`, '1'));
    const room = vi.fn();
    void publisher.room().then(room);
    await vi.advanceTimersByTimeAsync(10);
    expect(room).toHaveBeenCalledTimes(has ? 1 : 0);
  });

  it('knows the newest message about a key that is not accepted', async () => {
    const key = { kind: 'PersistentVolume', name: 'a' } as const;
    expect(publisher.pending(key)).toBeUndefined();
    queue.hold();
    const first = publisher.publish(message('a', '1'));
    expect(publisher.pending(key)).toBe(first);
    const second = publisher.publish(message('a', '2'));
    expect(publisher.pending(key)).toBe(second);
    queue.release();
    await second;
    expect(publisher.pending(key)).toBeUndefined();
  });

  it('gives up when it is stopped', async () => {
    queue.isDown = true;
    const first = publisher.publish(message('a', '1'));
    publisher.stop();
    await expect(first).rejects.toThrow('stopped');
    await expect(publisher.publish(message('b', '1'))).rejects.toThrow('stopped');
    expect(publisher.size).toBe(0);
    await vi.advanceTimersByTimeAsync(5_000);
  });

  it('lets bulk publishers go when it is stopped, and does not call what it gave up a failure', async () => {
    publisher = publisherOf({ maxSending: 1 });
    queue.hold();
    for (let i = 0; i < 20; i++) void publisher.publish(message(`a${i}`, '1'));
    const room = vi.fn();
    void publisher.room().then(room);
    await vi.advanceTimersByTimeAsync(10);
    expect(room).not.toHaveBeenCalled();
    publisher.stop();
    expect(publisher.size).toBe(0);
    await vi.advanceTimersByTimeAsync(10);
    expect(room).toHaveBeenCalledOnce();
    queue.release();
    await vi.advanceTimersByTimeAsync(5_000);
    expect([queue.messages, failed]).toEqual([[], []]);
  });
});
