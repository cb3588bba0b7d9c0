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
    ['PV_MODE', 'destroy', 'must be one of observe, assist, enforce'],
    ['PV_MAX_SOCKETS', '0', 'must be 1 or more'],
    ['PV_MAX_SOCKETS', '12.5', 'must be a whole number'],
    ['PV_MAX_SOCKETS', '-1', 'must be a whole number'],
    ['PV_EKS_ENDPOINT', 'eks.example', 'must be a URL'],
    ['PV_SQS_ENDPOINT', 'http://sqs.example', 'must be an https URL (http is for 127.0.0.1 and localhost)'],
    ['PV_AUDIT_BUS', 'https://x', 'must be an event bus’ name or ARN'],
    ['PV_AUDIT_BUS', 'arn:aws:events:eu-central-1:123456789012:event-bus/', 'must be an event bus’ name or ARN'],
    ['PV_EVENTS_ENDPOINT', 'http://events.example', 'must be an https URL (http is for 127.0.0.1 and localhost)'],
    ['PV_RECYCLER_NAMESPACE', 'Not A Label', 'must be a namespace'],
  ])('%s=%s is refused with the name, the value and what it may be', (variable, value, why) => {
    expect(() => readConfig({ [variable]: value })).toThrow(new ConfigError(`${variable}: ${why}, got "${value}"`));
  });

  test.each(['storage', 'arn:aws-cn:events:cn-north-1:123456789012:event-bus/a.b_c-d'])('the bus may be %s', (bus) => {
    expect(readConfig({ PV_AUDIT_BUS: bus }).auditBus).toBe(bus);
  });

  const queues = ['VOLUMES_QUEUE', 'CLAIMS_QUEUE', 'VOLUMES_DEAD_LETTER', 'CLAIMS_DEAD_LETTER'];
  const example = 'https://sqs.eu-central-1.amazonaws.com/123456789012/volumes.fifo';

  describe.each(queues.map((name) => `PV_${name}_URL`))('%s', (variable) => {
    test.each([
      example,
      'https://sqs.cn-north-1.amazonaws.com.cn/123456789012/claims.fifo',
      'https://vpce-0a-1b.sqs.eu-central-1.vpce.amazonaws.com/123456789012/a-b_c.fifo',
      'http://127.0.0.1:4566/000000000000/volumes.fifo',
      'http://localhost:4566/volumes.fifo',
      'http://[::1]:4566/000000000000/volumes.fifo',
      'http://sqs.us-east-1.localhost:36021/000000000000/volumes.fifo',
    ])('may be %s', (value) => {
      expect(Object.values(readConfig({ [variable]: value }))).toContain(value);
    });

    test.each([
      [
        'a name',
        'volumes.fifo',
        "must be the queue's URL, not its name; " +
          '`aws sqs get-queue-url --query QueueUrl --output text --queue-name volumes.fifo` prints it',
      ],
      [
        'an ARN',
        'arn:aws:sqs:eu-central-1:123456789012:volumes.fifo',
        `must be the queue's URL, not its ARN: ${example}`,
      ],
      [
        'an ARN of China',
        'arn:aws-cn:sqs:cn-north-1:123456789012:volumes.fifo',
        "must be the queue's URL, not its ARN: https://sqs.cn-north-1.amazonaws.com.cn/123456789012/volumes.fifo",
      ],
      [
        'an ARN of a standard queue',
        'arn:aws:sqs:eu-central-1:123456789012:volumes',
        'must be the URL of a FIFO queue, and this is the ARN of a standard queue',
      ],
      [
        'a standard queue',
        'https://sqs.eu-central-1.amazonaws.com/123456789012/volumes',
        `must be the URL of a FIFO queue, which ends in .fifo, such as ${example}`,
      ],
      [
        'a URL with a query',
        `${example}?a=.fifo`,
        `must be the URL of a FIFO queue, which ends in .fifo, such as ${example}`,
      ],
      [
        'plain http',
        'http://sqs.eu-central-1.amazonaws.com/123456789012/volumes.fifo',
        `must be an https URL (http is for 127.0.0.1 and localhost), such as ${example}`,
      ],
      [
        'a host that only begins like this machine',
        'http://127.0.0.1.example/volumes.fifo',
        `must be an https URL (http is for 127.0.0.1 and localhost), such as ${example}`,
      ],
      ['no URL', 'sqs, please', `must be a URL, such as ${example}`],
    ])('is refused when it is %s', (_, value, why) => {
      expect(() => readConfig({ [variable]: value })).toThrow(new ConfigError(`${variable}: ${why}, got "${value}"`));
    });

    test('does not show a password that is in it', () => {
      const read = () => readConfig({ [variable]: 'https://me:secret@sqs.example/volumes.fifo' });
      expect(read).toThrow(`${variable}: must be a URL without a user and a password`);
      expect(read).not.toThrow('secret');
    });
  });

  test('that a function needs are named when they are missing', () => {
    expect(() => requireSettings(readConfig({}), 'clusterName', 'claimsQueueUrl')).toThrow(
      'not set: PV_CLUSTER_NAME, PV_CLAIMS_QUEUE_URL',
    );
  });

  test('have one variable each, and a meaning', () => {
    const settings = Object.values(SETTINGS);
    expect(new Set(settings.map(({ variable }) => variable)).size).toBe(settings.length);
    for (const { meaning } of settings) expect(meaning).toMatch(/\.$/);
  });
});
