import { qualifiedKind, qualifiedPlural, type Resource } from './resources.ts';

/** The `Status` object by which an API server reports a failure. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string };
  status: 'Failure' | 'Success';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason?: string; message: string; field?: string }[];
  retryAfterSeconds?: number;
}

/** A failure that goes to the client as a `Status`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }

  get code(): number {
    return this.status.code ?? 500;
  }
}

/** One fault that validation found. */
export interface FieldError {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

export const required = (field: string, detail = ''): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  message: detail === '' ? 'Required value' : `Required value: ${detail}`,
});

export const forbidden = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${detail}`,
});

export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${value === undefined ? 'null' : JSON.stringify(value)}: ${detail}`,
});

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`,
});

function about(resource: Resource, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
  };
}

export function notFound(resource: Resource, name: string): ApiError {
  const message = `${qualifiedPlural(resource)} ${JSON.stringify(name)} not found`;
  return new ApiError(404, 'NotFound', message, about(resource, name));
}

export function alreadyExists(resource: Resource, name: string): ApiError {
  const message = `${qualifiedPlural(resource)} ${JSON.stringify(name)} already exists`;
  return new ApiError(409, 'AlreadyExists', message, about(resource, name));
}

export function conflict(resource: Resource, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualifiedPlural(resource)} ${JSON.stringify(name)}: ${why}`;
  return new ApiError(409, 'Conflict', message, about(resource, name));
}

export function invalidObject(resource: Resource, name: string, errors: readonly FieldError[]): ApiError {
  const texts = errors.map((error) => `${error.field}: ${error.message}`);
  // Like the real server's aggregate: equal texts once, brackets only around several.
  const unique = [...new Set(texts)];
  const list = unique.length === 1 ? unique[0] : `[${unique.join(', ')}]`;
  const message = `${qualifiedKind(resource)} ${JSON.stringify(name)} is invalid: ${list}`;
  return new ApiError(422, 'Invalid', message, {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.kind,
    causes: errors.map((error) => ({ ...error })),
  });
}

export function forbiddenObject(
  resource: Resource,
  name: string,
  why: string,
  causes?: StatusDetails['causes'],
): ApiError {
  const named = name === '' ? qualifiedPlural(resource) : `${qualifiedPlural(resource)} ${JSON.stringify(name)}`;
  return new ApiError(403, 'Forbidden', `${named} is forbidden: ${why}`, {
    ...about(resource, name),
    ...(causes === undefined ? {} : { causes }),
  });
}

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized');

export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message);

export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** A part of a known resource that does not exist, such as an unknown subresource. */
export const noSuchEndpoint = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});

export const unsupportedMediaType = (message: string, details?: StatusDetails): ApiError =>
  new ApiError(415, 'UnsupportedMediaType', message, details);

/** A client asked for a resourceVersion of the future, for example one of another server. */
export function tooLargeRevision(asked: number, current: number): ApiError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  return new ApiError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** What Go says about a number that is none; the real server passes it on. */
export function invalidRevision(text: string): ApiError {
  const problem = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  return badRequest(`invalid resource version: ${problem}`);
}

/** Options of a list or watch that contradict each other. */
export function invalidOptions(error: FieldError): ApiError {
  const message = `ListOptions.meta.k8s.io "" is invalid: ${error.field}: ${error.message}`;
  return new ApiError(422, 'Invalid', message, { group: 'meta.k8s.io', kind: 'ListOptions', causes: [{ ...error }] });
}
