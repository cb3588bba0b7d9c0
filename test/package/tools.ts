/** Programs besides Node that these tests need. Without one a test is skipped, with the reason said; in CI it fails. */

import { pythonTools } from '../../scripts/python-tools.ts';
import { controlPlaneBinary } from '../control-plane/harness.ts';
import { missingKubectl } from '../control-plane/permissions.ts';
import { emulatorBinary } from './build-emulator.ts';

/** Where the tools are, by name; and those that are missing, with the reasons. */
export interface Tools {
  readonly emulator: string;
  /** The folder of `python` and `ministack`. */
  readonly python: string;
  readonly missing: readonly string[];
}

const finders = {
  emulator: emulatorBinary,
  python: async () => {
    const tools = await pythonTools();
    return 'bin' in tools ? { path: tools.bin } : tools;
  },
  'control plane': controlPlaneBinary,
  kubectl: async () => {
    const missing = await missingKubectl();
    return missing === undefined ? { path: 'kubectl' } : { missing };
  },
} as const;

/**
 * Finds what a test file needs, and says what of it is missing.
 *
 * @example
 * const tools = await findTools('python');
 * describe.skipIf(tools.missing.length > 0)('beside botocore', () => {});
 * @throws Error with CI=true when something is missing.
 */
export async function findTools(...names: readonly (keyof typeof finders)[]): Promise<Tools> {
  const found: Record<string, string> = {};
  const missing: string[] = [];
  for (const name of names) {
    const tool = await finders[name]();
    if ('path' in tool) found[name] = tool.path;
    else missing.push(`${name}: ${tool.missing}`);
  }
  if (missing.length > 0 && process.env['CI'] === 'true') throw new Error(missing.join('\n'));
  for (const line of missing) console.warn(`SKIPPED: ${line}`);
  return { emulator: found['emulator'] ?? '', python: found['python'] ?? '', missing };
}
