/** One SendMessageBatch, with an answer for each of its entries. */
import { type BatchResultErrorEntry, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { awsError } from '../aws-error.ts';

/** Entries that one request takes. */
export const MAX_BATCH_ENTRIES = 10;
/** SQS takes 1 MiB today, older partitions and emulators 256 KiB, and ten keys never come near it. */
export const MAX_BATCH_BYTES = 256 * 1024;

/** One message as SQS takes it. */
export interface BatchEntry {
  readonly groupId: string;
  readonly deduplicationId: string;
  readonly body: string;
}

/** Undefined: accepted. A `final` error comes again at every attempt. */
export type Answer = { readonly error: Error; readonly final: boolean } | undefined;

/** Sender faults that a later attempt, or a corrected policy, does heal. */
const HEALABLE = /throttl|kms|accessdenied/i;

/**
 * Sends up to ten entries. Never throws: a request that failed as a whole is a failure of each entry, and never a final
 * one, because credentials are renewed, policies and URLs are corrected, and SQS comes back.
 * @returns one answer per entry, in their order.
 */
export async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  entries: readonly BatchEntry[],
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  const command = new SendMessageBatchCommand({
    QueueUrl: queueUrl,
    Entries: entries.map(({ groupId, deduplicationId, body }, index) => ({
      Id: String(index),
      MessageBody: body,
      MessageGroupId: groupId,
      MessageDeduplicationId: deduplicationId,
    })),
  });
  try {
    const { Successful = [], Failed = [] } = await client.send(command, { abortSignal: signal });
    const accepted = new Set(Successful.map(({ Id }) => Id));
    const failed = new Map(Failed.map((entry) => [entry.Id, entry]));
    return entries.map((_, index) => (accepted.has(String(index)) ? undefined : refusal(failed.get(String(index)))));
  } catch (thrown) {
    const error = signal.aborted && signal.reason instanceof Error ? signal.reason : awsError(thrown);
    return entries.map(() => ({ error, final: false }));
  }
}

function refusal(entry: BatchResultErrorEntry | undefined): Answer {
  if (entry === undefined) return { error: new Error('SQS said nothing about this entry'), final: false };
  const { Code = 'Unknown', Message = '', SenderFault } = entry;
  return { error: new Error(`SQS refused: ${Code} ${Message}`), final: SenderFault === true && !HEALABLE.test(Code) };
}
