/**
 * Poison goes to the dead-letter queue by our own hand (DESIGN D2). Left to the queue's redrive policy it would come back
 * 1,000 times first, and hold up its group each time. The body stays as it was, so that it can be redriven.
 */
import { createHash } from 'node:crypto';
import { type MessageAttributeValue, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { awsError } from '../aws-error.ts';

/** Bytes of a body that are kept: more than any message of ours, and less than every queue's limit. */
const MAX_DEAD_BODY_BYTES = 128 * 1024;
const MAX_REASON = 500;

/**
 * Sends a message that no retry can heal to the dead-letter queue, in its own group, with the attributes `reason`,
 * `originalMessageId`, `originalGroup` (if it had one) and `truncatedFrom` (bytes, if it was cut). The deduplication id
 * is made of the message id, so a worker that dies between this and its report sends nothing twice.
 * @throws Error with the first line of what SQS says: then the message is not done.
 */
export async function sendToDeadLetters(
  client: SQSClient,
  queueUrl: string,
  record: SQSRecord,
  reason: string,
  abortSignal: AbortSignal,
): Promise<void> {
  const { MessageGroupId } = record.attributes;
  const bytes = Buffer.byteLength(record.body);
  const isCut = bytes > MAX_DEAD_BODY_BYTES;
  const command = new SendMessageCommand({
    QueueUrl: queueUrl,
    MessageBody: isCut ? cut(record.body) : record.body,
    MessageGroupId: MessageGroupId ?? record.messageId,
    MessageDeduplicationId: createHash('sha256').update(`dead-letter ${record.messageId}`).digest('hex'),
    MessageAttributes: {
      reason: attribute(reason.slice(0, MAX_REASON)),
      originalMessageId: attribute(record.messageId),
      ...(MessageGroupId !== undefined && { originalGroup: attribute(MessageGroupId) }),
      ...(isCut && { truncatedFrom: { DataType: 'Number', StringValue: String(bytes) } }),
    },
  });
  await client.send(command, { abortSignal }).catch((error: unknown) => {
    throw awsError(error);
  });
}

function attribute(value: string): MessageAttributeValue {
  // SQS refuses empty values and control characters, and refusing would leave the poison where it is.
  const accepted = value.toWellFormed().replace(/\p{Cc}|[\uFFFE\uFFFF]/gu, ' ');
  return { DataType: 'String', StringValue: accepted === '' ? '-' : accepted };
}

/** The first bytes, without the half of a character that the cut may leave. */
function cut(body: string): string {
  return new TextDecoder().decode(Buffer.from(body).subarray(0, MAX_DEAD_BODY_BYTES), { stream: true });
}
