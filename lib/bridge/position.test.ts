import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { Position } from './position.ts';

const never = new AbortController().signal;

function work(): PromiseWithResolvers<void> {
  return Promise.withResolvers();
}

async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.resolve();
}

describe('Position', () => {
  it('is unknown until a list is accepted, but the list can be resumed from', async () => {
    const position = new Position(10, () => {});
    const list = work();
    position.listed('10', list.promise, 0);
    expect([position.accepted, position.resumeFrom, position.inFlight]).toEqual([undefined, '10', 1]);
    list.resolve();
    await settled();
    expect([position.accepted, position.inFlight]).toEqual(['10', 0]);
  });

  it('passes an event only when all before it are accepted', async () => {
    const position = new Position(10, () => {});
    position.listed('10', Promise.resolve(), 0);
    const [first, second] = [work(), work()];
    position.received('11', first.promise, 1);
    position.received('12', second.promise, 2);
    second.resolve();
    await settled();
    expect(position.accepted).toBe('10');
    expect(position.oldestSince).toBe(1);
    first.resolve();
    await settled();
    expect(position.accepted).toBe('12');
  });

  it('is moved by a bookmark, but not past an event that is not accepted', async () => {
    const position = new Position(10, () => {});
    position.listed('10', Promise.resolve(), 0);
    const event = work();
    await settled();
    position.received('15', undefined, 0);
    expect(position.accepted).toBe('15');
    position.received('16', event.promise, 0);
    position.received('20', undefined, 0);
    expect(position.accepted).toBe('15');
    event.resolve();
    await settled();
    expect(position.accepted).toBe('20');
  });

  it('after a rewind ignores what was in flight, since that comes again', async () => {
    const position = new Position(10, () => {});
    position.listed('10', Promise.resolve(), 0);
    const [event, again] = [work(), work()];
    await settled();
    position.received('11', event.promise, 0);
    position.rewind();
    position.received('11', again.promise, 0);
    event.resolve();
    await settled();
    expect([position.accepted, position.inFlight]).toEqual(['10', 1]);
    again.resolve();
    await settled();
    expect([position.accepted, position.inFlight]).toEqual(['11', 0]);
  });

  it('after a rewind still waits for the list', async () => {
    const position = new Position(10, () => {});
    const list = work();
    position.listed('10', list.promise, 0);
    position.received('11', Promise.resolve(), 0);
    await settled();
    position.rewind();
    expect([position.accepted, position.resumeFrom, position.inFlight]).toEqual([undefined, '10', 1]);
    list.resolve();
    await settled();
    expect(position.accepted).toBe('10');
  });

  it('begins anew with every list, and has nothing to do with what was in flight before', async () => {
    const position = new Position(10, () => {});
    const event = work();
    position.listed('10', Promise.resolve(), 0);
    position.received('11', event.promise, 1);
    await settled();
    position.listed('20', work().promise, 2);
    expect([position.accepted, position.resumeFrom, position.inFlight, position.oldestSince]).toEqual([
      undefined,
      '20',
      1,
      2,
    ]);
    event.resolve();
    await settled();
    expect([position.accepted, position.inFlight]).toEqual([undefined, 1]);
  });

  it('knows nothing after its versions are of no use any more', async () => {
    const position = new Position(10, () => {});
    const event = work();
    position.listed('10', Promise.resolve(), 0);
    position.received('11', event.promise, 1);
    await settled();
    position.forget();
    expect([position.resumeFrom, position.inFlight, position.oldestSince]).toEqual([undefined, 0, undefined]);
    event.resolve();
    await settled();
    expect(position.resumeFrom).toBeUndefined();
  });

  it('lets the reader go when what held it up was dropped', async () => {
    const position = new Position(1, () => {});
    position.received('11', work().promise, 0);
    const read = vi.fn();
    void position.room(never).then(read);
    position.rewind();
    await settled();
    expect(read).toHaveBeenCalledOnce();
  });

  it('holds twenty events per place behind the oldest one, accepted or not', async () => {
    const position = new Position(2, () => {});
    const oldest = work();
    position.received('1', oldest.promise, 0);
    for (let version = 2; version < 40; version++) position.received(String(version), Promise.resolve(), 0);
    await settled();
    const read = vi.fn();
    await position.room(never).then(read);
    expect(read).toHaveBeenCalledOnce();
    position.received('40', Promise.resolve(), 0);
    void position.room(never).then(read);
    await settled();
    expect(position.inFlight).toBe(1);
    expect(read).toHaveBeenCalledOnce();
    oldest.resolve();
    await settled();
    expect([position.accepted, read.mock.calls.length]).toEqual(['40', 2]);
  });

  it('leaves nothing behind at the signal, however often a reader waited', async () => {
    const position = new Position(1, () => {});
    const { signal } = new AbortController();
    for (let version = 1; version < 5; version++) {
      const event = work();
      position.received(String(version), event.promise, 0);
      const room = position.room(signal);
      event.resolve();
      await room;
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('makes the reader wait at the bound, and lets it go when the signal is aborted', async () => {
    const position = new Position(1, () => {});
    const event = work();
    position.received('11', event.promise, 0);
    const read = vi.fn();
    void position.room(never).then(read);
    await settled();
    expect(read).not.toHaveBeenCalled();
    event.resolve();
    await settled();
    expect(read).toHaveBeenCalledOnce();

    const stop = new AbortController();
    position.received('12', work().promise, 0);
    void position.room(stop.signal).then(read);
    stop.abort();
    await settled();
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('tells of work that was given up, unless it comes again anyway', async () => {
    const failed = vi.fn();
    const position = new Position(10, failed);
    const [early, late] = [work(), work()];
    position.received('11', early.promise, 0);
    position.rewind();
    position.received('11', late.promise, 0);
    early.reject(new Error('early'));
    late.reject(new Error('late'));
    await settled();
    expect(failed.mock.calls).toEqual([[new Error('late')]]);
  });
});
