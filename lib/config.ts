/** Reads the settings of lib/settings.ts from environment variables. */
import * as z from 'zod/mini';
import { withoutUser } from './addresses.ts';
import { SETTINGS, type Setting } from './settings.ts';

/** A variable that holds something else than its setting allows. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Config = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

/**
 * Reads the settings from environment variables. A variable that is not set, or is empty, has its default.
 * @throws ConfigError that names the first variable that is wrong and its value, without the password of a URL.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const entries = Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([key, setting]) => {
    const value = environment[setting.variable];
    if (value === undefined || value === '') return [key, setting.default] as const;
    const result = z.safeParse(setting.type, value);
    if (result.success) return [key, result.data] as const;
    const harmless = withoutUser(value);
    const shown = JSON.stringify(harmless.length > 100 ? `${harmless.slice(0, 100)}…` : harmless);
    throw new ConfigError(`${setting.variable}: ${result.error.issues[0]?.message ?? 'is invalid'}, got ${shown}`);
  });
  return Object.fromEntries(entries) as Config;
}

/** @throws ConfigError that names the variables that this function needs and that are not set. */
export function requireSettings(config: Config, ...keys: (keyof Config)[]): void {
  const missing = keys.filter((key) => config[key] === '').map((key) => SETTINGS[key].variable);
  if (missing.length > 0) throw new ConfigError(`not set: ${missing.join(', ')}`);
}
