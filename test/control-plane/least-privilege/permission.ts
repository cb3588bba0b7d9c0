/** What the roles of infra/kubernetes allow, verb by verb, and how one verb is taken away on a running API server. */

import type { ApiClient, ControlPlane } from '../harness.ts';
import type { FunctionName } from '../identities.ts';
import { eventually } from '../objects.ts';
import {
  applyManifest,
  isRole,
  type Manifest,
  type Part,
  type RoleManifest,
  type Rule,
  rendered,
} from '../permissions.ts';

/** One verb on one resource that one role gives to one function. */
export interface Permission {
  readonly identity: FunctionName;
  /** As scenarios name it: `update persistentvolumes/status`, `get pods in pv-recycler`. */
  readonly name: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource after a slash, as in a rule. */
  readonly resource: string;
  /** Only there; everywhere when absent. */
  readonly namespace?: string;
  /** Only these objects; all when absent. */
  readonly resourceNames?: readonly string[];
  readonly role: RoleManifest;
}

/** All that these parts allow, in the order in which the rules say it. */
export async function permissionsOf(...parts: readonly Part[]): Promise<Permission[]> {
  const manifests = (await Promise.all(parts.map(rendered))).flat();
  return manifests.filter(isRole).flatMap(permissionsIn);
}

function permissionsIn(role: RoleManifest): Permission[] {
  const { name, namespace } = role.metadata;
  const identity = name.split(':')[1] as FunctionName;
  const place = namespace === undefined ? {} : { namespace };
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return role.rules.flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => ({
          identity,
          name: `${verb} ${resource}${where}`,
          verb,
          group,
          resource,
          ...place,
          ...(resourceNames && { resourceNames }),
          role,
        })),
      ),
    ),
  );
}

/** Takes it out of its role and waits until the API server knows. @returns what gives it back, likewise. */
export async function takeAway(plane: ControlPlane, permission: Permission): Promise<() => Promise<void>> {
  const { role } = permission;
  await applyManifest(plane.client(), { ...role, rules: rulesWithout(permission) } as Manifest);
  await untilAllowed(plane, permission, false);
  return async () => {
    await applyManifest(plane.client(), role);
    await untilAllowed(plane, permission, true);
  };
}

function rulesWithout({ role, name }: Permission): Rule[] {
  return permissionsIn(role)
    .filter((other) => other.name !== name)
    .map(({ group, resource, verb, resourceNames }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: [verb],
      ...(resourceNames && { resourceNames }),
    }));
}

async function untilAllowed(plane: ControlPlane, permission: Permission, wanted: boolean): Promise<void> {
  const { identity, name } = permission;
  const client = plane.client(identity);
  await eventually(`${identity} ${wanted ? 'may' : 'may not'} ${name}`, async () => {
    return (await isAllowed(client, permission)) === wanted;
  });
}

/** Whether the API server allows it to whom the client is, or to another user. */
export async function isAllowed(client: ApiClient, permission: Permission, user?: string): Promise<boolean> {
  const { verb, group, namespace, resourceNames: [name] = [] } = permission;
  const [resource, subresource] = permission.resource.split('/');
  const kind = user === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const path = `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`;
  const resourceAttributes = { verb, group, resource, subresource, namespace, name };
  const { body } = await client.request<{ status: { allowed: boolean } }>('POST', path, {
    apiVersion: 'authorization.k8s.io/v1',
    kind,
    spec: { resourceAttributes, user },
  });
  return body.status.allowed;
}
