/** What both tests deploy: the stack's functions, as identities of a cluster of their own. */
import type { Principal } from '../aws/authenticator.ts';
import type { AccessKey } from '../aws/sigv4.ts';
import { pseudoParameters, region } from '../stack/account.ts';
import {
  type FunctionKey,
  type FunctionProperties,
  functionKeys,
  principalOf,
  propertiesOf,
  randomKey,
} from '../stack/functions.ts';
import type { Template, Values } from '../stack/template.ts';

/** Who the functions are, and the cluster that their access entries are for. */
export interface Identities {
  readonly principals: Readonly<Record<FunctionKey, Principal>>;
  readonly clusterName: string;
}

/** @param keysOf the keys of each function; made up unless given. */
export function identitiesOf(template: Template, keysOf: (key: FunctionKey) => AccessKey = randomKey): Identities {
  const principals = byFunction((key) => principalOf(template, key, keysOf(key)));
  const names = new Set(template.all('AWS::EKS::AccessEntry').map(([, { ClusterName }]) => ClusterName as string));
  const [clusterName = '', ...others] = names;
  if (others.length > 0) throw new Error(`the access entries are for several clusters: ${[...names].join(', ')}`);
  return { principals, clusterName };
}

/** What the template says of every function, with the queues that are there. */
export function functionsOf(template: Template, queues: Values): Readonly<Record<FunctionKey, FunctionProperties>> {
  return byFunction((key) => propertiesOf(template, key, { ...pseudoParameters, ...queues }));
}

function byFunction<T>(make: (key: FunctionKey) => T): Readonly<Record<FunctionKey, T>> {
  return Object.fromEntries(functionKeys.map((key) => [key, make(key)])) as Record<FunctionKey, T>;
}

/** What Lambda adds to a function's variables. */
export function platformVariables({ accessKeyId, secretAccessKey, sessionToken }: Principal): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  };
}
