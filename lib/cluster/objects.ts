/** What comes back from the API server as objects: pages of a list, and the same form for all of them. */
import { AmbiguousError } from '../controller/errors.ts';
import type { ApiResponse } from './request.ts';
import type { ResourceType } from './resources.ts';
import { jsonOf } from './status.ts';

/** The least that every object has. */
export interface Resource {
  kind?: string;
  apiVersion?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    managedFields?: unknown;
  };
}

/** What a page of a list tells besides its items. */
export interface PageInfo {
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly continue: string;
  /** Items that follow; absent where the server does not count. */
  readonly remainingItemCount: number | undefined;
}

/**
 * Sets what list items and watch frames lack, and drops what nobody reads unless he asks for it: who manages which field.
 * A PUT without that keeps the stored one.
 */
export function normalize<T extends Resource>(type: ResourceType, object: T, withManagers = false): T {
  if (!withManagers) delete object.metadata.managedFields;
  object.kind ??= type.kind;
  object.apiVersion ??= type.apiVersion;
  return object;
}

/** One page. @throws AmbiguousError when the answer is no list of that type. */
export function listIn<T extends Resource, U>(
  response: ApiResponse,
  type: ResourceType,
  what: string,
  map: (item: T) => U,
  withManagers = false,
): { items: U[]; info: PageInfo } {
  const list = jsonOf(response.body);
  const metadata = (list?.['metadata'] ?? {}) as Record<string, unknown>;
  const items = list?.['items'] ?? [];
  const { resourceVersion } = metadata;
  const expected = list?.['kind'] === `${type.kind}List` && list['apiVersion'] === type.apiVersion;
  if (!expected || !Array.isArray(items) || typeof resourceVersion !== 'string' || resourceVersion === '') {
    throw new AmbiguousError(`${what}: the answer is no ${type.kind}List of ${type.apiVersion}`, {
      code: response.status,
    });
  }
  const info: PageInfo = {
    resourceVersion,
    continue: typeof metadata['continue'] === 'string' ? metadata['continue'] : '',
    remainingItemCount: typeof metadata['remainingItemCount'] === 'number' ? metadata['remainingItemCount'] : undefined,
  };
  return { items: items.map((item: T) => map(checked(type, item, what, withManagers))), info };
}

function checked<T extends Resource>(type: ResourceType, item: T, what: string, withManagers: boolean): T {
  const { name, resourceVersion } = item?.metadata ?? {};
  if (typeof name !== 'string' || typeof resourceVersion !== 'string') {
    throw new AmbiguousError(`${what}: an item of the list has no name or resourceVersion`);
  }
  return normalize(type, item, withManagers);
}
