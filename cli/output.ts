/** Results for people and for programs. */
import type { Option } from './options.ts';

export type Format = 'table' | 'json' | 'yaml';

export const OUTPUT_OPTION: Option = {
  type: 'string',
  short: 'o',
  value: 'FORMAT',
  oneOf: ['table', 'json', 'yaml'],
  help: 'table (default), json or yaml',
};

/** @returns the value as JSON or YAML, with its last line ended. */
export async function render(value: unknown, format: Exclude<Format, 'table'>): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  // Loaded late, as in cluster-options.ts. By way of JSON, so that both formats leave out what is undefined.
  const { dumpYaml } = await import('@kubernetes/client-node');
  return dumpYaml(JSON.parse(JSON.stringify(value)), { lineWidth: -1, noRefs: true });
}
