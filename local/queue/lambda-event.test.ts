import { describe, expect, test } from 'vitest';
import { createContext, toDelete, toEvent } from './lambda-event.ts';

const messages = [{ MessageId: 'a' }, { MessageId: 'b' }, { MessageId: 'c' }];
const ids = (response: unknown) => toDelete(messages, response).map(({ MessageId }) => MessageId);
const report = (...itemIdentifiers: unknown[]) => ({
  batchItemFailures: itemIdentifiers.map((itemIdentifier) => ({ itemIdentifier })),
});

describe('toDelete', () => {
  test.each([undefined, null, {}, { batchItemFailures: [] }, { batchItemFailures: null }])(
    'takes %j as success',
    (response) => {
      expect(ids(response)).toEqual(['a', 'b', 'c']);
    },
  );

  test('keeps what is reported', () => {
    expect(ids(report('b'))).toEqual(['a', 'c']);
    expect(ids(report('c', 'b', 'a', 'a'))).toEqual([]);
  });

  test.each([
    ['an unknown identifier', report('a', 'x')],
    ['an empty one', report('')],
    ['null', report(null)],
    ['a misnamed one', { batchItemFailures: [{ id: 'a' }] }],
    ['no object', { batchItemFailures: ['a'] }],
    ['no list', { batchItemFailures: 'a' }],
  ])('fails the batch for %s', (_, response) => {
    expect(() => ids(response)).toThrow();
  });
});

describe('toEvent', () => {
  test('has every field of a record', () => {
    const arn = 'arn:aws:sqs:eu-west-1:000000000000:q.fifo';
    const attributes = {
      ApproximateReceiveCount: '2',
      SentTimestamp: '1',
      SenderId: 's',
      ApproximateFirstReceiveTimestamp: '1',
      SequenceNumber: '3',
      MessageGroupId: 'g',
      MessageDeduplicationId: 'd',
    };
    const message = {
      MessageId: 'm',
      ReceiptHandle: 'h',
      Body: 'b',
      MD5OfBody: 'md5',
      MD5OfMessageAttributes: 'md5a',
      Attributes: attributes,
      MessageAttributes: {
        text: { DataType: 'String', StringValue: 'x' },
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
      },
    };
    expect(toEvent([message], arn)).toEqual({
      Records: [
        {
          messageId: 'm',
          receiptHandle: 'h',
          body: 'b',
          attributes,
          messageAttributes: {
            text: { dataType: 'String', stringValue: 'x', stringListValues: [], binaryListValues: [] },
            bytes: { dataType: 'Binary', binaryValue: 'AQI=', stringListValues: [], binaryListValues: [] },
          },
          md5OfBody: 'md5',
          md5OfMessageAttributes: 'md5a',
          eventSource: 'aws:sqs',
          eventSourceARN: arn,
          awsRegion: 'eu-west-1',
        },
      ],
    });
  });
});

describe('createContext', () => {
  test('counts its time down, not below zero', async () => {
    expect(createContext('f', 1_000, 'r').getRemainingTimeInMillis()).toBeGreaterThan(900);
    expect(createContext('f', -5, 'r').getRemainingTimeInMillis()).toBe(0);
  });
});
