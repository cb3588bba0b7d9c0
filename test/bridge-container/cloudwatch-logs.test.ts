import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogShipper, type LogShipperOptions } from '../../bridge/cloudwatch-logs.ts';
import { FakeCloudWatch } from './fake-cloudwatch.ts';

let cloudwatch: FakeCloudWatch;
let client: CloudWatchLogsClient;
let shippers: LogShipper[];
let reported: { problem: string; details: Readonly<Record<string, unknown>> }[];

beforeEach(async () => {
  cloudwatch = await FakeCloudWatch.start(['logs']);
  client = new CloudWatchLogsClient({
    endpoint: cloudwatch.server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    maxAttempts: 1,
  });
  shippers = [];
  reported = [];
});

afterEach(async () => {
  await Promise.all(shippers.map((shipper) => shipper.stop(0)));
  client.destroy();
  await cloudwatch.close();
});

function start(options: Partial<LogShipperOptions> = {}): LogShipper {
  const report = (problem: string, details: Readonly<Record<string, unknown>>) => reported.push({ problem, details });
  const shipper = new LogShipper({ client, group: 'logs', stream: 'pod-1', report, periodMs: 20, ...options });
  shippers.push(shipper);
  return shipper;
}

async function eventually(...messages: string[]): Promise<void> {
  await vi.waitFor(() => expect(cloudwatch.messages).toEqual(messages), { timeout: 5_000, interval: 10 });
}

describe('LogShipper', () => {
  it('creates the stream of its process and sends the lines in their order', async () => {
    const shipper = start();
    shipper.add('one');
    shipper.add('{"two":2}');
    await eventually('one', '{"two":2}');
    shipper.add('three');
    await eventually('one', '{"two":2}', 'three');
    expect([...cloudwatch.streams.keys()]).toEqual(['logs:pod-1']);
    expect(reported).toEqual([]);
  });

  it('sends no request while nothing is printed', async () => {
    start({ periodMs: 5 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(cloudwatch.server.received).toEqual([]);
  });

  it('goes on with a stream that exists', async () => {
    start().add('one');
    await eventually('one');
    start().add('two');
    await eventually('one', 'two');
    expect(reported).toEqual([]);
  });

  it('creates the stream again when somebody deletes it', async () => {
    const shipper = start();
    shipper.add('one');
    await eventually('one');
    cloudwatch.streams.clear();
    shipper.add('two');
    await eventually('two');
    expect(cloudwatch.faults).toEqual(['PutLogEvents ResourceNotFoundException']);
  });

  it.each(['ServiceUnavailableException', 'ThrottlingException', 'AccessDeniedException', 'hang'])(
    'keeps lines through %s and sends each once',
    async (fault) => {
      let failures = 0;
      cloudwatch.fault = (operation) => (operation === 'PutLogEvents' && failures++ < 2 ? fault : undefined);
      const shipper = start({ requestTimeoutMs: 100 });
      shipper.add('one');
      await vi.waitFor(() => expect(reported.length).toBeGreaterThan(0));
      shipper.add('two');
      await eventually('one', 'two');
      expect(reported.map(({ problem }) => problem)).toEqual(
        Array(2).fill('lines could not be sent to CloudWatch, will be tried again'),
      );
    },
  );

  it('says which group is missing, over and over but ever more seldom', async () => {
    const shipper = start({ group: 'none', periodMs: 40 });
    shipper.add('one');
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(reported[0]?.details).toMatchObject({ group: 'none', stream: 'pod-1' });
    // Every 40 ms it would be 15; doubled each time, with half of it random, 4 to 5.
    expect(reported.length).toBeGreaterThan(1);
    expect(reported.length).toBeLessThan(8);
  });

  it('gives up a batch that is refused for good, and goes on behind it', async () => {
    cloudwatch.fault = (operation) => (operation === 'PutLogEvents' ? 'InvalidParameterException' : undefined);
    const shipper = start();
    shipper.add('bad');
    await vi.waitFor(() => expect(reported).toHaveLength(1));
    expect(reported[0]).toMatchObject({ problem: 'CloudWatch refused lines', details: { lines: 1 } });
    cloudwatch.fault = () => undefined;
    shipper.add('good');
    await eventually('good');
  });

  it('drops the oldest lines beyond its bound, and says so in their place', async () => {
    cloudwatch.fault = () => 'ServiceUnavailableException';
    const shipper = start({ maxBufferBytes: 10_000 });
    shipper.add('first');
    await vi.waitFor(() => expect(reported.length).toBeGreaterThan(0));
    const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}`);
    for (const line of lines) shipper.add(line);
    cloudwatch.fault = () => undefined;
    await vi.waitFor(() => expect(cloudwatch.messages.at(-1)).toBe('line 999'), { timeout: 5_000 });
    const [first, told = '{}', ...kept] = cloudwatch.messages;
    expect(first).toBe('first');
    expect(kept).toEqual(lines.slice(-kept.length));
    expect(JSON.parse(told)).toMatchObject({ level: 'WARN', dropped: 1_000 - kept.length });
    expect(kept.length).toBeGreaterThan(200);
  });

  it('sends everything at its stop, through a failure too', async () => {
    const shipper = start({ periodMs: 60_000 });
    for (let index = 0; index < 25_000; index++) shipper.add(`line ${index}`);
    let failures = 0;
    cloudwatch.fault = () => (failures++ === 1 ? 'ServiceUnavailableException' : undefined);
    await shipper.stop(5_000);
    expect(cloudwatch.messages).toHaveLength(25_000);
    expect([...cloudwatch.streams.values()].flat().map((batch) => batch.length)).toEqual([10_000, 10_000, 5_000]);
  });

  it('ends at the deadline of its stop, and says how many lines are lost', async () => {
    cloudwatch.fault = () => 'hang';
    const shipper = start({ periodMs: 60_000 });
    shipper.add('one');
    shipper.add('two');
    const startedAt = performance.now();
    await shipper.stop(200);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(reported.at(-1)).toEqual({ problem: 'lines were not sent to CloudWatch', details: { lines: 2 } });
  });

  it('does not fail when its client throws', async () => {
    const broken = { send: () => Promise.reject(new Error('no credentials')) } as unknown as CloudWatchLogsClient;
    const shipper = start({ client: broken });
    shipper.add('one');
    await vi.waitFor(() => expect(reported[0]?.details).toMatchObject({ error: 'no credentials' }));
    await expect(shipper.stop(50)).resolves.toBeUndefined();
  });
});
