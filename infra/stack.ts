/**
 * What serverless.yml needs and YAML cannot compute: the checked stage file, the functions' environment, and which file of
 * infra/options/ stands for each choice that a stage makes.
 */
import { environmentOf, type Variable } from './environment.ts';
import { monitoringResources } from './monitoring/index.ts';
import { deadLetterName, SERVICE } from './names.ts';
import { readStageConfig, type StageConfig } from './stage-config.ts';

/** Visibility is this many function time-outs (DESIGN D1): what AWS asks for, so that a retried batch is not handed out twice. */
const VISIBILITY_TIMEOUTS = 6;

/** The values of `${self:custom.stack…}` in serverless.yml and infra/*.yml. */
export interface Stack {
  readonly config: StageConfig;
  readonly environment: Readonly<Record<string, Variable>>;
  readonly deadLetterQueues: { readonly volumes: string; readonly claims: string };
  readonly visibilitySeconds: number;
  /** File names in infra/options/, without `.yml`. */
  readonly option: Readonly<
    Record<'bridge' | 'identity' | 'encryption' | 'operator' | 'endpoint' | 'network' | 'tracing' | 'audit', string>
  >;
  /** For irsa: whose token of the cluster's OIDC provider the role accepts. The names hold the provider's address. */
  readonly tokenConditions: Readonly<Record<string, string>>;
  readonly monitoring: { readonly Resources: object; readonly Outputs?: object };
}

/** The container's ServiceAccount, in infra/kubernetes. */
const BRIDGE_ACCOUNT = { namespace: 'pv-controller', name: 'pv-controller-bridge' };

/** @throws StageConfigError when the stage's file is not right. */
export function stackOf(stage: string, configDirectory: string): Stack {
  const config = readStageConfig(stage, configDirectory);
  const { bridge, queues, cluster } = config;
  return {
    config,
    environment: environmentOf(config, stage),
    deadLetterQueues: { volumes: deadLetterName(queues.volumes), claims: deadLetterName(queues.claims) },
    visibilitySeconds: VISIBILITY_TIMEOUTS * config.workers.timeoutSeconds,
    option: {
      bridge: `bridge-${bridge.host}`,
      identity: bridge.host === 'lambda' ? 'identity-lambda' : `identity-${bridge.identity}`,
      encryption: `encryption-${queues.encryption}`,
      operator: queues.operatorRoleArn === undefined ? 'operator-none' : 'operator-role',
      endpoint: cluster.endpoint === undefined ? 'endpoint-asked' : 'endpoint-given',
      network: config.vpc === undefined ? 'network-public' : 'network-vpc',
      tracing: config.tracing ? 'tracing-on' : 'tracing-off',
      audit: auditOption(config.audit.bus),
    },
    tokenConditions: tokenConditions(bridge.oidcProviderArn),
    // Of either host: the function's, or the container's.
    monitoring: monitoringResources({ service: SERVICE, stage, config, bridgeLogGroup: { Ref: 'BridgeLogGroup' } }),
  };
}

function auditOption(bus: string | undefined): string {
  if (bus === undefined) return 'audit-log';
  return bus.startsWith('arn:') ? 'audit-bus-arn' : 'audit-bus';
}

function tokenConditions(providerArn: string | undefined): Readonly<Record<string, string>> {
  const issuer = providerArn?.split(':oidc-provider/')[1];
  if (issuer === undefined) return {};
  const { namespace, name } = BRIDGE_ACCOUNT;
  return { [`${issuer}:aud`]: 'sts.amazonaws.com', [`${issuer}:sub`]: `system:serviceaccount:${namespace}:${name}` };
}
