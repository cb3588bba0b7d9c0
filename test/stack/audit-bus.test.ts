/** Who may send audit records to a bus: whoever writes them, to that bus alone, and nobody where the stage file names none. */
import { beforeAll, describe, expect, it } from 'vitest';
import { compileStack } from '../../infra/lint/compile.ts';
import { statementsOf } from '../../infra/lint/roles.ts';
import { listOf, type Template, withoutNoValue } from '../../infra/lint/template.ts';
import { VARIANTS } from '../../infra/lint/variants.ts';
import { parseStageConfig } from '../../infra/stage-config.ts';
import { bridgeSettings } from '../../scripts/manifests/stage.ts';

const WRITERS = ['VolumeWorkerRole', 'ClaimWorkerRole', 'BridgeRole'];

/** A variant with the bridge as a function, and one with the container, by what their bus is to IAM. */
const BUSES: readonly (readonly [variant: string, bus: string, resource: unknown])[] = [
  [
    'customer-key',
    'storage',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's
    { 'Fn::Sub': 'arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:event-bus/storage' },
  ],
  [
    'everything',
    'arn:aws:events:eu-central-1:210987654321:event-bus/storage',
    'arn:aws:events:eu-central-1:210987654321:event-bus/storage',
  ],
];
/** The same two without a bus. */
const NONE = ['in-vpc', 'pod-identity'];

const templates = new Map<string, Template>();

beforeAll(async () => {
  for (const name of [...NONE, ...BUSES.map(([variant]) => variant)]) {
    const { template } = await compileStack(name, VARIANTS[name] ?? '');
    templates.set(name, withoutNoValue(template));
  }
}, 120_000);

function templateOf(variant: string): Template {
  const template = templates.get(variant);
  if (template === undefined) throw new Error(`${variant} was not compiled`);
  return template;
}

/** What every role of the stack is allowed of EventBridge. */
function allowed(variant: string) {
  const template = templateOf(variant);
  const roles = Object.keys(template.Resources).filter((id) => template.Resources[id]?.Type === 'AWS::IAM::Role');
  return roles.flatMap((role) =>
    statementsOf(template, role)
      .filter(({ Action }) => listOf(Action).some((action) => action.startsWith('events:')))
      .map(({ Effect, Action, Resource }) => ({ role, Effect, Action, Resource })),
  );
}

function told(variant: string): unknown[] {
  const { Resources } = templateOf(variant);
  return Object.values(Resources).flatMap(({ Type, Properties }) => {
    if (Type !== 'AWS::Lambda::Function') return [];
    const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> };
    return [Variables['PV_AUDIT_BUS']];
  });
}

describe.each(BUSES)('with a bus (%s: %s)', (variant, bus, resource) => {
  it('those that write records may send to it, and may nothing else there', () => {
    const wanted = WRITERS.map((role) => ({
      role,
      Effect: 'Allow',
      Action: 'events:PutEvents',
      Resource: resource,
    }));
    expect(allowed(variant)).toHaveLength(wanted.length);
    expect(allowed(variant)).toEqual(expect.arrayContaining(wanted));
  });

  it('an alarm tells of records that it did not take', () => {
    expect(templateOf(variant).Resources['AuditRecordsLostAlarm']?.Properties).toMatchObject({
      MetricName: 'AuditRecordsLost',
      AlarmActions: [{ Ref: 'AlarmTopic' }],
    });
  });

  it('every function is told of it, and the container too', () => {
    expect(new Set(told(variant))).toEqual(new Set([bus]));
    const config = parseStageConfig(VARIANTS[variant] ?? '', variant, 'test');
    expect(bridgeSettings('test', config, '123456789012')).toMatchObject({ PV_AUDIT_BUS: bus });
  });
});

it.each(NONE)('without one nobody may, and none is told of (%s)', (variant) => {
  expect(allowed(variant)).toEqual([]);
  expect(templateOf(variant).Resources).not.toHaveProperty('AuditRecordsLostAlarm');
  expect(told(variant).every((value) => value === undefined)).toBe(true);
});
