import { describe, expect, test } from 'vitest';
import { BadMessageError } from './message.ts';
import { readLetter } from './redrive-letter.ts';

const BODY = JSON.stringify({ v: 1, kind: 'PersistentVolume', name: 'pv-1', reason: 'modified' });

describe('readLetter', () => {
  test('reads what a worker wrote on it and what SQS did', () => {
    const letter = readLetter(
      {
        MessageId: 'm',
        ReceiptHandle: 'r',
        Body: BODY,
        Attributes: { MessageGroupId: 'g', SentTimestamp: '1700000000000', ApproximateReceiveCount: '3' },
        MessageAttributes: {
          reason: { DataType: 'String', StringValue: 'bad message' },
          originalGroup: { DataType: 'String', StringValue: 'original' },
        },
      },
      'PersistentVolume',
    );
    expect(letter).toEqual({
      messageId: 'm',
      receiptHandle: 'r',
      group: 'original',
      content: { v: 1, kind: 'PersistentVolume', name: 'pv-1', reason: 'modified' },
      reason: 'bad message',
      sentAt: 1_700_000_000_000,
      receiveCount: 3,
    });
  });

  test('has the group that SQS kept where no worker buried it', () => {
    const { group, reason } = readLetter({ Body: BODY, Attributes: { MessageGroupId: 'g' } }, 'PersistentVolume');
    expect([group, reason]).toEqual(['g', undefined]);
  });

  test('reads a message of which nothing is told', () => {
    const letter = readLetter({}, 'PersistentVolume');
    expect(letter).toMatchObject({ messageId: '', receiptHandle: '', group: '', sentAt: 0, receiveCount: 1 });
    expect(letter.content).toBeInstanceOf(BadMessageError);
    expect(letter.content).toMatchObject({ field: 'body', value: '""' });
  });

  test('keeps the refusal of a key of the other kind', () => {
    expect(readLetter({ Body: BODY }, 'PersistentVolumeClaim').content).toMatchObject({ field: 'kind' });
  });
});
