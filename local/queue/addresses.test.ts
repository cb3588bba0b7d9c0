import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateQueueCommand, DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { addressesOf, clientFor, givenQueues } from './addresses.ts';
import { createQueues, type EmbeddedQueue, type QueueAddresses, startEmbeddedQueue } from './embedded.ts';

const V = 'https://sqs/1/volumes.fifo';
const C = 'https://sqs/1/claims.fifo';
const D = 'https://sqs/1/claims-dead.fifo';
const both = { 'volumes-queue-url': V, 'claims-queue-url': C };

describe('the options', () => {
  it('name two queues or none', () => {
    expect(givenQueues({})).toBeUndefined();
    expect(givenQueues({ ...both, 'claims-dead-letter-url': D })).toEqual({
      PersistentVolume: { url: V, deadLetterUrl: undefined },
      PersistentVolumeClaim: { url: C, deadLetterUrl: D },
    });
  });

  it.each([
    [{ 'volumes-queue-url': V }, 'belong together'],
    [{ 'claims-queue-url': C }, 'belong together'],
    [{ 'volumes-queue-url': V, 'claims-queue-url': V }, 'must be two queues'],
    [{ 'sqs-endpoint': 'http://x' }, '--sqs-endpoint is about queues by URL'],
    [{ 'volumes-dead-letter-url': V }, '--volumes-dead-letter-url is about'],
    [{ 'claims-dead-letter-url': C }, '--claims-dead-letter-url is about'],
    [{ ...both, 'claims-dead-letter-url': V }, 'must be another one'],
    [{ ...both, 'claims-queue-url': 'claims.fifo' }, "--claims-queue-url: must be the queue's URL, not its name"],
    [{ ...both, 'claims-dead-letter-url': 'arn:aws:sqs:eu-west-1:123456789012:d.fifo' }, 'not its ARN: https://sqs.eu'],
  ])('%j is refused', (values, why) => {
    expect(() => givenQueues(values)).toThrow(expect.objectContaining({ name: 'UsageError' }));
    expect(() => givenQueues(values)).toThrow(why);
  });
});

describe('the look-up', () => {
  let queue: EmbeddedQueue;
  let made: QueueAddresses;
  beforeAll(async () => {
    queue = await startEmbeddedQueue();
    made = await createQueues(queue.client, { visibilityTimeoutSeconds: 30 });
  });
  afterAll(() => queue.close());

  const volumes = () => made.PersistentVolume;
  function lookUp(deadLetterUrl?: string) {
    const { url } = volumes();
    return addressesOf(queue.client, {
      PersistentVolume: { url, deadLetterUrl },
      PersistentVolumeClaim: { url: made.PersistentVolumeClaim.url, deadLetterUrl: undefined },
    });
  }

  it('finds ARNs and dead-letter queues', async () => {
    expect(await lookUp()).toEqual(made);
    expect(await lookUp(volumes().deadLetterUrl)).toEqual(made);
  });

  it('refuses a dead-letter queue that is not there or is no FIFO queue', async () => {
    const missing = volumes().deadLetterUrl.replace('volumes', 'missing');
    await expect(lookUp(missing)).rejects.toThrow(`dead-letter queue ${missing} cannot be read: `);
    const { QueueUrl = '' } = await queue.client.send(new CreateQueueCommand({ QueueName: 'standard' }));
    await expect(lookUp(QueueUrl)).rejects.toThrow(`dead-letter queue ${QueueUrl} is no FIFO queue`);
  });

  it('names the queue whose server does not answer', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    onTestFinished(() => void vi.unstubAllEnvs());
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = clientFor('us-east-1', endpoint, { requestTimeout: 50 });
    onTestFinished(() => client.destroy());
    const given = { url: V, deadLetterUrl: undefined };
    const looked = addressesOf(client, { PersistentVolume: given, PersistentVolumeClaim: given });
    await expect(looked).rejects.toThrow(/^queue https:\/\/sqs\/1\/volumes\.fifo cannot be read: .*50 ms/);
  });

  it('names the dead-letter queue that the policy names and nobody finds', async () => {
    await queue.client.send(new DeleteQueueCommand({ QueueUrl: volumes().deadLetterUrl }));
    await expect(lookUp()).rejects.toThrow(
      `dead-letter queue volumes-dead-letters.fifo of ${volumes().url} cannot be found: `,
    );
  });
});
