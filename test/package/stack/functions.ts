/** The functions of the stack: their zips unpacked, with the settings and the identity that the template gives them. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import type { Principal } from '../aws/authenticator.ts';
import type { AccessKey } from '../aws/sigv4.ts';
import type { PackagedFunction } from '../lambda/slot.ts';
import { account } from './account.ts';
import { resolve, type Template, type Values } from './template.ts';

export const functionKeys = ['volumeWorker', 'claimWorker', 'bridge', 'resync'] as const;

/** A function by its name in serverless.yml. */
export type FunctionKey = (typeof functionKeys)[number];

/** A function's resource in the template. */
export function logicalId(key: FunctionKey): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}LambdaFunction`;
}

/** What the template says of a function. */
export interface FunctionProperties {
  readonly FunctionName: string;
  readonly Handler: string;
  readonly Runtime: string;
  readonly MemorySize: number;
  readonly Timeout: number;
  readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
}

/** @param values of everything that its variables refer to. @throws Error for a reference that is not in there. */
export function propertiesOf(template: Template, key: FunctionKey, values: Values): FunctionProperties {
  const { FunctionName, Handler, Runtime, MemorySize, Timeout, Environment } = template.get(
    logicalId(key),
    'AWS::Lambda::Function',
  );
  return resolve({ FunctionName, Handler, Runtime, MemorySize, Timeout, Environment }, values) as FunctionProperties;
}

/** Unpacks a function's zip below `directory`, ready for an environment. */
export async function unpack(
  zip: string,
  { FunctionName, Handler, MemorySize, Timeout, Environment }: FunctionProperties,
  directory: string,
): Promise<PackagedFunction> {
  for (const [name, bytes] of Object.entries(unzipSync(await readFile(zip)))) {
    if (name.endsWith('/')) continue;
    const file = join(directory, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return {
    name: FunctionName,
    handler: Handler,
    directory,
    memoryMb: MemorySize,
    timeoutSeconds: Timeout,
    environment: Environment.Variables,
  };
}

/** Keys as STS gives them to a role's session. */
export function randomKey(): AccessKey {
  return {
    accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64'),
    sessionToken: randomBytes(300).toString('base64'),
  };
}

/**
 * Who a function is: its keys, and the groups of the access entry that the template makes for its role.
 * @throws Error when its role has no access entry.
 */
export function principalOf(template: Template, key: FunctionKey, keys: AccessKey): Principal {
  const role = roleOf(template, key);
  const entries = template.all('AWS::EKS::AccessEntry').filter(([, entry]) => roleIn(entry['PrincipalArn']) === role);
  const groups = entries.flatMap(([, entry]) => entry['KubernetesGroups'] as string[]);
  if (groups.length === 0) throw new Error(`the role ${role} of ${key} has no access entry with groups`);
  return { ...keys, username: `arn:aws:sts::${account}:assumed-role/${role}/${key}`, groups };
}

/** The logical id of a function's role. */
export function roleOf(template: Template, key: FunctionKey): string {
  return roleIn(template.get(logicalId(key), 'AWS::Lambda::Function')['Role']);
}

/** The logical id of the role in an expression for its ARN. */
function roleIn(expression: unknown): string {
  const { 'Fn::GetAtt': attribute } = (expression ?? {}) as { 'Fn::GetAtt'?: string | string[] };
  const [role = '', name] = [attribute ?? ''].flat().join('.').split('.');
  if (name !== 'Arn') throw new Error(`no role is meant by ${JSON.stringify(expression)}`);
  return role;
}
