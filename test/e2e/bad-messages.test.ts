/** Messages that no retry can heal: they go to the dead letters, are counted, and hold nobody up. */
import type { Message } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boundPair } from './objects.ts';
import { sendBody, takeDeadLetters } from './queue-tools.ts';
import { eventually, startWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const message = { v: 1, kind: 'PersistentVolume', name: 'pv-bad', reason: 'modified' };
const mebibyte = 1024 * 1024;
const filled = JSON.stringify({ ...message, filler: '' });

const BAD: Readonly<Record<string, readonly [body: string, reason: RegExp]>> = {
  'no JSON': ['pv-1', /^bad message: body is not JSON/],
  'half of a JSON text': [JSON.stringify(message).slice(0, 20), /^bad message: body is not JSON/],
  'an array': ['[]', /^bad message: body must be a JSON object/],
  null: ['null', /^bad message: body must be a JSON object/],
  'another version': [JSON.stringify({ ...message, v: 2 }), /^bad message: v must be 1, got 2/],
  'no version': [JSON.stringify({ ...message, v: undefined }), /^bad message: v must be 1, got nothing/],
  'an unknown kind': [JSON.stringify({ ...message, kind: 'Pod' }), /^bad message: kind must be/],
  'the kind of the other queue': [
    JSON.stringify({ ...message, kind: 'PersistentVolumeClaim', namespace: 'default' }),
    /^bad message: kind must be PersistentVolume in this queue/,
  ],
  'no name': [JSON.stringify({ ...message, name: undefined }), /^bad message: name must be a string, got nothing/],
  'an empty name': [JSON.stringify({ ...message, name: '' }), /^bad message: name must be a DNS-1123/],
  'a name that is a number': [JSON.stringify({ ...message, name: 7 }), /^bad message: name must be a string/],
  'a volume in a namespace': [JSON.stringify({ ...message, namespace: 'default' }), /^bad message: namespace must be/],
  'an unknown reason': [JSON.stringify({ ...message, reason: 'because' }), /^bad message: reason must be one of/],
  'a body of 1 MiB': [filled.replace('""', `"${'x'.repeat(mebibyte - filled.length)}"`), /^bad message: body is over/],
  '1 MiB of nested arrays': ['['.repeat(mebibyte), /^bad message: body is over/],
  'deeply nested arrays': ['['.repeat(100_000) + ']'.repeat(100_000), /^bad message: /],
};

const nameFor = (what: string) => `pv-${what.replace(/[^a-z0-9]+/gi, '-').toLowerCase()}`;

describe('bad messages', () => {
  const letters = new Map<string, Message>();

  beforeAll(async () => {
    for (const [what, [body]] of Object.entries(BAD)) {
      await sendBody(world.system, 'PersistentVolume', body, nameFor(what));
      // The bridge's own message of this volume has the same group.
      await world.objects.createVolume(nameFor(what));
    }
    await world.system.settled();
    for (const letter of await takeDeadLetters(world.system, 'PersistentVolume')) {
      letters.set(letter.MessageAttributes?.['originalGroup']?.StringValue ?? '', letter);
    }
  });

  test.each(Object.entries(BAD))(
    '%s goes to the dead letters with its reason, and does not hold up its group',
    (what, [body, reason]) => {
      expect(world.phases.get(nameFor(what))).toEqual(['Pending', 'Available']);
      expect(world.deadLetters.filter((letter) => letter.body === body)).toEqual([{ body, error: expect.any(Error) }]);
      const { Body, MessageAttributes } = letters.get(nameFor(what)) ?? {};
      expect(MessageAttributes?.['reason']?.StringValue).toMatch(reason);
      expect(body.startsWith(Body ?? 'missing')).toBe(true);
      if (body.length <= 128 * 1024) expect(Body).toBe(body);
      else expect(MessageAttributes?.['truncatedFrom']?.StringValue).toBe(String(body.length));
    },
  );

  test('each of them is one dead letter', () => {
    expect(letters.size).toBe(Object.keys(BAD).length);
    expect(world.deadLetters.length).toBe(Object.keys(BAD).length);
  });
});

test('none of them changed the phase of a bound volume, and none is in the queue any more', async () => {
  await world.objects.createVolume('pv-bad', { storageClassName: 'bad' });
  await world.objects.createClaim('bad', { storageClassName: 'bad' });
  await world.system.settled();
  const bound = await world.objects.volume('pv-bad');
  const before = world.deadLetters.length;
  for (const [body] of Object.values(BAD)) await sendBody(world.system, 'PersistentVolume', body, 'pv-bad');
  await eventually('all dead letters', () => world.deadLetters.length === before + Object.keys(BAD).length);
  await world.system.settled();

  expect(await world.objects.volume('pv-bad')).toEqual(bound);
  expect(await world.objects.pair('bad', 'pv-bad')).toBe(boundPair('bad', 'pv-bad'));
  expect(world.failed).toEqual([]);
});

test('a bad message waits for a dead-letter queue that is away, and gets there', async () => {
  const { client, addresses } = world.system.queue;
  const { deadLetterUrl } = addresses.PersistentVolume;
  let isAway = true;
  client.middlewareStack.add(
    (next) => async (args) => {
      if (isAway && (args.input as { QueueUrl?: string }).QueueUrl === deadLetterUrl) throw new Error('it is away');
      return await next(args);
    },
    { step: 'initialize', name: 'away' },
  );
  const before = world.deadLetters.length;
  await sendBody(world.system, 'PersistentVolume', 'bad', 'pv-away');
  await world.objects.createVolume('pv-away');
  await eventually('two refusals', () => world.complaints.filter(({ what }) => what === 'queue').length >= 2);
  expect(world.deadLetters.length).toBe(before);
  isAway = false;
  await world.system.settled();

  expect(world.deadLetters.slice(before)).toEqual([{ body: 'bad', error: expect.any(Error) }]);
  expect(world.phases.get('pv-away')?.at(-1)).toBe('Available');
});
