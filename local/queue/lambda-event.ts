/** What Lambda hands to a function for SQS messages, and how it reads the answer. */
import { randomUUID } from 'node:crypto';
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda';

/** @param queueArn `arn:aws:sqs:<region>:<account>:<name>`. */
export function toEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => toRecord(message, queueArn)) };
}

function toRecord(message: Message, eventSourceARN: string): SQSRecord {
  const attributes = message.Attributes ?? {};
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ...attributes,
      ApproximateReceiveCount: attributes['ApproximateReceiveCount'] ?? '1',
      SentTimestamp: attributes['SentTimestamp'] ?? '0',
      SenderId: attributes['SenderId'] ?? 'local',
      ApproximateFirstReceiveTimestamp: attributes['ApproximateFirstReceiveTimestamp'] ?? String(Date.now()),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, toAttribute(value)]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    ...(message.MD5OfMessageAttributes !== undefined && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: eventSourceARN.split(':')[3] ?? '',
  };
}

function toAttribute({ StringValue, BinaryValue, DataType = 'String' }: MessageAttributeValue): SQSMessageAttribute {
  return {
    ...(StringValue !== undefined && { stringValue: StringValue }),
    ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}

/** A context as Lambda's, whose time runs from now. */
export function createContext(functionName: string, timeoutMs: number, region: string): Context {
  const deadline = performance.now() + timeoutMs;
  const refuse = () => {
    throw new Error('the callback style is not supported: return a promise');
  };
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${region}:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
    done: refuse,
    fail: refuse,
    succeed: refuse,
  };
}

/**
 * The messages that Lambda would delete, given what the function returned: all but the reported ones.
 * @throws Error for a response that Lambda cannot read (an unknown, empty or misnamed identifier), which fails the batch.
 */
export function toDelete(messages: readonly Message[], response: unknown): Message[] {
  const failures = (response as Partial<SQSBatchResponse> | null | undefined)?.batchItemFailures ?? [];
  const known = new Set<unknown>(messages.map(({ MessageId }) => MessageId));
  const failed = new Set<unknown>(failures.map((failure) => failure?.itemIdentifier));
  for (const id of failed) {
    if (!known.has(id)) throw new Error(`the response names no message of the batch: ${JSON.stringify(id)}`);
  }
  return messages.filter(({ MessageId }) => !failed.has(MessageId));
}
