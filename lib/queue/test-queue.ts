/** Helpers of the queue's tests: an SQS client whose answers the test writes. */
import type { SendMessageBatchCommand, SendMessageBatchCommandOutput, SQSClient } from '@aws-sdk/client-sqs';

export type SentEntry = { readonly group: string; readonly id: string; readonly body: string };
type Answer = { readonly failed?: readonly { index: number; code: string; isSenderFault: boolean }[] };

export interface FakeQueue {
  readonly client: SQSClient;
  /** The requests so far, each with its entries. */
  readonly requests: SentEntry[][];
}

/** A client whose every batch is answered by `answer`: throw for a failed request, name the failed entries, or nothing. */
export function fakeQueue(
  answer: (entries: readonly SentEntry[], signal: AbortSignal, request: number) => Promise<Answer | undefined>,
): FakeQueue {
  const requests: SentEntry[][] = [];
  const send = async (command: SendMessageBatchCommand, { abortSignal }: { abortSignal: AbortSignal }) => {
    const entries = (command.input.Entries ?? []).map((entry) => ({
      group: entry.MessageGroupId ?? '',
      id: entry.MessageDeduplicationId ?? '',
      body: entry.MessageBody ?? '',
    }));
    requests.push(entries);
    const { failed = [] } = (await answer(entries, abortSignal, requests.length)) ?? {};
    const output: Omit<SendMessageBatchCommandOutput, '$metadata'> = {
      Successful: entries
        .map((_, index) => index)
        .filter((index) => !failed.some((failure) => failure.index === index))
        .map((index) => ({ Id: String(index), MessageId: 'm', MD5OfMessageBody: '' })),
      Failed: failed.map(({ index, code, isSenderFault }) => ({
        Id: String(index),
        Code: code,
        SenderFault: isSenderFault,
      })),
    };
    return output;
  };
  return { client: { send } as unknown as SQSClient, requests };
}
