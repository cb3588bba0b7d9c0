/**
 * Commands as a finding gives them: complete, quoted for a POSIX shell, and refused by the API server where the object is
 * another one, or says something else, than what was diagnosed.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';

/** One operation of a JSON patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'test' | 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

type Patched = PersistentVolume | PersistentVolumeClaim;

/** The word as a shell reads it back. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * A patch of this very object: another one of that name is left alone.
 * @param subresource `status` where a phase is written.
 */
export function patchCommand(object: Patched, operations: readonly PatchOperation[], subresource?: 'status'): string {
  const guard: PatchOperation = { op: 'test', path: '/metadata/uid', value: object.metadata.uid };
  const flags = subresource === undefined ? '' : ` --subresource=${subresource}`;
  return `kubectl patch ${placeOf(object)}${flags} --type=json -p ${quoted(jsonOf([guard, ...operations]))}`;
}

/** Deletes by name: kubectl takes no uid. */
export function deleteCommand(kind: 'pv' | 'pvc' | 'pod', { namespace, name }: { namespace?: string; name: string }) {
  return `kubectl delete ${kind} ${inNamespace(namespace)}${quoted(name)}`;
}

/** Creates the object from standard input; JSON, which YAML readers take. */
export function createCommand(object: object): string {
  return `kubectl create -f - ${inputOf(object)}`;
}

/**
 * Makes a claim again, for fields that cannot be changed. The API server deletes it only while it is what was diagnosed, to
 * the last write: one that was bound meanwhile stays.
 */
export function recreateCommand({ metadata }: PersistentVolumeClaim, object: object): string {
  const { namespace, name, uid, resourceVersion } = metadata;
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`;
  const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } };
  return [
    `kubectl delete --raw ${quoted(path)} -f - ${inputOf(options, ' &&')}`,
    `kubectl wait -n ${quoted(namespace)} --for=delete ${quoted(`pvc/${name}`)} --timeout=60s &&`,
    createCommand(object),
  ].join('\n');
}

/** What became of the object, in the words of whoever acted on it. */
export function eventsCommand(object: Patched): string {
  const { namespace = 'default', uid } = object.metadata;
  return `kubectl get events ${inNamespace(namespace)}--field-selector ${quoted(`involvedObject.uid=${uid}`)}`;
}

/** Sets a label of a volume. */
export function labelCommand(volume: PersistentVolume, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => quoted(`${key}=${value}`));
  return `kubectl label ${placeOf(volume)} --overwrite ${pairs.join(' ')}`;
}

/** JSON of printable characters: whoever shows a command replaces the others, and values must come out as they were. */
function jsonOf(value: object): string {
  return JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** A step of a JSON pointer. */
export function pointer(...steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Standard input. No line of JSON is the end mark, and the quoted mark keeps the shell from reading it. */
function inputOf(object: object, then = ''): string {
  return `<<'EOF'${then}\n${jsonOf(object)}\nEOF`;
}

function placeOf({ metadata: { namespace, name } }: Patched): string {
  return `${namespace === undefined ? 'pv' : 'pvc'} ${inNamespace(namespace)}${quoted(name)}`;
}

function inNamespace(namespace: string | undefined): string {
  return namespace === undefined ? '' : `-n ${quoted(namespace)} `;
}
