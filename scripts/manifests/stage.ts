/** What a stage needs in its cluster: the rights of its mode, and the bridge where it is a container. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { environmentOf, type Variable } from '../../infra/environment.ts';
import { SERVICE } from '../../infra/names.ts';
import type { StageConfig } from '../../infra/stage-config.ts';
import { awsHost } from '../../lib/cluster/aws-signer.ts';
import { maxModeOf } from '../../lib/worker/mode.ts';
import { inNamespace, kustomize, type Manifest } from './kustomize.ts';

/** What only the user knows; needed for `bridge.host: container` alone. */
export interface ContainerOptions {
  /** Of AWS, twelve digits. */
  readonly account: string;
  /** Repository with a tag or a digest. */
  readonly image: string;
  /** For `bridge.identity: irsa`. */
  readonly roleArn?: string | undefined;
  readonly networkPolicy: boolean;
}

const KUBERNETES = resolve(import.meta.dirname, '../../infra/kubernetes');
/** These are for the functions: a pod knows its own API server, and its service account says who it is. */
const NOT_FOR_PODS = new Set(['PV_CLUSTER_NAME', 'PV_CLUSTER_ENDPOINT', 'PV_CLUSTER_CA']);

/** The log group of the stack (infra/options/bridge-container.yml). */
export function bridgeLogGroup(stage: string): string {
  return `/aws/${SERVICE}/${stage}/bridge`;
}

/** All objects of a stage, namespaces first. @param container undefined: the bridge is a Lambda. */
export function stageManifests(
  stage: string,
  config: StageConfig,
  container: ContainerOptions | undefined,
): Manifest[] {
  const { recycling } = config;
  const most = maxModeOf({ mode: config.mode, maxMode: config.modeMax });
  // Assist writes what enforce writes, less often; it makes no pods.
  const objects = kustomize(join(KUBERNETES, most === 'observe' ? 'observe' : 'enforce'));
  if (recycling.enabled) {
    const rights = join(KUBERNETES, 'recycling', most === 'enforce' ? 'enforce' : 'observe');
    objects.push(...inNamespace(kustomize(rights), recycling.namespace));
  }
  if (container !== undefined) objects.push(...bridgeManifests(stage, config, container));
  const isNamespace = ({ kind }: Manifest) => Number(kind === 'Namespace');
  return objects.sort((a, b) => isNamespace(b) - isNamespace(a));
}

function bridgeManifests(stage: string, config: StageConfig, container: ContainerOptions): Manifest[] {
  const { account, image, roleArn, networkPolicy } = container;
  const parts = [...(roleArn === undefined ? [] : ['irsa']), ...(networkPolicy ? ['network-policy'] : [])];
  const directory = join(KUBERNETES, 'bridge');
  const objects = kustomize(
    directory,
    parts.map((part) => join(directory, part)),
  );
  const data = bridgeSettings(stage, config, account);
  for (const object of objects) {
    if (object.kind === 'ConfigMap') object['data'] = data;
    if (object.kind === 'Deployment') fillIn(object, image, data);
    if (object.kind === 'ServiceAccount' && roleArn !== undefined) {
      object.metadata.annotations = { 'eks.amazonaws.com/role-arn': roleArn };
    }
  }
  return objects;
}

/** The bridge's environment, by the same rules as the functions'. */
export function bridgeSettings(stage: string, config: StageConfig, account: string): Record<string, string> {
  const { region, queues } = config;
  const queueUrl = (name: string) => `https://${awsHost('sqs', region)}/${account}/${name}`;
  const queueUrls: Readonly<Record<string, string>> = {
    VolumesQueue: queueUrl(queues.volumes),
    ClaimsQueue: queueUrl(queues.claims),
  };
  // The bridge has nothing to do with dead letters.
  const textOf = (variable: Variable) => (typeof variable === 'string' ? variable : queueUrls[variable.Ref]);
  const entries = Object.entries(environmentOf(config, stage))
    .map(([name, variable]) => [name, textOf(variable)] as const)
    .filter((entry): entry is [string, string] => entry[1] !== undefined && !NOT_FOR_PODS.has(entry[0]));
  return { AWS_REGION: region, ...Object.fromEntries(entries), PV_BRIDGE_LOG_GROUP: bridgeLogGroup(stage) };
}

interface PodTemplate {
  readonly template: {
    readonly metadata: { annotations?: Record<string, string> };
    readonly spec: { readonly containers: { image: string }[] };
  };
}

/** The settings' hash makes Kubernetes replace the pods when one of them changes. */
function fillIn(deployment: Manifest, image: string, settings: object): void {
  const { template } = deployment['spec'] as PodTemplate;
  const hash = createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16);
  template.metadata.annotations = { 'pv-controller.serverless/settings': hash };
  for (const container of template.spec.containers) container.image = image;
}
