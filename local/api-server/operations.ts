import { admitDefaultClass, admitExpansion, admitNamespace, admitProtection } from './admission.ts';
import { deletionMark, isReadyToGo } from './deletion.ts';
import { ApiError, alreadyExists, forbiddenObject, invalidObject, notFound } from './errors.ts';
import { checkName, checkNamespace, checkPreconditions, checkVersion } from './identity.ts';
import { type ApiObject, deepEqual, type Json } from './json.ts';
import { keepSystemFields, readBody, stampNew, timestamp } from './metadata.ts';
import { validateMetadata, validateMetadataUpdate } from './metadata-validation.ts';
import { patched } from './patch.ts';
import { type Resource, storageKey } from './resources.ts';
import { rulesOf } from './rules.ts';
import type { ObjectStore } from './store.ts';

/** Namespaces that nobody may delete. */
const immortal = ['default', 'kube-system', 'kube-public'];

/** Names one object, as a path does. */
export interface Target {
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface WriteOptions {
  /** `status` writes the status and leaves the spec; otherwise it is the other way round. */
  readonly subresource?: string | undefined;
  /** Says what would be stored, and stores nothing. */
  readonly dryRun?: boolean;
}

/** The parts of DeleteOptions that are heeded. */
export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean;
}

/** Reads and writes by the rules of a real API server. Each method answers an object or throws an `ApiError`. */
export class Operations {
  readonly #store: ObjectStore;
  readonly #clock: () => Date;
  readonly #protection: boolean;

  constructor(store: ObjectStore, options: { clock?: () => Date; protection?: boolean } = {}) {
    this.#store = store;
    this.#clock = options.clock ?? (() => new Date());
    this.#protection = options.protection ?? false;
  }

  get({ resource, namespace, name }: Target): ApiObject {
    const object = this.#store.get(resource.plural, { namespace, name });
    if (object === undefined) throw notFound(resource, name);
    return object;
  }

  create(target: Omit<Target, 'name'>, body: unknown, options: WriteOptions = {}): ApiObject {
    const { resource, namespace } = target;
    const now = this.#clock();
    const rules = rulesOf(resource.kind);
    const draft = readBody(resource, body);
    if (draft.metadata.resourceVersion) {
      // The real server's own slip: a 500 for what is the client's fault.
      throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    checkNamespace(draft, namespace);
    draft.metadata = stampNew(draft.metadata, namespace, now);
    const { name } = draft.metadata;
    rules.normalize(draft);
    rules.create?.(draft, timestamp(now));
    if (namespace !== undefined) admitNamespace(this.#store, resource, namespace, name);
    admitDefaultClass(this.#store, draft);
    if (this.#protection) admitProtection(draft);
    const errors = [...rules.validate(draft), ...validateMetadata(resource, draft.metadata)];
    if (errors.length > 0) throw invalidObject(resource, name, errors);
    const key = storageKey(namespace, name);
    if (this.#store.collection(resource.plural).get(key) !== undefined) throw alreadyExists(resource, name);
    return options.dryRun ? draft : this.#store.commit(resource.plural, key, draft);
  }

  update(target: Target, body: unknown, options: WriteOptions = {}): ApiObject {
    const { resource, namespace, name } = target;
    const draft = readBody(resource, body);
    checkName(draft, name);
    checkNamespace(draft, namespace);
    const old = this.get(target);
    checkVersion(target, draft, old);
    this.#prepareUpdate(resource, draft, old, options.subresource);
    // Nobody else could come in between, so the version that is not compared with is the one that was read.
    draft.metadata = { ...draft.metadata, resourceVersion: old.metadata.resourceVersion };
    return this.#storeUpdate(target, draft, old, options);
  }

  patch(target: Target, patch: Json, options: WriteOptions = {}): ApiObject {
    return this.update(target, patched(this.get(target), patch), options);
  }

  /** Removes the object, or only marks it where something still holds it; answers its last or its marked state. */
  delete(target: Target, options: DeleteOptions = {}): ApiObject {
    const { resource, namespace, name } = target;
    const old = this.get(target);
    if (resource.kind === 'Namespace' && immortal.includes(name)) {
      throw forbiddenObject(resource, name, 'this namespace may not be deleted');
    }
    checkPreconditions(resource, old, options.preconditions);
    const key = storageKey(namespace, name);
    const marked = deletionMark(old, options.gracePeriodSeconds, this.#clock());
    if (options.dryRun) return marked ?? old;
    const stored =
      marked === undefined || deepEqual(marked, old) ? old : this.#store.commit(resource.plural, key, marked);
    return marked === undefined || isReadyToGo(marked) ? this.#store.commit(resource.plural, key, undefined) : stored;
  }

  #prepareUpdate(resource: Resource, draft: ApiObject, old: ApiObject, subresource: string | undefined): void {
    const rules = rulesOf(resource.kind);
    rules.normalize(draft);
    draft.metadata = keepSystemFields(draft.metadata, old.metadata);
    const errors = [
      ...validateMetadata(resource, draft.metadata),
      ...validateMetadataUpdate(draft.metadata, old.metadata),
    ];
    if (subresource === 'status') {
      if (old.spec !== undefined) draft.spec = old.spec;
      rules.updateStatus?.(draft, old, timestamp(this.#clock()));
      errors.push(...(rules.validateStatus?.(draft) ?? []));
    } else {
      if (resource.hasStatus && old.status !== undefined) draft.status = old.status;
      errors.push(...rules.validate(draft), ...(rules.validateUpdate?.(draft, old) ?? []));
    }
    if (errors.length > 0) throw invalidObject(resource, draft.metadata.name, errors);
    admitExpansion(this.#store, resource, draft, old);
  }

  #storeUpdate(target: Target, draft: ApiObject, old: ApiObject, options: WriteOptions): ApiObject {
    const { plural } = target.resource;
    const key = storageKey(target.namespace, target.name);
    if (deepEqual(draft, old)) return old;
    if (options.dryRun) return draft;
    if (isReadyToGo(draft)) {
      // The last finalizer of a marked object went away: so does the object.
      this.#store.commit(plural, key, undefined);
      return draft;
    }
    return this.#store.commit(plural, key, draft);
  }
}
