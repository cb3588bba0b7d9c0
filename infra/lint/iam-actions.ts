/**
 * Least privilege, both ways: what a function's code calls (found in its bundle) and what the platform does in its role's
 * name is what its role is allowed, no less and no more.
 */

import { statementsOf, WITHOUT_RESOURCES } from './roles.ts';
import { listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

/** A built bundle: its text, and the source files with something left in it (esbuild's metafile). */
export interface Bundle {
  readonly text: string;
  readonly sources: readonly string[];
  /** Files that import lib/cluster/aws-signer.ts. */
  readonly signers: readonly string[];
}

/** Bundles by name: `volume-worker`, …, `bridge-container`. */
export type Bundles = Readonly<Record<string, Bundle>>;

/** IAM's name of what a client's commands are part of. */
const SERVICE_OF_CLIENT: Readonly<Record<string, string>> = { 'client-sqs': 'sqs', 'client-cloudwatch-logs': 'logs' };

/** Commands whose permission has another name. */
const ACTION_OF_BATCH = /^(SendMessage|ChangeMessageVisibility|DeleteMessage)Batch$/;

/** AWS requests that are signed by hand: where, a text that is in the bundle where the code is used, and the action. */
const BY_HAND = [
  { source: 'lib/cluster/eks-cluster.ts', text: '/clusters/', action: 'eks:DescribeCluster' },
  { source: 'lib/audit/put-events.ts', text: 'AWSEvents.PutEvents', action: 'events:PutEvents' },
];

/** It signs a URL that the API server uses; STS asks for no permission there. */
const SIGNS_A_TOKEN = 'lib/cluster/eks-token.ts';

/** @throws Error for a client that this table does not know, or a request that is signed by hand and not in it. */
export function actionsOf({ text, sources, signers }: Bundle): Set<string> {
  const actions = new Set<string>();
  for (const source of sources) {
    // What asks for credentials (nested-clients: sso, sts) acts before there is a role.
    const [, client = '', command = ''] =
      source.match(/@aws-sdk\/(client-[^/]+)\/.*\/commands\/(\w+)Command\.js$/) ?? [];
    if (client === '') continue;
    const service = SERVICE_OF_CLIENT[client];
    if (service === undefined) throw new Error(`${client} is new: add IAM’s name of it to SERVICE_OF_CLIENT`);
    actions.add(`${service}:${command.replace(ACTION_OF_BATCH, '$1')}`);
  }
  for (const { source, text: trace, action } of BY_HAND) {
    if (sources.includes(source) && text.includes(trace)) actions.add(action);
  }
  const known = [...BY_HAND.map(({ source }) => source), SIGNS_A_TOKEN];
  const unknown = signers.filter((file) => !known.includes(file));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} signs requests to AWS: add its action to BY_HAND`);
  return actions;
}

/** @param bundles of the build whose template is checked. */
export function actionsRule(bundles: Bundles): Rule {
  return {
    name: 'IAM actions',
    check: (template) =>
      ofType(template, 'AWS::IAM::Role').flatMap(({ id }) => {
        const { name, needed } = neededBy(template, id, bundles);
        if (name === undefined) return [{ resource: id, says: 'is nobody’s role' }];
        const allowed = new Set(
          statementsOf(template, id).flatMap(({ Effect, Action }) => (Effect === 'Allow' ? listOf(Action) : [])),
        );
        return [
          ...[...needed]
            .filter((action) => !allowed.has(action))
            .map((action) => `is not allowed ${action}, which ${name} needs`),
          ...[...allowed]
            .filter((action) => !needed.has(action))
            .map((action) => `is allowed ${action}, which ${name} never uses`),
        ].map((says) => ({ resource: id, says }));
      }),
  };
}

/** Who takes a role, a function or the container, and what it needs. */
function neededBy(template: Template, role: string, bundles: Bundles): { name?: string; needed: Set<string> } {
  const owner = ofType(template, 'AWS::Lambda::Function').find(
    ({ properties }) => targetOf(properties['Role'], 'Arn') === role,
  );
  if (owner === undefined && role !== 'BridgeRole') return { needed: new Set() };
  const name = owner === undefined ? 'bridge-container' : (String(owner.properties['Handler']).split('/')[1] ?? '');
  const needed = actionsOf(bundleOf(bundles, name));
  for (const action of platformActions(template, owner)) needed.add(action);
  const { Variables = {} } = (owner?.properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
  if (Variables['PV_CLUSTER_ENDPOINT'] !== undefined) needed.delete('eks:DescribeCluster');
  if (!hasBus(template)) needed.delete('events:PutEvents');
  for (const action of keyActions(template, needed)) needed.add(action);
  return { name, needed };
}

/** All functions are told of the bus, and the container what they are told. */
function hasBus(template: Template): boolean {
  return ofType(template, 'AWS::Lambda::Function').some(({ properties }) => {
    const { Variables = {} } = (properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
    return Variables['PV_AUDIT_BUS'] !== undefined;
  });
}

function bundleOf(bundles: Bundles, name: string): Bundle {
  const bundle = bundles[name];
  if (bundle === undefined) throw new Error(`the bundle ${name} was not built`);
  return bundle;
}

/** What Lambda does in the role's name, before and around the code. */
function platformActions(
  template: Template,
  owner: { id: string; properties: Record<string, unknown> } | undefined,
): string[] {
  if (owner === undefined) return [];
  const { id, properties } = owner;
  const isPolled = ofType(template, 'AWS::Lambda::EventSourceMapping').some(
    (one) => targetOf(one.properties['FunctionName']) === id,
  );
  const tracing = properties['TracingConfig'] as { Mode?: string } | undefined;
  return [
    'logs:CreateLogStream',
    'logs:PutLogEvents',
    ...(isPolled ? ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'] : []),
    ...(tracing?.Mode === 'Active' ? WITHOUT_RESOURCES.tracing : []),
    ...(properties['VpcConfig'] === undefined ? [] : WITHOUT_RESOURCES.network),
  ];
}

/** What SQS does with a customer's key in the name of who sends or receives. */
function keyActions(template: Template, needed: ReadonlySet<string>): string[] {
  const hasKey = ofType(template, 'AWS::SQS::Queue').some(
    ({ properties }) => properties['KmsMasterKeyId'] !== undefined,
  );
  if (!hasKey) return [];
  return [
    ...(needed.has('sqs:SendMessage') ? ['kms:GenerateDataKey', 'kms:Decrypt'] : []),
    ...(needed.has('sqs:ReceiveMessage') ? ['kms:Decrypt'] : []),
  ];
}
