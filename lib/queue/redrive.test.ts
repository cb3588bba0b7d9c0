/** What a redrive makes of SQS's answers; that it loses nothing on a queue is in local/redrive/redrive.test.ts. */
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { redrive } from './redrive.ts';

type Failed = { Id: string; Code: string; Message?: string }[];

interface Answers {
  /** One batch for each receive; then the queue is empty. */
  readonly receives: Message[][];
  /** What each send and each delete fails with, one after the other; then nothing fails. */
  readonly sends?: Failed[];
  readonly deletes?: Failed[];
}

const letter = (name: string, handle = `r-${name}`): Message => ({
  MessageId: `id-${name}`,
  ReceiptHandle: handle,
  Body: JSON.stringify({ v: 1, kind: 'PersistentVolume', name, reason: 'modified' }),
});
const bad = (name: string, handle?: string): Message => ({ ...letter(name, handle), Body: 'no JSON' });

/** Runs it to its end. Requests are told by what they name: bodies' names, receipt handles. */
async function run({ receives, sends = [], deletes = [] }: Answers, apply = true) {
  const asked: ReceiveMessageCommand['input'][] = [];
  const sent: string[][] = [];
  const deleted: string[][] = [];
  const shown: string[] = [];
  const handles = (entries: readonly { ReceiptHandle?: string | undefined }[] = []) =>
    entries.map(({ ReceiptHandle = '' }) => ReceiptHandle);
  const send = async (command: unknown) => {
    if (command instanceof ReceiveMessageCommand) {
      asked.push(command.input);
      return { Messages: receives.shift() ?? [] };
    } else if (command instanceof SendMessageBatchCommand) {
      const { Entries = [] } = command.input;
      sent.push(Entries.map(({ MessageBody = '' }) => JSON.parse(MessageBody).name));
      const Failed = sends.shift() ?? [];
      const isRefused = (Id: string | undefined) => Failed.some((failure) => failure.Id === Id);
      return { Successful: Entries.filter(({ Id }) => !isRefused(Id)), Failed };
    } else if (command instanceof DeleteMessageBatchCommand) {
      deleted.push(handles(command.input.Entries));
      return { Failed: deletes.shift() ?? [] };
    } else if (command instanceof ChangeMessageVisibilityBatchCommand) {
      shown.push(...handles(command.input.Entries));
      return {};
    }
    throw new Error('an unexpected request');
  };
  const client = { send } as unknown as SQSClient;
  const told: unknown[] = [];
  const options = { client, from: 'dead', to: 'live', kind: 'PersistentVolume', apply } as const;
  for await (const { letter, outcome } of redrive(options)) told.push([letter.messageId, outcome]);
  return { asked, sent, deleted, shown, told };
}

const stays = { action: 'stays', because: expect.stringContaining('is not JSON') };
const isSent = { action: 'sent' };

describe('deleting what was sent', () => {
  test('asks again for those letters only that SQS did not delete', async () => {
    const deletes = [[{ Id: '1', Code: 'InternalError' }]];
    const { told, deleted, shown } = await run({ receives: [[letter('a'), letter('b')]], deletes });
    expect(deleted).toEqual([['r-a', 'r-b'], ['r-b']]);
    expect(told).toEqual([
      ['id-a', isSent],
      ['id-b', isSent],
    ]);
    expect(shown).toEqual([]);
  });

  test.each([
    [{ Id: '0', Code: 'InternalError', Message: 'later' }, 'InternalError later'],
    [{ Id: '0', Code: 'InternalError' }, 'InternalError'],
  ])('gives up after the third time, tells why (%j), and shows the letter again', async (failure, because) => {
    const deletes = [[failure], [failure], [failure]];
    const { told, deleted, shown } = await run({ receives: [[letter('a'), letter('b')]], deletes });
    expect(deleted).toEqual([['r-a', 'r-b'], ['r-a'], ['r-a']]);
    expect(told).toEqual([
      ['id-a', { action: 'undeleted', because }],
      ['id-b', isSent],
    ]);
    expect(shown).toEqual(['r-a']);
  });
});

describe('going on', () => {
  test('where no letter of ten can be sent: nothing is asked of the other queue, and the next ten are', async () => {
    const { told, sent } = await run({ receives: [[bad('a')], [letter('b')]] });
    expect(told).toEqual([
      ['id-a', stays],
      ['id-b', isSent],
    ]);
    expect(sent).toEqual([['b']]);
  });

  test('where the queue refuses some of them, but not where it refuses all', async () => {
    const no = (Id: string) => ({ Id, Code: 'InternalError' });
    const receives = () => [[letter('a'), letter('b')], [letter('c')]];
    expect((await run({ receives: receives(), sends: [[no('0')]] })).sent).toEqual([['a', 'b'], ['c']]);
    const { sent, deleted, shown } = await run({ receives: receives(), sends: [[no('0'), no('1')]] });
    expect([sent, deleted, shown]).toEqual([[['a', 'b']], [], ['r-a', 'r-b']]);
  });

  test('past a letter that comes again: it is told once, and shown again by its latest receipt', async () => {
    const { told, shown } = await run({
      receives: [[bad('a')], [bad('a', 'newer'), letter('b')], [bad('a', 'newest')]],
    });
    expect(told).toEqual([
      ['id-a', stays],
      ['id-b', isSent],
    ]);
    expect(shown).toEqual(['newest']);
  });
});

test('asks for all that was written on a letter, also by the worker that buried it', async () => {
  const { asked } = await run({ receives: [] });
  expect(asked).toMatchObject([{ MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['All'] }]);
});

test('shows each letter again once, however many they are', async () => {
  const names = Array.from({ length: 101 }, (_, index) => `pv-${index}`);
  const receives = names.map((name) => [letter(name)]);
  const { shown, sent } = await run({ receives }, false);
  expect(shown).toEqual(names.map((name) => `r-${name}`));
  expect(sent).toEqual([]);
});
