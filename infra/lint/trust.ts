/** Who may take a role: Lambda, or the one pod that is the bridge. */
import type { Statement } from './roles.ts';
import { type Finding, listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

/** The container's ServiceAccount, in infra/kubernetes. */
const NAMESPACE = 'pv-controller';
const SERVICE_ACCOUNT = 'pv-controller-bridge';
/** IAM knows a provider by its issuer, which the conditions' keys begin with. */
const PROVIDER = ':oidc-provider/';

type Principals = Readonly<Record<string, unknown>>;

export const TRUST: Rule = {
  name: 'trust',
  check: (template) => [
    ...associations(template),
    ...ofType(template, 'AWS::IAM::Role').flatMap(({ id, properties }) => {
      const { Statement } = properties['AssumeRolePolicyDocument'] as { Statement: readonly Statement[] };
      return listOf(Statement)
        .filter(({ Effect }) => Effect === 'Allow')
        .flatMap((statement) => trust(template, id, statement))
        .map((says) => ({ resource: id, says }));
    }),
  ],
};

/** Which pod EKS gives a role to. */
function associations(template: Template): Finding[] {
  return ofType(template, 'AWS::EKS::PodIdentityAssociation')
    .filter(
      ({ properties }) => properties['Namespace'] !== NAMESPACE || properties['ServiceAccount'] !== SERVICE_ACCOUNT,
    )
    .map(({ id }) => ({
      resource: id,
      says: `is not for ${NAMESPACE}/${SERVICE_ACCOUNT}, the bridge’s ServiceAccount`,
    }));
}

function trust(template: Template, role: string, { Principal, Condition }: Statement): string[] {
  const principals: Principals = (typeof Principal === 'object' ? Principal : { AWS: Principal }) ?? {};
  const isOfFunction = ofType(template, 'AWS::Lambda::Function').some(
    ({ properties }) => targetOf(properties['Role'], 'Arn') === role,
  );
  const isForLambda = JSON.stringify(principals) === '{"Service":"lambda.amazonaws.com"}';
  const meant = isOfFunction ? 'Lambda' : 'the bridge’s pod';
  const found = isOfFunction === isForLambda ? [] : [`does not trust ${meant} and nobody else`];
  const others = Object.entries(principals).flatMap(([kind, value]) =>
    listOf(value).flatMap((one) => {
      if (kind === 'Service' && one === 'lambda.amazonaws.com') return [];
      if (kind === 'Service' && one === 'pods.eks.amazonaws.com') return exactly(Condition, podTags(template));
      if (kind === 'Federated' && String(one).includes(PROVIDER)) return exactly(Condition, tokenClaims(String(one)));
      return [`trusts ${JSON.stringify({ [kind]: one })}`];
    }),
  );
  return [...found, ...others];
}

/** EKS Pod Identity tags the session with where the pod is (infra/options/identity-pod-identity.yml). */
function podTags(template: Template): Principals {
  const [entry] = ofType(template, 'AWS::EKS::AccessEntry');
  return {
    'aws:RequestTag/eks-cluster-name': entry?.properties['ClusterName'],
    'aws:RequestTag/kubernetes-namespace': NAMESPACE,
    'aws:RequestTag/kubernetes-service-account': SERVICE_ACCOUNT,
  };
}

function tokenClaims(provider: string): Principals {
  const issuer = provider.split(PROVIDER)[1];
  return {
    [`${issuer}:aud`]: 'sts.amazonaws.com',
    [`${issuer}:sub`]: `system:serviceaccount:${NAMESPACE}:${SERVICE_ACCOUNT}`,
  };
}

/** `StringLike` would take wildcards, and a condition `IfExists` is none for who leaves the key out. */
function exactly(condition: unknown, wanted: Principals): string[] {
  const { StringEquals = {} } = (condition ?? {}) as { StringEquals?: Principals };
  return Object.entries(wanted)
    .filter(([key, value]) => value === undefined || StringEquals[key] !== value)
    .map(([key, value]) => `trusts other pods than the bridge: StringEquals must have ${key}: ${value}`);
}
