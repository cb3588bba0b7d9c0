/** The price table, docs/prices.json: the one place where a dollar is typed. */
import { readFileSync } from 'node:fs';

/** One list price. */
export interface Price {
  readonly dollars: number;
  readonly per: string;
  readonly of: string;
}

export interface PriceTable {
  readonly region: string;
  /** Month in which the prices were taken down, `YYYY-MM`. */
  readonly asOf: string;
  readonly currency: string;
  readonly prices: Readonly<Record<PriceName, Price>>;
}

const NAMES = [
  'lambdaGbSecondArm64',
  'lambdaMillionRequests',
  'sqsFifoMillionRequests',
  'cloudWatchMetric',
  'cloudWatchAlarm',
  'cloudWatchDashboard',
  'logsIngestedGb',
  'xrayMillionTraces',
  'kmsKey',
  'interfaceEndpointHour',
  'nodeHour',
] as const;

export type PriceName = (typeof NAMES)[number];

const FILE = new URL('../../docs/prices.json', import.meta.url);

/** @throws Error that names the price that is missing or no positive number. */
export function readPrices(): PriceTable {
  return checkPrices(JSON.parse(readFileSync(FILE, 'utf8')));
}

/** @throws as `readPrices`. */
export function checkPrices(table: PriceTable): PriceTable {
  for (const name of NAMES) {
    const { dollars } = table.prices[name] ?? {};
    if (!(typeof dollars === 'number' && dollars > 0)) {
      const got = JSON.stringify(dollars);
      throw new Error(`docs/prices.json: prices.${name}.dollars must be a positive number, got ${got}: look it up`);
    }
  }
  return table;
}
