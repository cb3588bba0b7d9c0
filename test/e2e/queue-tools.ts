/** Raw access to the queues: messages that no producer of ours would make, dead letters, and what was sent. */
import { randomUUID } from 'node:crypto';
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SyncKey } from '../../lib/controller/types.ts';
import type { System } from '../../local/system.ts';

/** Puts any body into a queue, in the message group given. */
export async function sendBody(system: System, kind: SyncKey['kind'], body: string, group: string): Promise<void> {
  const { client, addresses } = system.queue;
  await client.send(
    new SendMessageCommand({
      QueueUrl: addresses[kind].url,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: randomUUID(),
    }),
  );
}

/** Sends a key as an operator does who redrives it: it gets through whatever was sent before. */
export async function redrive(system: System, key: SyncKey): Promise<void> {
  const message = { v: 1, ...key, reason: 'redrive' } as const;
  await system.runtime.producer.send([{ message, occasion: { form: 'redrive', nonce: randomUUID() } }]);
}

/** Takes all dead letters of a kind out of their queue. */
export async function takeDeadLetters({ queue }: System, kind: SyncKey['kind']): Promise<Message[]> {
  const { client, addresses } = queue;
  const QueueUrl = addresses[kind].deadLetterUrl;
  const taken: Message[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }),
    );
    if (Messages.length === 0) return taken;
    for (const { ReceiptHandle } of Messages) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    taken.push(...Messages);
  }
}

export interface SentEntry {
  readonly id: string;
  readonly group: string;
  readonly body: string;
}

/** Writes down what a client sends in batches from now on, whether the queue takes it for a duplicate or not. */
export function recordSends(client: SQSClient): SentEntry[] {
  const sent: SentEntry[] = [];
  client.middlewareStack.add(
    (next) => async (args) => {
      const { Entries = [] } = args.input as {
        Entries?: { MessageDeduplicationId?: string; MessageGroupId?: string; MessageBody?: string }[];
      };
      for (const { MessageDeduplicationId: id, MessageGroupId: group, MessageBody: body } of Entries) {
        if (id !== undefined) sent.push({ id, group: group ?? '', body: body ?? '' });
      }
      return await next(args);
    },
    { step: 'initialize', name: 'recordSends' },
  );
  return sent;
}
