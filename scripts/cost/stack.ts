/** What the stack itself says: the numbers of the cost page that stand in the code, read from there. */
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { monitoringResources } from '../../infra/monitoring/index.ts';
import { SERVICE } from '../../infra/names.ts';
import { parseStageConfig } from '../../infra/stage-config.ts';
import { callsPerEnvironment } from '../../lib/cluster/rate-limit-budget.ts';
import { METRICS, type Metric } from '../../lib/observability/catalogue.ts';
import { SETTINGS } from '../../lib/settings.ts';

/** The stack in numbers, with the defaults of a stage file. */
export interface Stack {
  readonly functions: number;
  readonly queues: number;
  readonly bridgeMemoryMb: number;
  readonly bridgeEverySeconds: number;
  /** Its time-out: it ends a little earlier. */
  readonly bridgeRunSeconds: number;
  readonly resyncEverySeconds: number;
  readonly workerMemoryMb: number;
  /** Of one environment, to the API server. */
  readonly callsPerSecond: number;
  /** Names that each stage sends once, without cold starts and detail. */
  readonly metrics: number;
  /** Names that are sent for each pair of namespace and storage class. */
  readonly detailMetrics: number;
  readonly alarms: number;
  readonly sweepSeconds: number;
  readonly replicas: number;
  readonly podCpu: number;
  readonly podGib: number;
}

interface ServerlessFunction {
  readonly timeout: number;
  readonly events: readonly { readonly schedule?: string; readonly sqs?: object }[];
}

const STAGE = 'example';
const MINIMAL_STAGE_FILE = 'region: us-east-1\ncluster:\n  name: example\n';
const SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: 3_600, day: 86_400 };

/** @throws Error where a file of the stack is not as this expects it. */
export function readStack(): Stack {
  const config = parseStageConfig(MINIMAL_STAGE_FILE, 'a stage file', STAGE);
  const serverless = readYaml('serverless.yml') as { functions: readonly Record<string, ServerlessFunction>[] };
  const own = Object.assign({}, ...serverless.functions.filter((part) => typeof part === 'object'));
  const { functions: bridges } = readYaml('infra/options/bridge-lambda.yml') as {
    functions: { bridge: ServerlessFunction };
  };
  const functions: Record<string, ServerlessFunction> = { ...own, ...bridges };
  const { Resources } = monitoringResources({ service: SERVICE, stage: STAGE, config });
  const metrics = Object.values<Metric>(METRICS);
  return {
    functions: Object.keys(functions).length,
    queues: Object.values(functions).filter(({ events }) => events.some(({ sqs }) => sqs !== undefined)).length,
    bridgeMemoryMb: config.bridge.memoryMb,
    bridgeEverySeconds: periodOf(bridges.bridge),
    bridgeRunSeconds: bridges.bridge.timeout,
    resyncEverySeconds: periodOf(functions['resync']),
    workerMemoryMb: config.workers.memoryMb,
    callsPerSecond: config.workers.apiCallsPerSecond ?? callsPerEnvironment(config.workers.maximumConcurrency),
    metrics: metrics.filter(({ dimensions }) => dimensions === undefined).length,
    detailMetrics: metrics.filter(({ detail }) => detail?.includes('namespace')).length,
    alarms: Object.values(Resources).filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm').length,
    sweepSeconds: SETTINGS.sweepPeriodMs.default / 1_000,
    ...readDeployment(),
  };
}

function readDeployment() {
  const { spec } = readYaml('infra/kubernetes/bridge/deployment.yaml') as {
    spec: {
      replicas: number;
      template: { spec: { containers: [{ resources: { requests: Record<string, string> } }] } };
    };
  };
  const { cpu = '', memory = '' } = spec.template.spec.containers[0].resources.requests;
  return { replicas: spec.replicas, podCpu: amountOf(cpu, 'm', 1_000), podGib: amountOf(memory, 'Mi', 1_024) };
}

function amountOf(text: string, unit: string, perWhole: number): number {
  const [, digits] = new RegExp(`^(\\d+)${unit}$`).exec(text) ?? [];
  if (digits === undefined) throw new Error(`infra/kubernetes/bridge/deployment.yaml: cannot read ${text} in ${unit}`);
  return Number(digits) / perWhole;
}

function periodOf(scheduled: ServerlessFunction | undefined): number {
  const rate = scheduled?.events.find(({ schedule }) => schedule !== undefined)?.schedule;
  const [, count, unit = ''] = /^rate\((\d+) (\w+?)s?\)$/.exec(rate ?? '') ?? [];
  const seconds = SECONDS[unit];
  if (seconds === undefined) throw new Error(`cannot read the schedule ${rate}: it must be like rate(5 minutes)`);
  return Number(count) * seconds;
}

/** With the tags of CloudFormation taken for plain values. */
function readYaml(path: string): unknown {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  return parseDocument(text, { logLevel: 'silent' }).toJS();
}
