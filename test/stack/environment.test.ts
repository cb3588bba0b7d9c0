import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as YAML from 'yaml';
import { environmentOf } from '../../infra/environment.ts';
import { VARIANTS } from '../../infra/lint/variants.ts';
import { SERVICE } from '../../infra/names.ts';
import { stackOf } from '../../infra/stack.ts';
import { parseStageConfig } from '../../infra/stage-config.ts';
import { problemOfSetting } from '../../infra/stage-settings.ts';
import { readConfig } from '../../lib/config.ts';
import { SETTINGS } from '../../lib/settings.ts';

const configOf = (variant: string) => parseStageConfig(VARIANTS[variant] ?? '', variant, 'test');

/** As a function sees it: a queue's reference is its URL. */
function variablesOf(variant: string): Record<string, string> {
  const variables = Object.entries(environmentOf(configOf(variant), 'test'));
  return Object.fromEntries(
    variables.map(([name, value]) => [
      name,
      typeof value === 'string' ? value : `https://sqs.test/1/${value.Ref}.fifo`,
    ]),
  );
}

it.each(Object.keys(VARIANTS))('gives settings that the functions accept (%s)', (variant) => {
  const variables = variablesOf(variant);
  expect(readConfig(variables).stage).toBe('test');
  const known: string[] = Object.values(SETTINGS).map(({ variable }) => variable);
  expect(Object.keys(variables).filter((name) => !known.includes(name))).toEqual([]);
});

it('says to the functions what the stage file says', () => {
  expect(readConfig(variablesOf('everything'))).toMatchObject({
    mode: 'enforce',
    maxMode: 'enforce',
    graceSeconds: 30,
    besideAnotherController: 'true',
    logLevel: 'DEBUG',
    clusterName: 'example',
    clusterEndpoint: 'https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com',
    volumesQueueUrl: 'https://sqs.test/1/VolumesQueue.fifo',
    claimsQueueUrl: 'https://sqs.test/1/ClaimsQueue.fifo',
    volumesDeadLetterUrl: 'https://sqs.test/1/VolumesDeadLetterQueue.fifo',
    claimsDeadLetterUrl: 'https://sqs.test/1/ClaimsDeadLetterQueue.fifo',
    recyclerNamespace: 'scrubbers',
    stuckAfterSeconds: 1800,
    metricsDetail: 'on',
    auditBus: 'arn:aws:events:eu-central-1:210987654321:event-bus/storage',
    poolMaxAgeMs: 1000,
  });
});

it('names no bus unless it is told to', () => {
  expect(readConfig(variablesOf('smallest')).auditBus).toBe('');
});

it('recycles nothing unless it is told to', () => {
  expect(readConfig(variablesOf('smallest')).recyclerNamespace).toBe('');
});

it('lets no setting of a stage file replace what the stack sets', () => {
  const free = Object.keys(configOf('everything').settings);
  const set = Object.keys(variablesOf('everything')).filter((name) => !free.includes(name));
  expect(set.length).toBeGreaterThan(10);
  for (const variable of set) expect(problemOfSetting(variable, ''), variable).toMatch(/^is set by the stack: /);
});

it('derives the visibility from the time-out, and the dead letters’ queues from the queues', () => {
  const { visibilitySeconds, deadLetterQueues } = stackOf('example', 'config');
  expect(visibilitySeconds).toBe(6 * configOf('smallest').workers.timeoutSeconds);
  expect(deadLetterQueues.volumes).toBe('serverless-pv-controller-example-volumes-dead-letters.fifo');
});

it('has the service’s name as serverless.yml has it', () => {
  const { service } = YAML.parse(readFileSync('serverless.yml', 'utf8'), { logLevel: 'silent' }) as { service: string };
  expect(service).toBe(SERVICE);
});
