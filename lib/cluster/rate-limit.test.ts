import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ThrottledError } from '../controller/errors.ts';
import { ApiServerCluster } from './api-server.ts';
import { RateLimit } from './rate-limit.ts';
import { json, type TestServer, testServer } from './testing/http-server.ts';
import { Transport } from './transport.ts';

describe('rate limit', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Starts calls; `gone` has the names of those whose turn has come, in that order. */
  function calls(limit: RateLimit, gone: string[]) {
    return (name: string, signal?: AbortSignal, turn = 0) => {
      const waiting = limit.take(turn, signal);
      if (waiting === undefined) gone.push(name);
      return waiting?.then(() => void gone.push(name)) ?? Promise.resolve();
    };
  }
  const names = (count: number) => Array.from({ length: count }, (_, index) => String(index));

  it('lets the calls of one second go at once, and then one by one', async () => {
    const gone: string[] = [];
    const call = calls(new RateLimit(10), gone);
    for (const name of names(15)) void call(name);
    expect(gone).toEqual(names(10));
    await vi.advanceTimersByTimeAsync(199);
    expect(gone).toEqual(names(11));
    await vi.advanceTimersByTimeAsync(301);
    expect(gone).toEqual(names(15));
  });

  it.each([1, 7, 50, 333])('never lets more go than %i per second and as many before', async (perSecond) => {
    const gone: string[] = [];
    const call = calls(new RateLimit(perSecond), gone);
    for (const name of names(perSecond * 12)) void call(name);
    for (let second = 0; second <= 10; second += 1) {
      expect(gone.length).toBeLessThanOrEqual(perSecond * (second + 1));
      // Timers know whole milliseconds only.
      expect(gone.length).toBeGreaterThanOrEqual(perSecond * (second + 1) * 0.9 - 1);
      await vi.advanceTimersByTimeAsync(1_000);
    }
  });

  it('saves up for one second and no more', async () => {
    const gone: string[] = [];
    const call = calls(new RateLimit(10), gone);
    await vi.advanceTimersByTimeAsync(3_600_000);
    for (const name of names(20)) void call(name);
    expect(gone).toHaveLength(10);
  });

  it('lets the key that began first end first, so that one ends whenever there is time for the calls of one', async () => {
    const gone: string[] = [];
    const call = calls(new RateLimit(1), gone);
    const work = async (key: string, turn: number) => {
      for (let time = 0; time < 3; time += 1) await call(key, undefined, turn);
    };
    void call('shared');
    void work('second', 2);
    void work('first', 1);
    void call('shared');
    await vi.advanceTimersByTimeAsync(7_000);
    expect(gone).toEqual(['shared', 'shared', 'first', 'first', 'first', 'second', 'second', 'second']);
  });

  it('lets the others go on while a key waits for the server', async () => {
    const gone: string[] = [];
    const call = calls(new RateLimit(1), gone);
    void call('before');
    void call('first', undefined, 1);
    void call('second', undefined, 2);
    await vi.advanceTimersByTimeAsync(2_000);
    void call('first', undefined, 1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(gone).toEqual(['before', 'first', 'second', 'first']);
  });

  it('gives up with the signal, and the token goes to the next', async () => {
    const gone: string[] = [];
    const call = calls(new RateLimit(1), gone);
    const ending = new AbortController();
    void call('first');
    const failed = call('second', ending.signal).catch((error: unknown) => error);
    void call('third');
    ending.abort(new Error('the time is over'));
    const error = await failed;
    expect(error).toBeInstanceOf(ThrottledError);
    expect(error).toMatchObject({ code: 0, cause: { message: 'the time is over' } });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(gone).toEqual(['first', 'third']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not wait for a signal that has come already, and leaves no timer', async () => {
    const limit = new RateLimit(1);
    limit.take(0);
    await expect(limit.take(0, AbortSignal.abort())).rejects.toThrow('no turn in time under our own limit of 1 calls');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes on when the clock was set back', async () => {
    let now = 1_000_000;
    const limit = new RateLimit(1, () => now);
    limit.take(0);
    now -= 500_000;
    const turn = limit.take(0);
    now += 1_000;
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(turn).resolves.toBeUndefined();
  });

  it('makes up for a call that could not wait', async () => {
    const gone: string[] = [];
    const limit = new RateLimit(1);
    const call = calls(limit, gone);
    void call('first');
    limit.charge();
    void call('second');
    await vi.advanceTimersByTimeAsync(1_999);
    expect(gone).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(1);
    expect(gone).toEqual(['first', 'second']);
  });
});

describe('a transport with a limit', () => {
  let server: TestServer;
  let transport: Transport;
  beforeEach(async () => {
    server = await testServer((_, response) => json(response, 200, {}));
    transport = new Transport({ server: server.url }, { callsPerSecond: 2, requestTimeoutMs: 450 });
  });
  afterEach(async () => {
    transport.close();
    await server.close();
  });

  it('does not count the waiting as the server’s time, and lets streams pass', async () => {
    const requests = Promise.all([1, 2, 3, 4].map(() => transport.request({ method: 'GET', path: '/a' })));
    const stream = await transport.stream({ method: 'GET', path: '/watch' });
    stream.close();
    expect(server.received.filter(({ url }) => url === '/a').length).toBeLessThanOrEqual(2);
    expect(await requests).toHaveLength(4);
  });

  it('serves the keys in the order in which they were begun', async () => {
    const cluster = new ApiServerCluster({ server: server.url }, { callsPerSecond: 2 });
    const [first, second] = [1, 2].map(() => cluster.withSignal(new AbortController().signal));
    await Promise.allSettled([1, 2].map((number) => cluster.get('PersistentVolume', { name: `pv-${number}` })));
    await Promise.allSettled([second, first].map((key, at) => key?.get('PersistentVolume', { name: `key-${2 - at}` })));
    cluster.close();
    expect(server.received.slice(2).map(({ url }) => url.split('/').at(-1))).toEqual(['key-1', 'key-2']);
  });

  it('counts a repeat too', async () => {
    const refusing = await testServer((_, response) => json(response, 401, {}));
    const token = async () => crypto.randomUUID();
    const repeating = new Transport({ server: refusing.url, token }, { callsPerSecond: 2 });
    await repeating.request({ method: 'GET', path: '/a' });
    expect(refusing.received).toHaveLength(2);
    const next = repeating.request({ method: 'GET', path: '/a' }).catch((error: unknown) => error);
    repeating.close();
    expect(await next).toBeInstanceOf(ThrottledError);
    await refusing.close();
  });

  it('ends the waiting when it is closed', async () => {
    const requests = [1, 2, 3].map(() => transport.request({ method: 'GET', path: '/a' }));
    const failed = requests[2]?.catch((error: unknown) => error);
    await Promise.all(requests.slice(0, 2));
    transport.close();
    expect(await failed).toBeInstanceOf(ThrottledError);
  });

  it('sends nothing for a request that was given up while it waited', async () => {
    const ending = new AbortController();
    await Promise.all([1, 2].map(() => transport.request({ method: 'GET', path: '/a' })));
    const failed = transport
      .request({ method: 'PUT', path: '/b', signal: ending.signal })
      .catch((error: unknown) => error);
    ending.abort();
    expect(await failed).toBeInstanceOf(ThrottledError);
    await transport.request({ method: 'GET', path: '/a' });
    expect(server.received.map(({ url }) => url)).toEqual(['/a', '/a', '/a']);
  });
});
