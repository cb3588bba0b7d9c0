/** Queue messages: anybody who may send can write anything. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPossibleKey } from '../../lib/controller/names.ts';
import { deduplicationId, groupId } from '../../lib/queue/ids.ts';
import { BadMessageError, formatMessage, parseMessage, type SyncMessage, syncKey } from '../../lib/queue/message.ts';
import { anyJson, anyText, damaged, HOSTILE_NAMES, MEBIBYTE, mutationsOf } from './hostile.ts';
import { messageIn, outcomeOf, valueIn } from './outcome.ts';
import { inTime, runs } from './runs.ts';

const VALID = {
  v: 1,
  kind: 'PersistentVolumeClaim',
  namespace: 'default',
  name: 'data.one',
  uid: 'uid-1',
  resourceVersion: '17',
  reason: 'deleted',
  hint: { volumeName: 'pv-1' },
  deleted: {
    claimRef: { namespace: 'default', name: 'data.one', uid: 'uid-1' },
    volumeName: 'pv-1',
    deletionTimestamp: '2026-01-01T00:00:00Z',
  },
} as const satisfies SyncMessage;
const KEYS = [...Object.keys(VALID), ...Object.keys(VALID.deleted)];

/** A message that may be acted on: nothing in it can be anything but what it is called. */
function assertSafe(message: SyncMessage): void {
  const { hint, deleted } = message;
  expect(isPossibleKey(syncKey(message))).toBe(true);
  if (hint !== undefined) expect(isPossibleKey({ kind: 'PersistentVolume', name: hint.volumeName })).toBe(true);
  if (deleted?.volumeName !== undefined) {
    expect(isPossibleKey({ kind: 'PersistentVolume', name: deleted.volumeName })).toBe(true);
  }
  if (deleted?.claimRef !== undefined) {
    const { namespace, name } = deleted.claimRef;
    expect(isPossibleKey({ kind: 'PersistentVolumeClaim', namespace, name })).toBe(true);
  }
  expect(groupId(message)).toMatch(/^[!-~]{1,128}$/);
  expect(deduplicationId(message, { form: 'redrive', nonce: 'n' })).toMatch(/^[0-9a-f]{64}$/);
}

/** What comes out of a body is a safe message, or one error that is fit for a log line and an attribute of SQS. */
function assertRead(body: string): void {
  const outcome = outcomeOf(() => parseMessage(body), BadMessageError);
  const message = valueIn(outcome);
  if (message === undefined) {
    expect(messageIn(outcome).length).toBeLessThan(1_000);
    expect(messageIn(outcome)).toMatch(/^bad message: /);
  } else {
    assertSafe(message);
    expect(parseMessage(formatMessage(message))).toEqual(message);
  }
}

describe('parseMessage gives a safe message or a BadMessageError', () => {
  test('for any text', () => {
    fc.assert(fc.property(anyText, assertRead), runs());
  });

  test('for any JSON', () => {
    fc.assert(
      fc.property(anyJson(KEYS), (value) => assertRead(JSON.stringify(value))),
      runs(),
    );
  });

  test('for a message of ours with parts replaced', () => {
    fc.assert(
      fc.property(mutationsOf(VALID, KEYS), (value) => assertRead(JSON.stringify(value))),
      { ...runs(), examples: [[VALID], [{ ...VALID, uid: { length: { toString: null } } }]] },
    );
  });

  test('for a message of ours that was cut or overwritten', () => {
    fc.assert(fc.property(damaged(JSON.stringify(VALID)), assertRead), runs());
  });

  test('for a body of any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString('utf8'));
    fc.assert(fc.property(bytes, assertRead), runs());
  });
});

describe('hostile names', () => {
  const inField: Readonly<Record<string, (name: string) => unknown>> = {
    'the name of a volume': (name) => ({ v: 1, kind: 'PersistentVolume', name, reason: 'modified' }),
    'the name of a claim': (name) => ({ ...VALID, name }),
    'the namespace': (namespace) => ({ ...VALID, namespace }),
  };
  test.each(Object.entries(inField))('in %s are refused, alone and put together', (_, body) => {
    for (const name of HOSTILE_NAMES) {
      expect(() => parseMessage(JSON.stringify(body(name))), name).toThrow(BadMessageError);
    }
    const impossible = anyText.filter((name) => !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name));
    fc.assert(
      fc.property(impossible, (name) => {
        expect(() => parseMessage(JSON.stringify(body(name)))).toThrow(BadMessageError);
      }),
      runs(),
    );
  });

  test('in references are dropped, and the key is still synced', () => {
    for (const name of HOSTILE_NAMES) {
      const deleted = { claimRef: { namespace: 'default', name }, volumeName: name };
      const message = parseMessage(JSON.stringify({ ...VALID, hint: { volumeName: name }, deleted }));
      expect(message).toMatchObject({ name: VALID.name, deleted: {} });
      expect(message.hint).toBeUndefined();
      assertSafe(message);
    }
  });
});

describe('size', () => {
  const large: Readonly<Record<string, string>> = {
    'a name of 1 MiB': JSON.stringify({ ...VALID, name: 'x'.repeat(MEBIBYTE) }),
    'a name of 200 KiB': JSON.stringify({ ...VALID, name: 'x'.repeat(200 * 1024) }),
    'a uid of 200 KiB': JSON.stringify({ ...VALID, uid: 'x'.repeat(200 * 1024) }),
    dots: JSON.stringify({ ...VALID, name: 'a.'.repeat(100 * 1024) }),
    dashes: JSON.stringify({ ...VALID, name: `a${'-'.repeat(200 * 1024)}` }),
    'characters of four bytes': JSON.stringify({ ...VALID, name: '😀'.repeat(60 * 1024) }),
    'an escape for each character': `{"v":1,"name":"${'\\u0061'.repeat(40 * 1024)}"}`,
    'nested arrays': '['.repeat(250 * 1024),
    'nested objects': '{"a":'.repeat(50 * 1024),
    'one key many times': `{${Array(20_000).fill('"name":"x"').join(',')}}`,
    'a number of many digits': `{"v":${'9'.repeat(250 * 1024)}}`,
  };
  test.each(Object.entries(large))('%s: refused at once, and quoted in short', async (_, body) => {
    const outcome = await inTime(() => outcomeOf(() => parseMessage(body), BadMessageError));
    expect(messageIn(outcome).length).toBeGreaterThan(0);
    expect(messageIn(outcome).length).toBeLessThan(1_000);
  });

  test('what is made can be read: a reference of any length fails where it was made, or arrives', () => {
    const make = (length: number) => ({
      ...VALID,
      deleted: { claimRef: { namespace: 'default', name: 'c', uid: 'u'.repeat(length) } },
    });
    const lengths = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: MEBIBYTE }));
    fc.assert(
      fc.property(lengths, (length) => {
        const body = valueIn(outcomeOf(() => formatMessage(make(length)), BadMessageError));
        if (body !== undefined) expect(parseMessage(body)).toMatchObject({ name: VALID.name });
      }),
      { ...runs(10), examples: [[300 * 1024]] },
    );
  });
});
