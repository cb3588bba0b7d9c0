/** What the local programs' options stand for: a cluster, and settings. */
import { UsageError, type Values } from '../cli/options.ts';
import type { Connection } from '../lib/cluster/connection.ts';
import { connectionFromKubeconfig } from '../lib/cluster/kubeconfig.ts';
import { type Config, ConfigError, readConfig } from '../lib/config.ts';

export { helpOf, main, type Options, parseOptions, UsageError, type Values } from '../cli/options.ts';

/** The connection that --kubeconfig and --context name. @throws UsageError without one, ConnectionError when it is bad. */
export function connectionOf(values: Values): Connection {
  const { kubeconfig, context } = values;
  if (typeof kubeconfig !== 'string') throw new UsageError('--kubeconfig FILE is needed: which cluster?');
  return connectionFromKubeconfig({ file: kubeconfig, ...(typeof context === 'string' && { context }) });
}

/**
 * Settings from PV_… variables, with options of the command line on top.
 * @param overrides by variable: the option's value, or undefined when it was not given.
 * @param names by variable: the option, for errors about its value.
 * @throws UsageError for a wrong value.
 */
export function configOf(
  overrides: Readonly<Record<string, string | undefined>>,
  names: Readonly<Record<string, string>> = {},
): Config {
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  try {
    return readConfig({ ...process.env, ...given });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [variable = ''] = error.message.split(':', 1);
    const name = given[variable] === undefined ? undefined : names[variable];
    throw new UsageError(name === undefined ? error.message : name + error.message.slice(variable.length));
  }
}
