/** Watch frames, wherever the network or a broken server cuts them: an event is given whole, or there is an error. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GoneError } from '../../lib/cluster/errors.ts';
import { linesOf } from '../../lib/cluster/lines.ts';
import { AmbiguousError, ClusterError, ThrottledError } from '../../lib/controller/errors.ts';
import { anyJson, damaged, MEBIBYTE, mutationsOf } from './hostile.ts';
import { inTime, runs } from './runs.ts';
import { cutAt, each, watched } from './streams.ts';

const volume = (name: string, resourceVersion: string, more: object = {}) => ({
  kind: 'PersistentVolume',
  apiVersion: 'v1',
  metadata: { name, resourceVersion, uid: `uid-of-${name}`, ...more },
  spec: { capacity: { storage: '1Gi' } },
});
const FRAMES = [
  { type: 'ADDED', object: volume('pv-1', '2') },
  { type: 'MODIFIED', object: volume('pv-2', '3', { annotations: { of: 'ö, 漢字, 😀 and "\\n"' } }) },
  { type: 'BOOKMARK', object: { kind: 'PersistentVolume', apiVersion: 'v1', metadata: { resourceVersion: '4' } } },
  { type: 'DELETED', object: volume('pv-1', '5') },
];
const WHOLE = Buffer.from(FRAMES.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
const ERROR = {
  type: 'ERROR',
  object: { kind: 'Status', apiVersion: 'v1', code: 410, reason: 'Expired', message: 'old' },
};
const KEYS = [
  'type',
  'object',
  'metadata',
  'name',
  'resourceVersion',
  'kind',
  'apiVersion',
  'code',
  'reason',
  'message',
];
const place = fc.nat({ max: WHOLE.length });

const versionsIn = (events: readonly { object: { metadata: { resourceVersion?: string } } }[]) =>
  events.map(({ object }) => object.metadata.resourceVersion);

describe('a stream that is whole', () => {
  test('gives the same events, cut at any one byte', async () => {
    const expected = (await watched([WHOLE])).events;
    expect(versionsIn(expected)).toEqual(['2', '3', '4', '5']);
    for (let end = 0; end <= WHOLE.length; end++) {
      expect(await watched(cutAt(WHOLE, [end]))).toEqual({ events: expected, closed: true });
    }
  });

  test('gives the same events, cut into pieces of any number and size', async () => {
    const expected = (await watched([WHOLE])).events;
    const places = fc.array(place, { maxLength: 30 });
    const check = async (at: readonly number[]) => {
      expect(await watched(cutAt(WHOLE, at))).toEqual({ events: expected, closed: true });
    };
    await fc.assert(fc.asyncProperty(places, check), { ...runs(), examples: [[[...WHOLE.keys()]]] });
  });
});

describe('a stream that ends too soon', () => {
  test('at any byte: what came whole is given, and the rest is an error, never a half of an event', async () => {
    const { events: all } = await watched([WHOLE]);
    for (let end = 0; end <= WHOLE.length; end++) {
      const { events, error } = await watched([WHOLE.subarray(0, end)]);
      const lines = WHOLE.subarray(0, end).toString().split('\n');
      expect(events).toEqual(all.slice(0, lines.length - 1));
      if (lines.at(-1) === '') expect(error).toBeUndefined();
      else expect(error).toBeInstanceOf(AmbiguousError);
    }
  });
});

describe('a stream of nonsense', () => {
  /** Every end is one that the bridge knows, and every event has what its position needs. */
  async function assertHarmless(bytes: Buffer): Promise<void> {
    const { events, error, closed } = await watched([bytes]);
    expect(closed).toBe(true);
    if (error !== undefined) {
      expect(error).toBeInstanceOf(ClusterError);
      expect((error as ClusterError).message.length).toBeLessThan(1_500);
      expect((error as ClusterError).code).toBeTypeOf('number');
      expect((error as ClusterError).reason).toBeTypeOf('string');
    }
    for (const { type, object } of events) {
      expect(object).toMatchObject({ kind: 'PersistentVolume', apiVersion: 'v1' });
      expect(object.metadata.resourceVersion).toMatch(/./);
      if (type !== 'BOOKMARK') expect(object.metadata.name).toBeTypeOf('string');
    }
  }
  const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);

  test('any bytes', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
    await fc.assert(fc.asyncProperty(bytes, assertHarmless), runs());
  });

  test('any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson(KEYS), (value) => assertHarmless(line(value))),
      runs(),
    );
  });

  test('frames with parts replaced', async () => {
    const frame = fc.constantFrom(...FRAMES).chain((valid) => mutationsOf(valid, KEYS));
    await fc.assert(
      fc.asyncProperty(frame, (value) => assertHarmless(line(value))),
      { ...runs(), examples: [[{ type: 'BOOKMARK', object: volume('pv-1', '') }]] },
    );
  });

  test('errors with parts replaced', async () => {
    const odd = {
      ...ERROR,
      object: { ...ERROR.object, code: '410', reason: { toString: 1 }, message: { toString: 1 } },
    };
    await fc.assert(
      fc.asyncProperty(mutationsOf(ERROR, KEYS), (value) => assertHarmless(line(value))),
      { ...runs(), examples: [[odd]] },
    );
  });

  test('frames overwritten in the middle', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(WHOLE.toString()), (text) => assertHarmless(Buffer.from(text))),
      runs(),
    );
  });

  test('an answer of any status and body is an error of the cluster', async () => {
    const status = fc.integer({ min: 100, max: 599 }).filter((code) => code !== 200);
    await fc.assert(
      fc.asyncProperty(status, mutationsOf(ERROR.object, KEYS), async (code, body) => {
        const { events, error } = await watched([Buffer.from(JSON.stringify(body))], code);
        expect(events).toEqual([]);
        expect(error).toBeInstanceOf(ClusterError);
      }),
      { ...runs(), examples: [[500, { ...ERROR.object, message: { toString: 1 } }]] },
    );
  });
});

test.each([
  [{ code: 410 }, GoneError],
  [{ code: 500, reason: 'Expired' }, GoneError],
  [{ code: 429, reason: 'TooManyRequests' }, ThrottledError],
] as const)('an error frame with %j is a %o', async (more, type) => {
  const object = { kind: 'Status', apiVersion: 'v1', message: 'm', reason: '', ...more };
  const { error } = await watched([Buffer.from(`${JSON.stringify({ type: 'ERROR', object })}\n`)]);
  expect(error).toBeInstanceOf(type);
});

describe('linesOf', () => {
  const textIn = (value: string) => value.replace(/[\n]/g, ' ');
  const words = fc.array(fc.string({ unit: 'binary', maxLength: 20 }).map((s) => textIn(s.toWellFormed())));

  test('gives back the lines that were joined, wherever they are cut', async () => {
    const cuts = fc.array(fc.nat({ max: 500 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(words, cuts, async (lines, places) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const chunks = cutAt(
          bytes,
          places.map((at) => Math.min(at, bytes.length)),
        );
        const given: string[] = [];
        for await (const line of linesOf(each(chunks), 10_000)) given.push(line);
        expect(given).toEqual(lines.filter((line) => line.trim() !== ''));
      }),
      runs(),
    );
  });

  test('refuses a longer line as soon as it is longer, however small its pieces are', async () => {
    const check = async (limit: number, size: number) => {
      let taken = 0;
      const endless = async function* () {
        for (;;) {
          taken += size;
          yield Buffer.alloc(size, 0x61);
        }
      };
      await expect(linesOf(endless(), limit).next()).rejects.toThrow(AmbiguousError);
      expect(taken).toBeLessThanOrEqual(limit + size);
    };
    await fc.assert(fc.asyncProperty(fc.nat({ max: 2_000 }), fc.integer({ min: 1, max: 500 }), check), runs(5));
  });

  test('takes a long line in single bytes, and a million empty lines, in linear time', async () => {
    const bytes = Buffer.alloc(MEBIBYTE / 8, 0x61);
    const single = async function* () {
      for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
      yield Buffer.from('\n');
    };
    expect((await inTime(() => linesOf(single(), MEBIBYTE).next())).value).toHaveLength(bytes.length);
    const empty = [Buffer.alloc(MEBIBYTE, 0x0a), Buffer.from('end\n')];
    expect((await inTime(() => linesOf(each(empty), 100).next())).value).toBe('end');
  });
});
