/** docs/cost.md is what the prices and the code give, and its arithmetic holds. */
import { describe, expect, test } from 'vitest';
import { INPUTS } from '../../scripts/cost/inputs.ts';
import { Costs, total } from '../../scripts/cost/model.ts';
import { costPage } from '../../scripts/cost/page.ts';
import { checkPrices, readPrices } from '../../scripts/cost/prices.ts';
import { readStack } from '../../scripts/cost/stack.ts';
import { readPage } from './pages.ts';

const prices = readPrices();
const stack = readStack();
const costs = new Costs(stack, prices);
const price = (name: keyof typeof prices.prices) => prices.prices[name].dollars;

test('docs/cost.md is fresh; if not, `npm run cost` writes it', () => {
  expect(readPage('docs/cost.md').text).toBe(costPage(costs, prices));
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
    const [small, large] = [costs.sweep(1_000, 'lambda'), costs.sweep(10_000, 'lambda')];

    expect(total(large)).toBeCloseTo(10 * total(small), 10);
    expect(total(costs.sweep(1_000, 'container'))).toBeLessThan(total(small));
  });

  test('of work: more messages cost more', () => {
    expect(total(costs.binding(1, 'busy', 'lambda'))).toBeGreaterThan(total(costs.binding(1, 'calm', 'lambda')));
  });

  test('of lists: pages of a limited size, both kinds, and the classes', () => {
    expect(costs.lists(2 * INPUTS.listPage.value)).toMatchObject({
      requests: 3,
      bytes: INPUTS.listPage.value * (INPUTS.volumeBytes.value + INPUTS.claimBytes.value),
    });
    expect(costs.lists(2 * INPUTS.listPage.value + 2).requests).toBe(5);
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

    expect(costPage(new Costs(stack, dearer), dearer)).not.toBe(costPage(costs, prices));
  });

  test('says where and when its prices hold', () => {
    expect(prices.region).toMatch(/^[a-z]+-[a-z]+-\d$/);
    expect(prices.asOf).toMatch(/^\d{4}-\d{2}$/);
  });
});
