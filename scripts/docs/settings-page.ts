/** docs/settings.md: the fields of a stage file, all variables, and what detail costs. */
import { type StageField, stageFields } from '../../infra/stage-fields.ts';
import { problemOfSetting } from '../../infra/stage-settings.ts';
import { METRICS, type Metric } from '../../lib/observability/catalogue.ts';
import { MAX_DETAILS } from '../../lib/observability/counts.ts';
import { SETTINGS, type Setting } from '../../lib/settings.ts';
import type { PriceTable } from '../cost/prices.ts';
import { code, generatedFrom, table } from './markdown.ts';

/** The page's text. */
export function settingsPage(prices: PriceTable): string {
  return `${generatedFrom('infra/stage-schema.ts', 'lib/settings.ts')}

# Settings

A deployment has one file per stage, \`config/<stage>.yml\`; [config/example.yml](../config/example.yml) is a commented one
to start from. \`npm run config -- --stage <stage>\` checks a file and says what is wrong with it, without deploying.
The local programs and the bridge's container take the [variables](#variables) as they are.

## The stage file

${fieldTable()}

## Variables

Environment variables of the functions and of the container. Where a field of the stage file stands for one, the table says
so; all others can be set under \`settings\` there. One that is not set, or empty, has its default. Durations are
milliseconds unless the name says seconds.

${variableTable()}

## What detail costs

${detailCost(prices)}
`;
}

function fieldTable(): string {
  const rows = stageFields().map((field) => [code(field.path), presetOf(field), field.values, field.meaning]);
  return table(['Field', 'Default', 'Must be', 'Meaning'], rows);
}

function presetOf({ needed, default: preset }: StageField): string {
  if (needed) return '**needed**';
  if (preset === undefined) return 'none';
  return code(typeof preset === 'object' ? JSON.stringify(preset) : String(preset));
}

function variableTable(): string {
  const rows = Object.values(SETTINGS as Record<string, Setting<string | number>>).map((setting) => {
    const { variable, values, meaning } = setting;
    const preset = setting.default === '' ? 'none' : code(String(setting.default));
    return [code(variable), values, preset, whereOf(variable), meaning];
  });
  return table(['Variable', 'Values', 'Default', 'In a stage file', 'Meaning'], rows);
}

/** What the stack says of one that it sets by itself. */
function whereOf(variable: string): string {
  const [, instead] = /^is set by the stack: (?:use )?(.*)$/.exec(problemOfSetting(variable, '') ?? '') ?? [];
  return instead ?? code('settings');
}

function detailCost({ asOf, region, prices }: PriceTable): string {
  const split = Object.entries<Metric>(METRICS).filter(([, { detail }]) => detail !== undefined);
  const perPair = split.flatMap(([name, { detail }]) => (detail?.includes('namespace') ? [name] : []));
  const { dollars } = prices.cloudWatchMetric;
  const rows = [1, 20, 100, 500].map((pairs) => [
    String(pairs),
    `${perPair.length} × ${pairs} × ${money(dollars)}`,
    money(perPair.length * dollars * pairs),
  ]);
  return `\`monitoring.detail: true\` (\`PV_METRICS_DETAIL=on\`) sends the ${split.length} [metrics of the built-in controller](metrics.md#as-the-built-in-controller-has-them)
that have labels once more, by these. CloudWatch charges for each combination by the month: ${money(dollars)} (${region}, ${asOf}, the
first 10,000 metrics; [prices.json](prices.json)). Those that add up are ${perPair.map(code).join(' and ')}, by namespace and
storage class; all others go by class, plugin or operation, of which there are few.

${table(['Pairs', 'Metrics × price', 'A month, at most'], rows)}

No more than ${MAX_DETAILS.toLocaleString('en')} gauges are sent so, the largest; a log line says when there are more. A namespace that is gone costs
nothing from the next hour on.`;
}

function money(dollars: number): string {
  return `$${dollars.toFixed(2)}`;
}
