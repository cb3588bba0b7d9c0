/** `npm run redrive` against another SQS than the one in this process: ministack. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createQueues, type QueueAddresses } from '../../local/queue/embedded.ts';
import { type Ministack, startMinistack } from '../package/ministack/server.ts';
import { findTools } from '../package/tools.ts';
import { depthOf } from './queue-depth.ts';

const { python, missing } = await findTools('python');

let directory: string;
let ministack: Ministack;
let client: SQSClient;
let addresses: QueueAddresses;

describe.skipIf(missing.length > 0)('redrive on ministack', () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'redrive-'));
    const places = { directory: join(directory, 'ministack'), log: join(directory, 'ministack.log') };
    ministack = await startMinistack(python, places);
    client = new SQSClient({ region: 'us-east-1', endpoint: ministack.endpoint, credentials: ministack.root });
    addresses = await createQueues(client, { visibilityTimeoutSeconds: 60 });
    for (const [name, v] of [
      ['pv-1', 1],
      ['pv-1', 1],
      ['pv-2', 1],
      ['pv-3', 2],
    ] as const) {
      const MessageBody = JSON.stringify({ v, kind: 'PersistentVolume', name, reason: 'modified' });
      const ids = { MessageGroupId: name, MessageDeduplicationId: randomUUID() };
      await client.send(
        new SendMessageCommand({ QueueUrl: addresses.PersistentVolume.deadLetterUrl, MessageBody, ...ids }),
      );
    }
  });
  afterAll(async () => {
    client?.destroy();
    await ministack?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  function redrive(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { url, deadLetterUrl } = addresses.PersistentVolume;
    const command = ['local/redrive.ts', '--from', deadLetterUrl, '--to', url, '--endpoint', ministack.endpoint];
    const { accessKeyId, secretAccessKey } = ministack.root;
    const env = { PATH: process.env['PATH'], AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    return new Promise((settle) => {
      execFile(process.execPath, [...command, ...args], { env, cwd: resolve('.') }, (error, stdout, stderr) =>
        settle({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  }
  const depths = async () => {
    const { url, deadLetterUrl } = addresses.PersistentVolume;
    return [await depthOf(client, deadLetterUrl), await depthOf(client, url)];
  };

  test('shows all letters twice, since they are visible again at once, and changes nothing', async () => {
    for (let time = 1; time <= 2; time += 1) {
      const { code, stdout, stderr } = await redrive();
      expect(stderr.replace(/^looked at .*\n/gm, '')).toBe('');
      expect(stdout).toMatch(/\n3 would be sent, 1 stay\. Nothing was changed: --yes sends\n$/);
      expect(code).toBe(0);
    }
    expect(await depths()).toEqual([4, 0]);
  });

  test('sends what a worker would take, and keeps the rest', async () => {
    const { code, stdout } = await redrive('--yes');
    expect(stdout).toMatch(/\n3 sent, 1 stay\n$/);
    expect(code).toBe(3);
    expect(await depths()).toEqual([1, 3]);
  });
});
