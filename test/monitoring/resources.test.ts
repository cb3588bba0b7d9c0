/** Alarms and dashboard, as the template has them. */
import { describe, expect, test } from 'vitest';
import { RUNBOOK_ANCHORS } from '../../infra/monitoring/alarm.ts';
import { type MonitoringOptions, monitoringResources } from '../../infra/monitoring/index.ts';
import { METRICS, type Metric, NAMESPACE } from '../../lib/observability/catalogue.ts';

type Properties = Readonly<Record<string, unknown>>;
type Monitoring = MonitoringOptions['config']['monitoring'];

function optionsOf(host: 'lambda' | 'container' = 'lambda', monitoring: Partial<Monitoring> = {}): MonitoringOptions {
  const defaults = { oldestMessageMinutes: 15, stuckMinutes: 20, detail: false };
  return {
    service: 'serverless-pv-controller',
    stage: 'test',
    config: { bridge: { host }, monitoring: { ...defaults, ...monitoring }, audit: { bus: 'storage' } },
  };
}

/** The properties of all resources of a type, by logical id. */
function ofType(type: string, options = optionsOf()): Record<string, Properties> {
  const entries = Object.entries(monitoringResources(options).Resources).filter(([, { Type }]) => Type === type);
  return Object.fromEntries(entries.map(([id, { Properties }]) => [id, Properties]));
}

const alarms = (options?: MonitoringOptions) => ofType('AWS::CloudWatch::Alarm', options);

type Raised = readonly [
  statistic: 'Sum' | 'Maximum',
  comparison: 'GreaterThanThreshold' | 'LessThanThreshold',
  threshold: number,
  missing: 'notBreaching' | 'breaching' | 'ignore',
];

const ANY: Raised = ['Sum', 'GreaterThanThreshold', 0, 'notBreaching'];
/** Of the age in seconds; 15 minutes here. */
const OLD: Raised = ['Maximum', 'GreaterThanThreshold', 900, 'notBreaching'];
const DEAD: Raised = ['Maximum', 'GreaterThanThreshold', 0, 'notBreaching'];
/** Two bridges send each: their sum would count double. */
const GAUGE: Raised = ['Maximum', 'GreaterThanThreshold', 0, 'ignore'];

const RAISED: Readonly<Record<string, Raised>> = {
  VolumesOldestMessageAlarm: OLD,
  VolumesDeadLettersAlarm: DEAD,
  ClaimsOldestMessageAlarm: OLD,
  ClaimsDeadLettersAlarm: DEAD,
  VolumeWorkerErrorsAlarm: ANY,
  VolumeWorkerThrottlesAlarm: ANY,
  ClaimWorkerErrorsAlarm: ANY,
  ClaimWorkerThrottlesAlarm: ANY,
  BridgeErrorsAlarm: ANY,
  BridgeThrottlesAlarm: ANY,
  ResyncErrorsAlarm: ANY,
  ResyncThrottlesAlarm: ANY,
  BridgeSilentAlarm: ['Sum', 'LessThanThreshold', 1, 'breaching'],
  FlipsAlarm: ANY,
  VolumesStuckReleasedAlarm: GAUGE,
  VolumesStuckFailedAlarm: GAUGE,
  VolumesStuckTerminatingAlarm: GAUGE,
  ClaimsStuckPendingAlarm: GAUGE,
  ClaimsLostAlarm: GAUGE,
  AuditRecordsLostAlarm: ANY,
};

describe('alarms', () => {
  test('each says in one sentence what it means, and ends with its section of the runbook; every section has one', () => {
    const descriptions = Object.values(alarms()).map(({ AlarmDescription }) => String(AlarmDescription));
    for (const description of descriptions) {
      expect(description).toMatch(/^[A-Z][^.]+\. What to do: docs\/runbook\.md#[a-z-]+$/);
    }
    const anchors = descriptions.map((description) => description.split('#')[1]);
    expect([...new Set(anchors)].sort()).toEqual([...RUNBOOK_ANCHORS].sort());
  });

  test('names and targets: one name each, all tell the topic of their beginning and their end', () => {
    const all = Object.values(alarms());
    expect(new Set(all.map(({ AlarmName }) => AlarmName)).size).toBe(all.length);
    for (const { AlarmName, AlarmActions, OKActions } of all) {
      expect(AlarmName).toMatch(/^serverless-pv-controller-test-[a-z-]+$/);
      expect([AlarmActions, OKActions]).toEqual([[{ Ref: 'AlarmTopic' }], [{ Ref: 'AlarmTopic' }]]);
    }
  });

  test('our own metrics are of the catalogue, over the dimensions that it has', () => {
    const own = Object.values(alarms()).filter(({ Namespace }) => Namespace === NAMESPACE);
    expect(own).toHaveLength(8);
    for (const { MetricName, Dimensions } of own) {
      expect(Object.keys(METRICS)).toContain(MetricName);
      expect(Dimensions).toEqual([
        { Name: 'service', Value: 'pv-controller' },
        { Name: 'stage', Value: 'test' },
      ]);
    }
  });

  test('each is raised by what it says: statistic, comparison, threshold, and what no data means', () => {
    const seen = Object.entries(alarms()).map(([id, alarm]): [string, Raised] => {
      const { Statistic, ComparisonOperator, Threshold, TreatMissingData } = alarm;
      return [id, [Statistic, ComparisonOperator, Threshold, TreatMissingData] as unknown as Raised];
    });
    expect(Object.fromEntries(seen)).toEqual(RAISED);
    for (const alarm of Object.values(alarms())) expect(alarm).not.toHaveProperty('ActionsEnabled', false);
    expect(alarms()['BridgeSilentAlarm']).toMatchObject({ MetricName: 'BridgeHeartbeat' });
    expect(alarms()['AuditRecordsLostAlarm']).toMatchObject({ MetricName: 'AuditRecordsLost' });
  });

  test('the stage file’s minutes are the thresholds', () => {
    const all = alarms(optionsOf('lambda', { oldestMessageMinutes: 7, stuckMinutes: 30 }));
    expect(all['VolumesOldestMessageAlarm']).toMatchObject({ Threshold: 420 });
    expect(all['ClaimsOldestMessageAlarm']).toMatchObject({ Threshold: 420 });
    expect(all['ClaimsLostAlarm']).toMatchObject({ Period: 60, EvaluationPeriods: 30 });
    expect(String(all['VolumesStuckFailedAlarm']?.['AlarmDescription'])).toContain('more than 30 minutes');
  });

  test.each([1, 15, 1440])('CloudWatch looks back for a day at most, also when stuckMinutes is %i', (stuckMinutes) => {
    for (const { Period, EvaluationPeriods } of Object.values(alarms(optionsOf('lambda', { stuckMinutes })))) {
      expect(Number(Period) * Number(EvaluationPeriods)).toBeLessThanOrEqual(86_400);
    }
  });

  test('a bridge in a container is no function to watch, and its heartbeat counts all the same', () => {
    const gone = Object.keys(alarms()).filter((id) => !(id in alarms(optionsOf('container'))));
    expect(gone.sort()).toEqual(['BridgeErrorsAlarm', 'BridgeThrottlesAlarm']);
  });

  test('without a bus there is none about its records', () => {
    const options = optionsOf();
    const without = alarms({ ...options, config: { ...options.config, audit: {} } });
    expect(Object.keys(alarms()).filter((id) => !(id in without))).toEqual(['AuditRecordsLostAlarm']);
  });
});

describe('the topic', () => {
  test('has a subscription only for an address', () => {
    expect(ofType('AWS::SNS::Subscription')).toEqual({});
    const email = 'storage@example.com';
    expect(ofType('AWS::SNS::Subscription', optionsOf('lambda', { email }))).toMatchObject({
      AlarmSubscription: { Protocol: 'email', Endpoint: email },
    });
  });
});

describe('the dashboard', () => {
  interface Body {
    readonly widgets: readonly {
      type: string;
      x: number;
      y: number;
      width: number;
      height: number;
      properties: Properties;
    }[];
  }

  function bodyOf(options: MonitoringOptions): Body {
    const [properties] = Object.values(ofType('AWS::CloudWatch::Dashboard', options)) as [Properties];
    const { 'Fn::Sub': text } = properties['DashboardBody'] as { 'Fn::Sub': string };
    return JSON.parse(text.replaceAll(/\$\{([^!}]+)\}/g, '<$1>')) as Body;
  }

  /** Name and dimensions of every line of our own. */
  function ownLines(options: MonitoringOptions): { name: string; dimensions: unknown[] }[] {
    const lines = bodyOf(options).widgets.flatMap(({ properties }) => (properties['metrics'] ?? []) as unknown[][]);
    return lines
      .filter(([namespace]) => namespace === NAMESPACE)
      .map(([, name, ...rest]) => ({ name: String(name), dimensions: rest.slice(0, -1) }));
  }

  test('its body is JSON, and shows every metric that is always sent', () => {
    const shown = new Set(ownLines(optionsOf()).map(({ name }) => name));
    expect([...shown].sort()).toEqual(Object.keys(METRICS).sort());
  });

  test('each line has the dimensions that its metric is sent with', () => {
    for (const { name, dimensions } of ownLines(optionsOf())) {
      const { dimensions: more = [] }: Metric = METRICS[name as keyof typeof METRICS];
      expect(dimensions.slice(0, 4)).toEqual(['service', 'pv-controller', 'stage', 'test']);
      expect(dimensions.slice(4).filter((_, i) => i % 2 === 0)).toEqual(more);
    }
  });

  test('with detail it searches for the pairs', () => {
    const text = JSON.stringify(bodyOf(optionsOf('lambda', { detail: true })));
    expect(text).toContain('{ServerlessPvController,namespace,service,stage,storage_class,volume_attributes_class}');
    expect(JSON.stringify(bodyOf(optionsOf()))).not.toContain('SEARCH');
  });

  test('shows all alarms, and refers to nothing that is not there', () => {
    const options = optionsOf('container');
    const { Resources } = monitoringResources(options);
    const queues = ['VolumesQueue', 'ClaimsQueue', 'VolumesDeadLetterQueue', 'ClaimsDeadLetterQueue'];
    const { Dashboard } = ofType('AWS::CloudWatch::Dashboard', options);
    const references = [...JSON.stringify(Dashboard).matchAll(/\$\{(\w+)\.\w+\}/g)].map(([, id]) => String(id));
    for (const id of references) expect([...queues, ...Object.keys(Resources)]).toContain(id);
    expect(references).toEqual(expect.arrayContaining(Object.keys(alarms(options))));
  });

  test('no widget lies on another, or beside the grid', () => {
    const cells = bodyOf(optionsOf('lambda', { detail: true })).widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, i) => `${x + (i % width)},${y + Math.floor(i / width)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...cells.map((cell) => Number(cell.split(',')[0])))).toBeLessThan(24);
  });
});
