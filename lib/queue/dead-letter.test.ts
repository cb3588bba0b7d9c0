import type { SendMessageCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { sendToDeadLetters } from './dead-letter.ts';

const KIB = 1024;

/** Buries a record; returns what SQS was asked, and with which signal. */
async function bury(record: Partial<SQSRecord>, reason = 'bad message') {
  const sent: { input: SendMessageCommandInput; signal: AbortSignal }[] = [];
  const send = async ({ input }: { input: SendMessageCommandInput }, options: { abortSignal: AbortSignal }) =>
    void sent.push({ input, signal: options.abortSignal });
  const client = { send } as unknown as SQSClient;
  const whole = { messageId: 'm', body: 'b', attributes: {}, ...record } as SQSRecord;
  const { signal } = new AbortController();
  await sendToDeadLetters(client, 'url', whole, reason, signal);
  expect(sent.map((request) => request.signal)).toEqual([signal]);
  const { MessageAttributes = {}, ...input } = sent[0]?.input ?? {};
  return { ...input, attributes: MessageAttributes };
}

describe('sendToDeadLetters', () => {
  test('keeps a body of 128 KiB whole and one of a byte more without its last byte', async () => {
    const most = 'x'.repeat(128 * KIB);
    const kept = await bury({ body: most });
    expect(kept.MessageBody === most).toBe(true);
    expect(kept.attributes['truncatedFrom']).toBeUndefined();
    const cut = await bury({ body: `${most}y` });
    expect(cut.MessageBody === most).toBe(true);
    expect(cut.attributes['truncatedFrom']).toEqual({ DataType: 'Number', StringValue: String(128 * KIB + 1) });
  });

  test('has one deduplication id for one message id, in characters that SQS takes', async () => {
    const id = (await bury({ messageId: 'one' })).MessageDeduplicationId;
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect((await bury({ messageId: 'one', body: 'other' })).MessageDeduplicationId).toBe(id);
    expect((await bury({ messageId: 'two' })).MessageDeduplicationId).not.toBe(id);
  });

  test('cuts a reason at 500 characters, and has a dash for an empty one', async () => {
    const long = await bury({}, 'r'.repeat(501));
    expect(long.attributes['reason']?.StringValue).toBe('r'.repeat(500));
    expect((await bury({}, '')).attributes['reason']).toEqual({ DataType: 'String', StringValue: '-' });
  });

  test('has a space for each character that SQS refuses', async () => {
    const { attributes } = await bury({}, 'a\u0000b\nc\uFFFEd\uFFFFe');
    expect(attributes['reason']?.StringValue).toBe('a b c d e');
  });
});
