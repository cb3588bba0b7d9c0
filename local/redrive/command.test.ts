/** `npm run redrive` as an operator runs it: a process, two queues, an exit code. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseOptions } from '../command-line.ts';
import { createQueues, type EmbeddedQueue, type QueueAddresses, startEmbeddedQueue } from '../queue/embedded.ts';
import { OPTIONS, routeOf } from './route.ts';
import { type Stall, startStallingProxy } from './stalling-proxy.ts';

const PROGRAM = join(import.meta.dirname, '..', 'redrive.ts');
const FROM = 'https://sqs.eu-central-1.amazonaws.com/123456789012/volumes-dead-letters.fifo';
const LOCAL = 'http://127.0.0.1:4566/000000000000/volumes-dead-letters.fifo';
const TO = 'https://sqs.eu-central-1.amazonaws.com/123456789012/volumes.fifo';

/** A slow machine is told of it. */
const PROGRESS = /^looked at \d+ of about \d+\n/gm;

let queue: EmbeddedQueue;

beforeAll(async () => {
  queue = await startEmbeddedQueue();
});
afterAll(() => queue.close());

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const environment = (more: Record<string, string> = {}) => ({
  PATH: process.env['PATH'],
  HOME: tmpdir(),
  AWS_EC2_METADATA_DISABLED: 'true',
  ...more,
});
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

function redrive(args: readonly string[], env = environment(CREDENTIALS)): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code as unknown as number), stdout, stderr }),
    );
  });
}

/** Queues with letters: two that a worker would take, and one that none would. */
async function withLetters(prefix: string): Promise<{ addresses: QueueAddresses; args: string[] }> {
  const addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 60, prefix });
  const { url, deadLetterUrl } = addresses.PersistentVolume;
  const bury = (name: string, v: number, MessageAttributes = {}) =>
    queue.client.send(
      new SendMessageCommand({
        QueueUrl: deadLetterUrl,
        MessageBody: JSON.stringify({ v, kind: 'PersistentVolume', name, reason: 'modified' }),
        MessageGroupId: name,
        MessageDeduplicationId: name,
        MessageAttributes,
      }),
    );
  await bury('pv-1', 1);
  await bury('pv-2', 1, { reason: { DataType: 'String', StringValue: 'an \u009b31mold reason' } });
  await bury('pv-3', 2);
  return { addresses, args: ['--from', deadLetterUrl, '--to', url, '--endpoint', queue.endpoint] };
}

async function depthOf(url: string, also: 'NotVisible' | undefined = undefined): Promise<number> {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] });
  const { Attributes = {} } = await queue.client.send(command);
  const visible = Number(Attributes.ApproximateNumberOfMessages);
  return also === undefined ? visible : visible + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
}

/** With those that are hidden. */
const allOf = (url: string) => depthOf(url, 'NotVisible');

describe('shows, then sends', () => {
  test('a dry run says what would be sent and what stays, and that nothing was changed', async () => {
    const { addresses, args } = await withLetters('dry-');
    const { code, stdout, stderr } = await redrive(args);

    expect(stderr.replace(PROGRESS, '')).toBe('');
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(
        /^would send: PersistentVolume\/pv-1 \(sent as modified, \d+ s old, received once, here because it came back too often\)$/,
      ),
      expect.stringMatching(/^would send: PersistentVolume\/pv-2 .*here because an {2}31mold reason\)$/),
      expect.stringMatching(/^stays: {6}message \S+ of group pv-3, because bad message: v must be 1, got 2 \(/),
      '2 would be sent, 1 stay. Nothing was changed: --yes sends',
      '',
    ]);
    expect(code).toBe(0);
    expect(await depthOf(addresses.PersistentVolume.deadLetterUrl)).toBe(3);
    expect(await depthOf(addresses.PersistentVolume.url)).toBe(0);
  });

  test('--yes sends and deletes; the exit code says that a letter stays', async () => {
    const { addresses, args } = await withLetters('yes-');
    const { code, stdout } = await redrive([...args, '--yes']);

    expect(stdout).toMatch(/\n2 sent, 1 stay\n$/);
    expect(code).toBe(3);
    expect(await depthOf(addresses.PersistentVolume.deadLetterUrl)).toBe(1);
    expect(await depthOf(addresses.PersistentVolume.url)).toBe(2);
  });

  test('--json prints one document, and --limit says what it left', async () => {
    const { args } = await withLetters('json-');
    const { code, stdout } = await redrive([...args, '--json', '--limit', '2']);

    expect(JSON.parse(stdout)).toMatchObject({
      dryRun: true,
      wouldSend: 2,
      sent: 0,
      stay: 0,
      failed: 0,
      unseen: 1,
      letters: [
        { action: 'would send', key: 'PersistentVolume/pv-1', reason: 'modified', group: 'pv-1', receiveCount: 1 },
        { action: 'would send', key: 'PersistentVolume/pv-2', deadLetterReason: 'an \u009b31mold reason' },
      ],
    });
    expect(code).toBe(0);
  });

  const ENDS: Readonly<Record<string, { stall: Stall; letters: number; sent: number }>> = {
    'before the answer to a receive': { stall: { command: 'ReceiveMessage', isDone: true }, letters: 3, sent: 0 },
    'before a send': { stall: { command: 'SendMessageBatch', isDone: false }, letters: 3, sent: 0 },
    'after a send, before its answer': { stall: { command: 'SendMessageBatch', isDone: true }, letters: 3, sent: 2 },
    'before a delete': { stall: { command: 'DeleteMessageBatch', isDone: false }, letters: 3, sent: 2 },
    'after a delete, before its answer': {
      stall: { command: 'DeleteMessageBatch', isDone: true },
      letters: 1,
      sent: 2,
    },
  };

  test.each(Object.entries(ENDS))('killed %s, it has lost no key', async (name, { stall, letters, sent }) => {
    const { addresses, args } = await withLetters(`${name.replace(/\W+/g, '-')}-`);
    const { url, deadLetterUrl } = addresses.PersistentVolume;
    const proxy = await startStallingProxy(queue.endpoint, stall);
    onTestFinished(() => proxy.close());
    const command = [PROGRAM, ...args, '--endpoint', proxy.endpoint, '--yes'];
    const child = spawn(process.execPath, command, { env: environment(CREDENTIALS) });
    await Promise.race([proxy.stalled, once(child, 'exit')]);
    child.kill('SIGKILL');
    expect((await once(child, 'close'))[1]).toBe('SIGKILL');

    expect(await allOf(deadLetterUrl)).toBe(letters);
    expect(await depthOf(url)).toBe(sent);
  });
});

describe('says what is wrong and what to do', () => {
  const wrong: Readonly<Record<string, [args: string[], text: RegExp]>> = {
    'no queue': [[], /^--from URL is needed: the dead-letter queue$/],
    'no second queue': [['--from', FROM], /^--to URL is needed/],
    'an ARN': [
      ['--from', 'arn:aws:sqs:eu-central-1:123456789012:volumes-dead-letters.fifo', '--to', TO],
      /^--from: must be the queue's URL, not its ARN: https:\/\/sqs\.eu-central-1\.amazonaws\.com\/123456789012\/volumes-dead-letters\.fifo, got/,
    ],
    'a name': [
      ['--from', FROM, '--to', 'volumes.fifo'],
      /^--to: must be the queue's URL, not its name; `aws sqs get-queue-url/,
    ],
    'one queue twice': [['--from', TO, '--to', TO], /^--from and --to must be two queues/],
    'an endpoint over http': [
      ['--from', FROM, '--to', TO, '--endpoint', 'http://sqs.example.com'],
      /^--endpoint: must be an https URL .*got "http:\/\/sqs\.example\.com"/,
    ],
    'a name that says no kind': [
      ['--from', FROM, '--to', 'https://sqs.eu-central-1.amazonaws.com/123456789012/keys.fifo'],
      /^the name keys\.fifo does not say which keys the queue takes: add --kind volumes or --kind claims/,
    ],
    'an unknown kind': [
      ['--from', FROM, '--to', TO, '--kind', 'pods'],
      /^--kind must be volumes or claims, got "pods"/,
    ],
    'a limit that is no number': [
      ['--from', FROM, '--to', TO, '--limit', '0'],
      /^--limit must be .* 1 or more, got "0"/,
    ],
    'an unknown option': [['--form', FROM], /^Unknown option '--form'/],
  };

  test.each(Object.entries(wrong))('%s', (_, [args, text]) => {
    expect(() => routeOf(parseOptions(args, OPTIONS), {})).toThrow(text);
  });

  test('wrong words are told on stderr, with exit code 2', async () => {
    const { code, stdout, stderr } = await redrive(['--from', FROM, '--to', 'volumes.fifo']);
    expect(stderr).toMatch(/^--to: must be the queue's URL, not its name.*\nTry --help\.\n$/);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test.each([
    ['as the URL says', ['--from', FROM, '--to', TO], { AWS_REGION: 'us-west-2' }, 'eu-central-1'],
    ['as given', ['--from', FROM, '--to', TO, '--region', 'eu-west-1'], {}, 'eu-west-1'],
    ['as the environment says', ['--from', LOCAL, '--to', TO], { AWS_REGION: 'us-west-2' }, 'us-west-2'],
    ['where nothing says it', ['--from', LOCAL, '--to', TO], {}, 'us-east-1'],
  ])('the region is %s', (_, args, variables, region) => {
    expect(routeOf(parseOptions(args, OPTIONS), variables)).toMatchObject({ region, kind: 'PersistentVolume' });
  });

  test('queues that do not belong together: the keys would go to the wrong worker', async () => {
    const { addresses } = await withLetters('pair-');
    const { PersistentVolume, PersistentVolumeClaim } = addresses;
    const args = ['--from', PersistentVolume.deadLetterUrl, '--to', PersistentVolumeClaim.url];
    const { code, stderr } = await redrive([...args, '--endpoint', queue.endpoint]);
    expect(stderr).toMatch(
      /^error: the dead letters of --to are in \S+claims-dead-letters\.fifo, not in \S+volumes-dead-letters\.fifo/,
    );
    expect(code).toBe(1);
  });

  test('a queue that does not exist is named', async () => {
    const { code, stderr } = await redrive(['--from', FROM, '--to', TO, '--endpoint', queue.endpoint]);
    expect(stderr).toMatch(/^error: --(from|to) https:\S+\.fifo cannot be read: .*does not exist/);
    expect(code).toBe(1);
  });

  test('an endpoint where nobody is', async () => {
    const { code, stderr } = await redrive(['--from', FROM, '--to', TO, '--endpoint', 'http://127.0.0.1:9']);
    expect(stderr).toMatch(/^error: --(from|to) https:\S+ cannot be read: .*ECONNREFUSED/);
    expect(code).toBe(1);
  });

  test('no credentials: which variables to set', async () => {
    const args = ['--from', FROM, '--to', TO, '--endpoint', queue.endpoint];
    const { code, stderr } = await redrive(args, environment());
    expect(stderr).toMatch(/cannot be read: .*credentials.*Set AWS_PROFILE, or AWS_ACCESS_KEY_ID/);
    expect(code).toBe(1);
  });

  test('--help names every option and the exit codes', async () => {
    const { code, stdout } = await redrive(['--help']);
    for (const word of [
      '--from URL',
      '--to URL',
      '--yes',
      '--limit N',
      '--kind',
      '--region',
      '--endpoint',
      '--json',
      'Exit codes: 0',
    ]) {
      expect(stdout).toContain(word);
    }
    expect(code).toBe(0);
  });
});
