import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadMessageError, formatMessage, keyOf, parseMessage, type SyncMessage, syncKey } from './message.ts';

const volume: SyncMessage = { v: 1, kind: 'PersistentVolume', name: 'pv-1', reason: 'added' };
const claim: SyncMessage = { v: 1, kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'c', reason: 'modified' };

function refusalOf(body: unknown): BadMessageError {
  try {
    parseMessage(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof BadMessageError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('parseMessage', () => {
  test.each<SyncMessage>([
    volume,
    { ...claim, uid: 'u', resourceVersion: '7', hint: { volumeName: 'pv-1' } },
    { ...claim, reason: 'deleted', deleted: { volumeName: 'pv-1', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    { ...volume, reason: 'deleted', deleted: { claimRef: { namespace: 'ns', name: 'c', uid: 'u' } } },
    { ...volume, name: 'x'.repeat(253) },
    { ...volume, uid: 'u'.repeat(253), resourceVersion: '7'.repeat(253) },
  ])('gives back what formatMessage wrote: %j', (message) => {
    expect(parseMessage(formatMessage(message))).toEqual(message);
  });

  test.each<[object, string]>([
    [{ ...volume, v: undefined }, 'v must be 1, got nothing'],
    [{ ...volume, kind: 'Pod' }, 'kind must be PersistentVolume or PersistentVolumeClaim, got "Pod"'],
    [{ ...volume, namespace: 'ns' }, 'namespace must be absent for a volume, got "ns"'],
    [{ ...claim, namespace: undefined }, 'namespace must be present for a claim, got nothing'],
    [
      { ...volume, name: 'x'.repeat(300) },
      `name must be a DNS-1123 subdomain of up to 253 characters, got "${'x'.repeat(99)}…`,
    ],
    [{ ...volume, uid: 'u'.repeat(254) }, `uid is too long, got "${'u'.repeat(99)}…`],
    [{ ...volume, uid: '' }, 'uid is empty, got ""'],
  ])('says what is wrong with %j', (body, why) => {
    expect(refusalOf(body).message).toBe(`bad message: ${why}`);
  });

  test('tolerates and drops keys of a newer sender', () => {
    expect(parseMessage(JSON.stringify({ ...volume, priority: 3, deleted: { more: 1 } }))).toEqual({
      ...volume,
      deleted: {},
    });
  });

  test.each<[string, unknown, string]>([
    ['not JSON', '{', 'body'],
    ['an empty body', '', 'body'],
    ['null', 'null', 'body'],
    ['an array', [], 'body'],
    ['no version', { ...volume, v: undefined }, 'v'],
    ['another version', { ...volume, v: 2 }, 'v'],
    ['the version as text', { ...volume, v: '1' }, 'v'],
    ['an unknown kind', { ...volume, kind: 'Pod' }, 'kind'],
    ['no name', { ...volume, name: undefined }, 'name'],
    ['an empty name', { ...volume, name: '' }, 'name'],
    ['a path as name', { ...volume, name: '../../secrets/x' }, 'name'],
    ['a name of 254 characters', { ...volume, name: 'x'.repeat(254) }, 'name'],
    ['a number as name', { ...volume, name: 5 }, 'name'],
    ['a claim without namespace', { ...claim, namespace: undefined }, 'namespace'],
    ['a claim with a path as namespace', { ...claim, namespace: '..' }, 'namespace'],
    ['a namespace of 64 characters', { ...claim, namespace: 'x'.repeat(64) }, 'namespace'],
    ['a volume with namespace', { ...volume, namespace: 'ns' }, 'namespace'],
    ['no reason', { ...volume, reason: undefined }, 'reason'],
    ['an unknown reason', { ...volume, reason: 'because' }, 'reason'],
    ['an empty uid', { ...volume, uid: '' }, 'uid'],
    ['a hint that is no object', { ...claim, hint: 'pv-1' }, 'hint'],
    ['half a claimRef', { ...volume, deleted: { claimRef: { name: 'c' } } }, 'deleted.claimRef.namespace'],
  ])('refuses %s and names the field', (_, body, field) => {
    const error = refusalOf(body);
    expect(error.field).toBe(field);
    expect(error.message).toContain(field);
    expect(error.message).toContain(error.value);
  });

  test('refuses a body over 256 KiB before it is parsed, counted in bytes', () => {
    expect(refusalOf(`"${'ä'.repeat(128 * 1024)}"`).message).toMatch(/body is over 262144 bytes/);
    expect(refusalOf(`"${'x'.repeat(262_142)}"`).message).toMatch(/must be a JSON object/);
  });

  test('cuts the value that it shows and keeps it on one line', () => {
    const error = refusalOf({ ...volume, name: `a\nFAKE LOG LINE ${'x'.repeat(10_000)}` });
    expect(error.value.length).toBeLessThan(120);
    expect(error.message).not.toContain('\n');
    expect(error.message.length).toBeLessThan(250);
  });

  test('shows a value whole that is as long as what it shows of others', () => {
    expect(refusalOf({ ...volume, kind: 'k'.repeat(98) }).value).toBe(`"${'k'.repeat(98)}"`);
    expect(refusalOf({ ...volume, kind: 'k'.repeat(99) }).value).toBe(`"${'k'.repeat(99)}…`);
  });

  test('keeps why a body is no JSON', () => {
    expect(refusalOf('{').cause).toBeInstanceOf(SyntaxError);
  });

  test('refuses a body that is nested too deeply to be written again', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(refusalOf(`{"v":${deep}}`).field).toBe('v');
    expect(refusalOf(deep).field).toBe('body');
    expect(parseMessage(JSON.stringify(volume).replace('{', `{"new":${deep},`))).toEqual(volume);
  });

  test('drops references to objects that cannot exist: users write them and no server checks them', () => {
    expect(parseMessage(JSON.stringify({ ...claim, hint: { volumeName: '../x' } }))).toEqual(claim);
    const deleted = { volumeName: 'UPPER', claimRef: { namespace: 'ns', name: 'a/b' }, deletionTimestamp: 't' };
    expect(parseMessage(JSON.stringify({ ...claim, deleted }))).toEqual({
      ...claim,
      deleted: { deletionTimestamp: 't' },
    });
  });

  test('drops a claimRef whose uid is too long for a message', () => {
    const withUid = (uid: string) => ({ ...volume, deleted: { claimRef: { namespace: 'ns', name: 'c', uid } } });
    expect(parseMessage(JSON.stringify(withUid('u'.repeat(254))))).toEqual({ ...volume, deleted: {} });
    expect(parseMessage(JSON.stringify(withUid('u'.repeat(253))))).toEqual(withUid('u'.repeat(253)));
  });

  test('refuses the other kind where a queue has one kind', () => {
    expect(parseMessage(formatMessage(volume), 'PersistentVolume')).toEqual(volume);
    expect(() => parseMessage(formatMessage(volume), 'PersistentVolumeClaim')).toThrow(
      /kind must be PersistentVolumeClaim/,
    );
  });

  test('throws nothing but BadMessageError, whatever the body', () => {
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ v: fc.constant(1), kind: fc.anything(), name: fc.anything() }).map((o) => JSON.stringify(o) ?? ''),
    );
    fc.assert(
      fc.property(body, (text) => {
        try {
          parseMessage(text);
        } catch (error) {
          expect(error).toBeInstanceOf(BadMessageError);
        }
      }),
    );
  });
});

describe('formatMessage', () => {
  test('refuses what the worker would refuse', () => {
    expect(() => formatMessage({ ...claim, name: 'A' })).toThrow(BadMessageError);
  });
});

describe('keys', () => {
  test('have one string form', () => {
    expect(keyOf(volume)).toBe('PersistentVolume/pv-1');
    expect(keyOf(claim)).toBe('PersistentVolumeClaim/ns/c');
    expect(syncKey(claim)).toStrictEqual({ kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'c' });
    expect(syncKey(volume)).toStrictEqual({ kind: 'PersistentVolume', name: 'pv-1' });
  });
});
