import type { SendMessageBatchCommandOutput, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { sendBatch } from './send-batch.ts';

const ENTRIES = ['a', 'b'].map((groupId) => ({ groupId, deduplicationId: `id-${groupId}`, body: `body-${groupId}` }));

function answersTo(send: () => Promise<Partial<SendMessageBatchCommandOutput>>, signal = new AbortController().signal) {
  return sendBatch({ send } as unknown as SQSClient, 'url', ENTRIES, signal);
}

describe('sendBatch', () => {
  test('takes an entry that SQS does not name for one to send again', async () => {
    const silent = { error: new Error('SQS said nothing about this entry'), final: false };
    expect(await answersTo(async () => ({}))).toEqual([silent, silent]);
    expect(await answersTo(async () => ({ Successful: [{ Id: '1', MessageId: 'm', MD5OfMessageBody: '' }] }))).toEqual([
      silent,
      undefined,
    ]);
  });

  test.each([
    [
      'a sender fault',
      { SenderFault: true, Code: 'InvalidMessageContents', Message: 'no' },
      'InvalidMessageContents no',
      true,
    ],
    ['a fault of SQS', { SenderFault: false, Code: 'InternalError', Message: 'no' }, 'InternalError no', false],
    ['throttling', { SenderFault: true, Code: 'RequestThrottled', Message: 'slow' }, 'RequestThrottled slow', false],
    ['a key policy', { SenderFault: true, Code: 'KmsAccessDenied', Message: 'no' }, 'KmsAccessDenied no', false],
    ['a queue policy', { SenderFault: true, Code: 'AccessDenied', Message: 'no' }, 'AccessDenied no', false],
    ['nothing more', { SenderFault: true, Code: undefined }, 'Unknown ', true],
  ])('tells %s and whether it comes again at every attempt', async (_, failure, says, final) => {
    const [answer] = await answersTo(async () => ({ Failed: [{ Id: '0', ...failure }] }));
    expect(answer).toEqual({ error: new Error(`SQS refused: ${says}`), final });
  });

  test('fails every entry of a request that failed, for now', async () => {
    const answers = await answersTo(() => Promise.reject(new Error('away')));
    expect(answers).toMatchObject(Array(2).fill({ error: { message: 'away' }, final: false }));
  });

  test('tells why a request was aborted, not that it was', async () => {
    const reason = new Error('no answer');
    const answers = await answersTo(() => Promise.reject(new Error('AbortError')), AbortSignal.abort(reason));
    expect(answers.map((answer) => answer?.error)).toEqual([reason, reason]);
    const [unsaid] = await answersTo(() => Promise.reject(new Error('cut')), AbortSignal.abort('a text'));
    expect(unsaid?.error.message).toBe('cut');
  });

  test('names each entry by its place, with its group, its id and its body', async () => {
    const inputs: unknown[] = [];
    const send = async ({ input }: { input: unknown }) => {
      inputs.push(input);
      return {};
    };
    await answersTo(send as () => Promise<object>);
    expect(inputs).toEqual([
      {
        QueueUrl: 'url',
        Entries: [
          { Id: '0', MessageBody: 'body-a', MessageGroupId: 'a', MessageDeduplicationId: 'id-a' },
          { Id: '1', MessageBody: 'body-b', MessageGroupId: 'b', MessageDeduplicationId: 'id-b' },
        ],
      },
    ]);
  });
});
