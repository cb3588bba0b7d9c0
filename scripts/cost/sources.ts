/** The end of the cost page: where each number comes from. */
import { code, table } from '../docs/markdown.ts';
import { INPUTS, type Input } from './inputs.ts';
import type { Measured, RecordedFigure } from './measured.ts';
import type { PriceTable } from './prices.ts';

export function sources(measured: Measured, prices: PriceTable): string {
  return `## Where the numbers come from

Measured; each command measures its figures again and writes them into [measured.json](measured.json):

${table(
  ['Figure', 'Value', 'Unit', 'What', 'On'],
  Object.entries<RecordedFigure>(measured).map(([name, { value, unit, what, measuredOn }]) => [
    name,
    value.toLocaleString('en-US'),
    unit,
    what,
    measuredOn,
  ]),
)}

${commands(measured)}

Taken from documents, or assumed:

${table(
  ['Number', 'Unit', 'Kind', 'Source'],
  Object.values<Input>(INPUTS).map(({ value, unit, kind, source }) => [
    value.toLocaleString('en-US'),
    unit,
    kind,
    source,
  ]),
)}

Read from the code: functions, queues, schedule, memory, metrics, alarms, periods, the limit on calls and the pods' requests.

${table(
  ['Price', 'Dollars', 'Per'],
  Object.values(prices.prices).map(({ of, dollars: price, per }) => [
    of,
    price.toLocaleString('en-US', { maximumFractionDigits: 10 }),
    per,
  ]),
)}`;
}

/** Which figures each command writes, and the machine that it last ran on. */
function commands(measured: Measured): string {
  const byCommand = Object.groupBy(Object.entries<RecordedFigure>(measured), ([, { command }]) => command);
  const rows = Object.entries(byCommand).map(([command, figures = []]) => {
    const machines = new Set(figures.map(([, { machine }]) => machine));
    return [code(command), figures.length.toString(), [...machines].join('; ')];
  });
  return table(['Command', 'Figures', 'Machine'], rows);
}
