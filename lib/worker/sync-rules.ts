/** What decides besides the objects, out of the configuration and the server's version. */
import type { Config } from '../config.ts';
import { type Features, featuresOf, type ServerVersion } from '../controller/features.ts';
import { STANDARD_MIGRATION } from '../controller/migration.ts';
import type { SyncRules } from '../controller/ports.ts';

/** The rules that change between versions of Kubernetes (DESIGN D9), where the configuration leaves them to the server. */
export function featuresFor({ volumeAttributesClass }: Config, version: ServerVersion): Features {
  const override = volumeAttributesClass === 'auto' ? {} : { volumeAttributesClass: volumeAttributesClass === 'on' };
  return featuresOf(version, override);
}

/** The rules of every sync; plugins are added by whoever has them. */
export function syncRulesOf(config: Config, features: Features): Omit<SyncRules, 'plugins'> {
  const { createVolumeAttempts, createVolumeIntervalMs, poolMaxAgeMs } = config;
  const dynamicProvisioning = config.dynamicProvisioning === 'on';
  const settings = { dynamicProvisioning, createVolumeAttempts, createVolumeIntervalMs, poolMaxAgeMs };
  return { features, migration: STANDARD_MIGRATION, settings };
}
