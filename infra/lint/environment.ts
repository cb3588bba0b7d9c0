/** What the functions are told, and what the container's host is (outputs): which queue is which, and which cluster. */
import { SETTINGS } from '../../lib/settings.ts';
import { type Finding, ofType, type Rule, type Template, targetOf } from './template.ts';

/** A queue by the variable that every function asks for (functions/environment.ts). */
const QUEUES: Readonly<Record<string, string>> = {
  PV_VOLUMES_QUEUE_URL: 'VolumesQueue',
  PV_CLAIMS_QUEUE_URL: 'ClaimsQueue',
  PV_VOLUMES_DEAD_LETTER_URL: 'VolumesDeadLetterQueue',
  PV_CLAIMS_DEAD_LETTER_URL: 'ClaimsDeadLetterQueue',
};

/** The same by the output that the bridge's container is configured from. */
const OUTPUTS: Readonly<Record<string, string>> = {
  VolumesQueueUrl: 'VolumesQueue',
  ClaimsQueueUrl: 'ClaimsQueue',
  VolumesDeadLetterUrl: 'VolumesDeadLetterQueue',
  ClaimsDeadLetterUrl: 'ClaimsDeadLetterQueue',
};

const KNOWN = Object.values(SETTINGS).map(({ variable }) => variable as string);

export const ENVIRONMENT: Rule = {
  name: 'environment',
  check: (template) => [...variables(template), ...outputs(template)],
};

function variables(template: Template): Finding[] {
  const entries = ofType(template, 'AWS::EKS::AccessEntry').map(({ properties }) => properties);
  return ofType(template, 'AWS::Lambda::Function').flatMap(({ id, properties }) => {
    const { Variables: given = {} } = (properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
    const found = Object.entries(QUEUES)
      .filter(([name, queue]) => !isUrlOf(queue, given[name]))
      .map(([name, queue]) => `is told ${name}: ${JSON.stringify(given[name])} instead of the URL of ${queue}`);
    for (const name of ['PV_STAGE', 'PV_CLUSTER_NAME']) {
      if (typeof given[name] !== 'string' || given[name] === '') found.push(`is not told ${name}`);
    }
    const role = targetOf(properties['Role'], 'Arn');
    for (const { ClusterName } of entries.filter(({ PrincipalArn }) => targetOf(PrincipalArn, 'Arn') === role)) {
      if (given['PV_CLUSTER_NAME'] === ClusterName) continue;
      found.push(`is told PV_CLUSTER_NAME: ${given['PV_CLUSTER_NAME']}; its access entry is in ${ClusterName}`);
    }
    const unknown = Object.keys(given).filter((name) => name.startsWith('PV_') && !KNOWN.includes(name));
    found.push(...unknown.map((name) => `is told ${name}, which is not in lib/settings.ts`));
    return found.map((says) => ({ resource: id, says }));
  });
}

function outputs({ Outputs = {} }: Template): Finding[] {
  return Object.entries(OUTPUTS)
    .filter(([name, queue]) => !isUrlOf(queue, Outputs[name]?.Value))
    .map(([resource, queue]) => ({ resource, says: `is not the URL of ${queue}` }));
}

/** A queue's `Ref` is its URL. */
function isUrlOf(queue: string, value: unknown): boolean {
  return (value as { Ref?: unknown } | undefined)?.Ref === queue;
}
