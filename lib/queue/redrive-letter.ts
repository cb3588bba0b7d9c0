/** What a dead letter says: the key that it is about, why it is here, and whether a worker would take it now. */
import type { Message } from '@aws-sdk/client-sqs';
import type { SyncKey } from '../controller/types.ts';
import { BadMessageError, parseMessage, type SyncMessage } from './message.ts';

/** A message of a dead-letter queue. */
export interface DeadLetter {
  readonly messageId: string;
  /** Of its latest receive. */
  readonly receiptHandle: string;
  /** The message group that it had in its queue. */
  readonly group: string;
  /** The message, or why no worker would take it. */
  readonly content: SyncMessage | BadMessageError;
  /** Why a worker buried it; undefined when it came back too often and SQS itself moved it. */
  readonly reason: string | undefined;
  /** When it got into this queue, in milliseconds since the epoch. */
  readonly sentAt: number;
  /** Receives by now, this one too. */
  readonly receiveCount: number;
}

/**
 * @param message received with all of its attributes, those of SQS and those of the sender.
 * @param kind of the keys in the queue that it came from.
 */
export function readLetter(message: Message, kind: SyncKey['kind']): DeadLetter {
  const { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} } = message;
  const attribute = (name: string) => message.MessageAttributes?.[name]?.StringValue;
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    group: attribute('originalGroup') ?? Attributes.MessageGroupId ?? '',
    content: contentOf(Body, kind),
    reason: attribute('reason'),
    sentAt: Number(Attributes.SentTimestamp ?? 0),
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
  };
}

function contentOf(body: string, kind: SyncKey['kind']): DeadLetter['content'] {
  try {
    return parseMessage(body, kind);
  } catch (error) {
    if (error instanceof BadMessageError) return error;
    throw error;
  }
}
