import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as YAML from 'yaml';
import { CERTIFICATE } from '../../infra/lint/variants.ts';
import { parseStageConfig, readStageConfig, StageConfigError } from '../../infra/stage-config.ts';
import { stageFields } from '../../infra/stage-fields.ts';

const GOOD = 'region: eu-central-1\ncluster:\n  name: example\n';

const parse = (text: string) => parseStageConfig(text, 'config/test.yml', 'test');

function messageOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof StageConfigError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('a stage file that is right', () => {
  it('needs a region and a cluster, and has the defaults for the rest', () => {
    expect(parse(GOOD)).toEqual({
      region: 'eu-central-1',
      cluster: { name: 'example' },
      mode: 'observe',
      modeMax: 'mode',
      graceSeconds: 60,
      besideAnotherController: false,
      queues: {
        volumes: 'serverless-pv-controller-test-volumes.fifo',
        claims: 'serverless-pv-controller-test-claims.fifo',
        encryption: 'sqs',
      },
      workers: { memoryMb: 512, timeoutSeconds: 30, maximumConcurrency: 10 },
      bridge: { host: 'lambda', memoryMb: 256, identity: 'pod-identity' },
      recycling: { enabled: false, namespace: 'pv-recycler' },
      monitoring: { oldestMessageMinutes: 15, stuckMinutes: 15, detail: false },
      audit: {},
      logs: { level: 'INFO', retentionDays: 30 },
      tracing: true,
      tags: {},
      settings: {},
    });
  });

  it('takes numbers that were not quoted as text, where text is wanted', () => {
    const { settings } = parse(`${GOOD}settings: { PV_POOL_MAX_AGE_MS: 1000 }\n`);
    expect(settings).toEqual({ PV_POOL_MAX_AGE_MS: '1000' });
  });

  it.each(['storage', 'default', 'arn:aws:events:eu-central-1:210987654321:event-bus/a.b_c-d'])(
    'takes the bus %s',
    (bus) => {
      expect(parse(`${GOOD}audit: { bus: '${bus}' }\n`).audit).toEqual({ bus });
    },
  );

  it.each(['mode: observe', 'mode: assist\ngraceSeconds: 59'])('takes %j with an alarm after a minute', (text) => {
    expect(parse(`${GOOD}${text}\nmonitoring: { oldestMessageMinutes: 1 }\n`).monitoring.oldestMessageMinutes).toBe(1);
  });

  it('takes an endpoint with its certificate authority', () => {
    const { cluster } = parse(`${GOOD}  endpoint: https://api.test\n  certificateAuthority: ${CERTIFICATE}\n`);
    expect(cluster).toEqual({ name: 'example', endpoint: 'https://api.test', certificateAuthority: CERTIFICATE });
  });
});

describe('a stage file that is wrong: the field, the value and the fix are named', () => {
  const arn = 'arn:aws:sqs:eu-central-1:123456789012:pv-volumes.fifo';
  const url = 'https://sqs.eu-central-1.amazonaws.com/123456789012/pv-volumes.fifo';
  const provider = 'arn:aws:iam::123456789012:oidc-provider/oidc.test/id/1';
  const cases: [name: string, text: string, ...parts: string[]][] = [
    ['an empty file', '# nothing\n', 'region is missing', 'cluster is missing'],
    ['a file that is a list', '- region\n', 'the file (line 1) must be', '["region"]'],
    ['no cluster name', 'region: eu-central-1\ncluster: {}\n', 'cluster.name is missing', 'aws eks list-clusters'],
    ['an empty cluster', 'region: eu-central-1\ncluster:\n', 'cluster (line 2)', 'name, endpoint', 'got nothing'],
    ['a bad region', GOOD.replace('eu-central-1', 'Frankfurt'), 'region (line 1)', '"Frankfurt"', 'eu-central-1'],
    [
      'a bad subnet id',
      `${GOOD}vpc:\n  subnetIds: [subnet-0123456789abcdef0, subnet-1]\n  securityGroupIds: [sg-01234567]\n`,
      'vpc.subnetIds[1] (line 5)',
      '"subnet-1"',
      'subnet-0123456789abcdef0',
    ],
    [
      'a bad security group id',
      `${GOOD}vpc:\n  subnetIds: [subnet-01234567]\n  securityGroupIds: [default]\n`,
      'vpc.securityGroupIds[0] (line 6)',
      '"default"',
      'sg-0123456789abcdef0',
    ],
    ['an empty list', `${GOOD}vpc: { subnetIds: [], securityGroupIds: [sg-01234567] }\n`, 'vpc.subnetIds', 'got []'],
    ['a vpc without groups', `${GOOD}vpc: { subnetIds: [subnet-01234567] }\n`, 'vpc.securityGroupIds is missing'],
    ['a misspelt key', `${GOOD}monitorng: {}\n`, 'monitorng (line 4) is unknown', 'did you mean monitoring?'],
    ['a misspelt key inside', `${GOOD}logs: { retention: 30 }\n`, 'logs.retention', 'did you mean retentionDays?'],
    ['a key from nowhere', `${GOOD}xyz: 1\n`, 'xyz (line 4) is unknown; here may be: region, cluster, mode'],
    ['a queue as ARN', `${GOOD}queues: { volumes: '${arn}' }\n`, 'queues.volumes', arn, 'write pv-volumes.fifo'],
    ['a queue as URL', `${GOOD}queues: { volumes: '${url}' }\n`, 'queues.volumes', url, 'write pv-volumes.fifo'],
    ['a bus as URL', `${GOOD}audit: { bus: 'https://x' }\n`, 'audit.bus (line 4)', '"https://x"', 'event-bus/storage'],
    [
      'a bus of another region',
      `${GOOD}audit: { bus: 'arn:aws:events:us-east-1:123456789012:event-bus/storage' }\n`,
      'audit.bus (line 4) is in us-east-1',
      'name one of eu-central-1',
    ],
    ['a queue without .fifo', `${GOOD}queues: { claims: pv-claims }\n`, 'queues.claims', 'write pv-claims.fifo'],
    [
      'a queue named as the other one’s dead letters',
      `${GOOD}queues: { volumes: a.fifo, claims: a-dead-letters.fifo }\n`,
      'queues.volumes, queues.claims',
      'a-dead-letters.fifo',
    ],
    [
      'a queue named as the other one by default',
      `${GOOD}queues: { volumes: serverless-pv-controller-test-claims.fifo }\n`,
      'four names',
    ],
    [
      'a variable of the framework',
      `${GOOD}tags: { a: '\${file(/etc/hostname)}' }\n`,
      'line 4',
      'write the value itself',
    ],
    ['a tag of CloudFormation', `${GOOD}tags: { a: !GetAtt X.Y }\n`, 'not valid YAML', '!GetAtt'],
    ['an alias', `${GOOD}tags: &t { a: *t }\n`, 'line 4', 'is an alias'],
    ['an alias of nothing', `${GOOD}vpc: *nope\n`, 'nope'],
    [
      'a password in the endpoint',
      `${GOOD}  endpoint: https://user:pw@api.test\n  certificateAuthority: ${CERTIFICATE}\n`,
      'cluster.endpoint',
    ],
    [
      'a subnet twice',
      `${GOOD}vpc: { subnetIds: [subnet-01234567, subnet-01234567], securityGroupIds: [sg-01234567] }\n`,
      'vpc.subnetIds',
      'different',
    ],
    [
      'six security groups',
      `${GOOD}vpc: { subnetIds: [subnet-01234567], securityGroupIds: [${Array.from({ length: 6 }, (_, i) => `sg-0123456${i}`)}] }\n`,
      'vpc.securityGroupIds',
      '1 to 5',
    ],
    ['a number as a tag, which YAML would change', `${GOOD}tags: { version: 1.10 }\n`, 'tags', 'in quotes'],
    ['a tag of AWS’s own', `${GOOD}tags: { 'AWS:x': y }\n`, 'tags', 'aws:'],
    ['too many tags', `${GOOD}tags: {${Array.from({ length: 46 }, (_, i) => ` t${i}: x`)} }\n`, 'tags', 'up to 45'],
    [
      'recycling in a namespace of Kubernetes',
      `${GOOD}recycling: { enabled: true, namespace: kube-system }\n`,
      'recycling.namespace',
      '"kube-system"',
    ],
    ['one queue for both', `${GOOD}queues: { volumes: a.fifo, claims: a.fifo }\n`, 'queues.claims', '"a.fifo"'],
    [
      'an operator by name',
      `${GOOD}queues: { operatorRoleArn: ops }\n`,
      'queues.operatorRoleArn',
      '"ops"',
      'ARN of a role',
    ],
    [
      'an operator who is a user',
      `${GOOD}queues: { operatorRoleArn: 'arn:aws:iam::123456789012:user/me' }\n`,
      'queues.operatorRoleArn',
      'user/me',
      'not a user',
    ],
    [
      'an endpoint alone',
      `${GOOD}  endpoint: https://api.test\n`,
      'cluster.certificateAuthority is missing',
      'or none',
    ],
    ['a CA alone', `${GOOD}  certificateAuthority: ${CERTIFICATE}\n`, 'cluster.endpoint is missing', 'or none'],
    [
      'plain http',
      `${GOOD}  endpoint: http://api.test\n  certificateAuthority: ${CERTIFICATE}\n`,
      'cluster.endpoint (line 4)',
      'https',
    ],
    [
      'a CA that is no base64',
      `${GOOD}  endpoint: https://a\n  certificateAuthority: '-----BEGIN'\n`,
      'certificateAuthority (line 5)',
      'base64',
    ],
    [
      'a CA that was cut off',
      `${GOOD}  endpoint: https://a\n  certificateAuthority: ${CERTIFICATE.slice(0, 400)}\n`,
      'certificateAuthority (line 5)',
      '402 characters',
    ],
    ['a long time-out', `${GOOD}workers: { timeoutSeconds: 31 }\n`, 'workers.timeoutSeconds', '5 to 30', 'got 31'],
    [
      'too little concurrency',
      `${GOOD}workers: { maximumConcurrency: 1 }\n`,
      'maximumConcurrency',
      '2 to 1000',
      'got 1',
    ],
    ['too much concurrency', `${GOOD}workers: { maximumConcurrency: 1001 }\n`, 'maximumConcurrency', 'got 1001'],
    [
      'a retention that CloudWatch lacks',
      `${GOOD}logs: { retentionDays: 31 }\n`,
      'logs.retentionDays',
      '30, 60',
      'got 31',
    ],
    ['irsa without its provider', `${GOOD}bridge: { identity: irsa }\n`, 'bridge.oidcProviderArn is missing', 'irsa'],
    [
      'a provider without irsa',
      `${GOOD}bridge: { oidcProviderArn: '${provider}' }\n`,
      'bridge.oidcProviderArn',
      'identity: irsa',
    ],
    ['an unknown setting', `${GOOD}settings: { PV_X: 'y' }\n`, 'settings.PV_X', 'docs/settings.md'],
    [
      'a misspelt setting',
      `${GOOD}settings: { PV_POL_MAX_AGE_MS: 1 }\n`,
      'settings.PV_POL_MAX_AGE_MS',
      'did you mean PV_POOL_MAX_AGE_MS?',
    ],
    ['a wrong setting', `${GOOD}settings: { PV_POOL_MAX_AGE_MS: 1 s }\n`, 'settings.PV_POOL_MAX_AGE_MS', '"1 s"'],
    ['the mode as a setting', `${GOOD}settings: { PV_MODE: enforce }\n`, 'settings.PV_MODE', 'use the field `mode`'],
    ['a mode that does not exist', `${GOOD}mode: help\n`, 'mode (line 4)', 'observe or assist or enforce', '"help"'],
    ['a limit that limits nothing', `${GOOD}modeMax: observe\n`, 'modeMax (line 4)', 'mode or assist or enforce'],
    ['a grace time of none', `${GOOD}graceSeconds: 0\n`, 'graceSeconds (line 4)', 'a whole number, 1 to 600'],
    [
      'a grace time longer than the alarm’s',
      `${GOOD}mode: assist\nmonitoring: { oldestMessageMinutes: 1 }\n`,
      'graceSeconds is 60',
      'monitoring.oldestMessageMinutes (1)',
      'less than 60',
    ],
    [
      'a queue’s URL as a setting',
      `${GOOD}settings: { PV_CLAIMS_QUEUE_URL: 'https://x' }\n`,
      'PV_CLAIMS_QUEUE_URL',
      'queues.claims',
    ],
    ['broken YAML', 'region: eu-central-1\ncluster: [\n', 'config/test.yml is not valid YAML', 'line 3'],
    ['a key twice', `${GOOD}mode: observe\nmode: enforce\n`, 'config/test.yml is not valid YAML', 'unique', 'line 5'],
  ];
  it.each(cases)('%s', (_name, text, ...parts) => {
    const message = messageOf(text);
    expect(message).toContain('config/test.yml');
    for (const part of parts) expect(message).toContain(part);
  });

  it('tells everything at once', () => {
    const message = messageOf('regoin: x\ncluster: {}\nmode: assists\nsettings: { PV_STAGE: x }\n');
    expect(message.split('\n')).toHaveLength(1 + 5);
    expect(message).toContain('has 5 problems');
  });

  it('quotes no value that is long, as a secret may be', () => {
    const secret = Buffer.from('-----BEGIN PRIVATE KEY-----\n'.repeat(9)).toString('base64');
    const message = messageOf(`${GOOD}  endpoint: https://a\n  certificateAuthority: ${secret}\n${secret}: 1\n`);
    expect(message).not.toContain(secret.slice(0, 40));
  });
});

describe('where stage files are', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'pv-controller-config-'));
    writeFileSync(join(directory, 'prod.yml'), GOOD);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('reads the file of the stage', () => {
    expect(readStageConfig('prod', directory).queues.claims).toBe('serverless-pv-controller-prod-claims.fifo');
  });

  it('says what to do when there is none', () => {
    expect(() => readStageConfig('dev', directory)).toThrow(/dev\.yml does not exist: copy config\/example\.yml/);
  });

  it.each(['Prod', 'a_b', '', '../x', 'a'.repeat(21)])('refuses %o as a stage', (stage) => {
    expect(() => readStageConfig(stage, directory)).toThrow(/1 to 20 lower-case letters/);
  });
});

describe('config/example.yml', () => {
  const text = readFileSync('config/example.yml', 'utf8');
  const uncommented = text.replace(/^(\s*)#(?=\S| {2}\S)/gm, '$1');
  const shown = YAML.parse(uncommented) as object;

  it('can be packaged as it is', () => {
    expect(parse(text).region).toBe('eu-central-1');
  });

  it.each(stageFields().map((field) => [field.path, field] as const))('shows %s, with its default', (path, field) => {
    const value = path
      .split('.')
      .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], shown);
    expect(value).toBeDefined();
    if (typeof field.default !== 'object' && field.default !== undefined) expect(value).toBe(field.default);
  });
});
