/** What is common to all sums of the cost page: a month, prices, and how a line of a bill looks. */
import { INPUTS } from './inputs.ts';
import type { PriceName, PriceTable } from './prices.ts';
import type { Stack } from './stack.ts';

/** Dollars of a month, and how they came about. */
export interface Line {
  readonly what: string;
  readonly sum: string;
  readonly dollars: number;
}

/** How the bridge is hosted: what makes the two bills different. */
export type Host = 'lambda' | 'container';

export const MONTH_SECONDS = INPUTS.hoursPerMonth.value * 3_600;

const MILLION = 1e6;

/** The price table, asked by name. */
export class Rates {
  readonly #prices: PriceTable['prices'];

  constructor({ prices }: PriceTable) {
    this.#prices = prices;
  }

  /** Dollars of one unit. */
  of(name: PriceName): number {
    return this.#prices[name].dollars;
  }

  /** As it stands in a sum: `$0.5 per million requests`. */
  text(name: PriceName): string {
    const { dollars: price, per } = this.#prices[name];
    return `$${price.toLocaleString('en-US', { maximumFractionDigits: 10 })} per ${per}`;
  }

  /** Dollars of so many, where the price is of a million. */
  ofMillions(count: number, name: PriceName): number {
    return (count / MILLION) * this.of(name);
  }
}

/** Bridges that are at work at the same moment, and so send each message once each. */
export function bridgesAtWork({ bridgeRunSeconds, bridgeEverySeconds, replicas }: Stack, host: Host): number {
  return host === 'lambda' ? bridgeRunSeconds / bridgeEverySeconds : replicas;
}

export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.dollars, 0);
}
