/** Whether a request means the object that it meets. */
import { badRequest, conflict } from './errors.ts';
import type { ApiObject } from './json.ts';
import type { DeleteOptions, Target } from './operations.ts';
import { type Resource, storageKey } from './resources.ts';

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

/** Whoever names a uid or a resourceVersion means that very object, in that very state. */
export function checkVersion({ resource, namespace, name }: Target, draft: ApiObject, old: ApiObject): void {
  const { uid, resourceVersion } = draft.metadata;
  if (uid && uid !== old.metadata.uid) {
    const why =
      `StorageError: invalid object, Code: 4, Key: /registry/${resource.plural}/${storageKey(namespace, name)}, ` +
      'ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ' +
      `UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
    throw conflict(resource, name, why);
  }
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw conflict(resource, name, modified);
}

/** Checks the preconditions of a deletion. */
export function checkPreconditions(
  resource: Resource,
  old: ApiObject,
  wanted: DeleteOptions['preconditions'] = {},
): void {
  const { name, uid, resourceVersion } = old.metadata;
  // Here the real server names the kind, where all other conflicts name the resource.
  const fail = (why: string) => conflict({ ...resource, plural: resource.kind }, name, why);
  if (wanted.uid !== undefined && wanted.uid !== uid) {
    throw fail(
      `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). ` +
        'The object might have been deleted and then recreated',
    );
  }
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    throw fail(
      `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record ` +
        `(${resourceVersion}). The object might have been modified`,
    );
  }
}

/** Checks that a body has the name of its URL. */
export function checkName({ metadata }: ApiObject, name: string): void {
  if (!metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
}

/** Checks that a draft has the namespace of its URL, and gives it that one if it has none. */
export function checkNamespace(draft: ApiObject, namespace: string | undefined): void {
  const own = draft.metadata.namespace;
  if (namespace === undefined) delete draft.metadata.namespace;
  else if (own && own !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (namespace !== undefined) draft.metadata.namespace = namespace;
}
