import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig, requireSettings } from './config.ts';
import { SETTINGS } from './settings.ts';

describe('settings', () => {
  test('have their defaults when nothing is set, and observe is the default mode', () => {
    const config = readConfig({});
    expect(config.mode).toBe('observe');
    expect(config.retryMaxSeconds).toBe(15);
    expect(config.operationRetryMaxSeconds).toBe(122);
  });

  test('are read from their variables; an empty one counts as not set', () => {
    const config = readConfig({ PV_MODE: 'enforce', PV_MAX_SOCKETS: '8', PV_WAKE: '1', PV_RETRY_MAX_SECONDS: '' });
    expect(config).toMatchObject({ mode: 'enforce', maxSockets: 8, retryMaxSeconds: 15 });
  });

  test.each([
    ['PV_MODE', 'destroy', 'must be one of observe, enforce'],
    ['PV_MAX_SOCKETS', '0', 'must be 1 or more'],
    ['PV_MAX_SOCKETS', '12.5', 'must be a whole number'],
    ['PV_MAX_SOCKETS', '-1', 'must be a whole number'],
    ['PV_VOLUMES_QUEUE_URL', 'volumes.fifo', 'must be a URL'],
    ['PV_RECYCLER_NAMESPACE', 'Not A Label', 'must be a namespace'],
  ])('%s=%s is refused with the name, the value and what it may be', (variable, value, why) => {
    expect(() => readConfig({ [variable]: value })).toThrow(new ConfigError(`${variable}: ${why}, got "${value}"`));
  });

  test('that a function needs are named when they are missing', () => {
    expect(() => requireSettings(readConfig({}), 'clusterEndpoint', 'claimsQueueUrl')).toThrow(
      'not set: PV_CLUSTER_ENDPOINT, PV_CLAIMS_QUEUE_URL',
    );
  });

  test('have one variable each, and a meaning', () => {
    const settings = Object.values(SETTINGS);
    expect(new Set(settings.map(({ variable }) => variable)).size).toBe(settings.length);
    for (const { meaning } of settings) expect(meaning).toMatch(/\.$/);
  });
});
