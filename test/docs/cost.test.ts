/** docs/cost.md is what the prices, the measured figures and the code give, and its arithmetic holds. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { INPUTS } from '../../scripts/cost/inputs.ts';
import { checkMeasured, type Measured, readMeasured, recordFigures } from '../../scripts/cost/measured.ts';
import { Costs } from '../../scripts/cost/model.ts';
import { bill } from '../../scripts/cost/month.ts';
import { costPage } from '../../scripts/cost/page.ts';
import { checkPrices, readPrices } from '../../scripts/cost/prices.ts';
import { total } from '../../scripts/cost/rates.ts';
import { readStack } from '../../scripts/cost/stack.ts';
import { together, Work } from '../../scripts/cost/work.ts';
import { readPage } from './pages.ts';

const prices = readPrices();
const measured = readMeasured();
const stack = readStack();
const costs = new Costs(stack, prices);
const work = new Work(stack, prices, measured);
const price = (name: keyof typeof prices.prices) => prices.prices[name].dollars;

test('docs/cost.md is fresh; if not, `npm run cost` writes it', () => {
  expect(readPage('docs/cost.md').text).toBe(costPage(costs, work, prices));
});

describe('the arithmetic', () => {
  test('of the bridge’s Lambda: seconds of a month × memory × how many overlap', () => {
    const seconds = 730 * 3600;
    const running = stack.bridgeRunSeconds / stack.bridgeEverySeconds;
    const starts = seconds / stack.bridgeEverySeconds;
    const expected =
      running * seconds * (stack.bridgeMemoryMb / 1024) * price('lambdaGbSecondArm64') +
      (starts / 1e6) * price('lambdaMillionRequests');

    expect(costs.bridgeLambda().dollars).toBeCloseTo(expected, 10);
    expect(costs.bridgeLambda(2 * stack.bridgeMemoryMb).dollars).toBeGreaterThan(1.9 * expected);
  });

  test('of the idle queues: one request per poll and 20 s', () => {
    const perMinute = 60 / INPUTS.longPollSeconds.value;
    const requests = stack.queues * INPUTS.pollersPerQueue.value * perMinute * 60 * 730;

    expect(costs.idlePolling().dollars).toBeCloseTo((requests / 1e6) * price('sqsFifoMillionRequests'), 10);
  });

  test('of the sweep grows with the objects, and with the senders', () => {
    const [small, large] = [work.sweep(1_000, 'lambda'), work.sweep(10_000, 'lambda')];

    expect(total(large.lines)).toBeCloseTo(10 * total(small.lines), 8);
    expect(total(work.sweep(1_000, 'container').lines)).toBeLessThan(total(small.lines));
  });

  test('of work: messages are sent by each bridge, and received and deleted by the batch', () => {
    const { messages, invocations, lines } = work.events('bound', 1_000, 'container');
    const [queue, workers] = lines;

    expect(messages).toBeCloseTo(1_000 * measured['bound.messages'].value, 8);
    expect(queue?.dollars).toBeCloseTo(
      ((messages * stack.replicas + 2 * invocations) / 1e6) * price('sqsFifoMillionRequests'),
      10,
    );
    const seconds = work.changeSeconds + INPUTS.coldShare.value * work.coldSeconds;
    const gbSeconds = (invocations * seconds * stack.workerMemoryMb) / 1024;
    expect(workers?.dollars).toBeCloseTo(
      gbSeconds * price('lambdaGbSecondArm64') + (invocations / 1e6) * price('lambdaMillionRequests'),
      10,
    );
  });

  test('of an invocation: its CPU time is longer on a share of a CPU, its waiting is not', () => {
    const whole = new Work({ ...stack, workerMemoryMb: INPUTS.wholeCpuMb.value }, prices, measured);
    const half = new Work({ ...stack, workerMemoryMb: INPUTS.wholeCpuMb.value / 2 }, prices, measured);

    expect(whole.changeSeconds * 1_000).toBeCloseTo(measured.changeMs.value, 8);
    expect((half.changeSeconds - whole.changeSeconds) * 1_000).toBeCloseTo(measured.changeCpuMs.value, 8);
  });

  test('of an invocation of the sweep: it waits for its turns under the limit on calls', () => {
    const slow = new Work({ ...stack, callsPerSecond: 1 }, prices, measured);

    expect(slow.settledSeconds).toBeCloseTo(measured.backlogPerInvocation.value * measured.settledReads.value, 8);
  });

  test('of scattered events: each message is an invocation, and a start', () => {
    const { messages, invocations, gbSeconds } = work.events('bound', 1_000, 'lambda', 'scattered');

    expect(invocations).toBe(messages);
    expect(gbSeconds).toBeCloseTo((messages * work.coldSeconds * stack.workerMemoryMb) / 1024, 8);
  });

  test('of a month: the parts are the whole, and a larger cluster costs more', () => {
    const [small, large] = [bill(costs, work, 100, 'lambda'), bill(costs, work, 100_000, 'lambda')];
    const usage = together([work.churn(100, 'lambda'), work.sweep(200, 'lambda'), work.resync(200)]);

    expect(small.usage).toEqual(usage);
    expect(small.gbSeconds).toBeCloseTo(usage.gbSeconds + costs.bridgeGbSeconds(stack.bridgeMemoryMb), 8);
    expect(total(large.lines)).toBeGreaterThan(total(small.lines));
    // 200,000 objects need a larger bridge.
    expect(large.lines[0]?.dollars).toBeGreaterThan(3 * (small.lines[0]?.dollars ?? Number.NaN));
  });

  test('of lists: pages of a limited size, both kinds, and the classes', () => {
    const { volumeBytes, claimBytes } = measured;
    expect(costs.lists(2 * INPUTS.listPage.value, measured)).toMatchObject({
      requests: 3,
      bytes: INPUTS.listPage.value * (volumeBytes.value + claimBytes.value),
    });
    expect(costs.lists(2 * INPUTS.listPage.value + 2, measured).requests).toBe(5);
  });
});

describe('the measured figures', () => {
  const withFigure = (value: unknown) =>
    ({ ...measured, changeMs: { ...measured.changeMs, value } }) as unknown as Measured;

  test.each([undefined, -1, '1'])(
    'are refused with a value of %j, and it is said which and what measures it',
    (value) => {
      const { command } = measured.changeMs;
      expect(() => checkMeasured(withFigure(value))).toThrow(
        `changeMs.value must be a number of 0 or more, got ${JSON.stringify(value)}: ${command} writes it`,
      );
    },
  );

  test('are where the page has its counts and times from', () => {
    const slower = new Work(stack, prices, withFigure(2 * measured.changeMs.value));

    expect(costPage(costs, slower, prices)).not.toBe(costPage(costs, work, prices));
  });

  test('are put in place of earlier ones, and all others stay', () => {
    const folder = mkdtempSync(join(tmpdir(), 'measured-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'measured.json');
    const { coldMs, changeMs } = measured;
    writeFileSync(file, JSON.stringify({ coldMs, changeMs }));
    const figure = { value: 1, unit: 'ms', what: 'anew', command: 'npm run bench:cold' };

    recordFigures({ coldMs: figure }, 'a machine', { file, measuredOn: new Date('2030-01-02T03:04:05Z') });

    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      changeMs,
      coldMs: { ...figure, machine: 'a machine', measuredOn: '2030-01-02' },
    });
  });

  test('each say what was measured, when, where, and by a script that exists', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    for (const [name, { what, command, machine, measuredOn }] of Object.entries(measured)) {
      const [, script = ''] = /npm run ([\w:-]+)/.exec(command) ?? [];
      expect(Object.keys(scripts), name).toContain(script);
      expect([what, machine], name).not.toContain('');
      expect(measuredOn, name).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  });
});

describe('the price table', () => {
  const withPrice = (dollars: unknown) =>
    ({ ...prices, prices: { ...prices.prices, kmsKey: { ...prices.prices.kmsKey, dollars } } }) as typeof prices;

  test.each([undefined, 0, -1, '1'])('is refused with a price of %j, and says which', (dollars) => {
    expect(() => checkPrices(withPrice(dollars))).toThrow('prices.kmsKey.dollars must be a positive number');
  });

  test('is where the page has its dollars from', () => {
    const dearer = withPrice(2 * price('kmsKey'));

    expect(costPage(new Costs(stack, dearer), new Work(stack, dearer, measured), dearer)).not.toBe(
      costPage(costs, work, prices),
    );
  });

  test('says where and when its prices hold', () => {
    expect(prices.region).toMatch(/^[a-z]+-[a-z]+-\d$/);
    expect(prices.asOf).toMatch(/^\d{4}-\d{2}$/);
  });
});
