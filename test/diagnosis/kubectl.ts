/**
 * Runs the very text of a cure: a shell reads it, with a `kubectl` that hands its words back, and what they ask for is done
 * over HTTP. Any form that no cure has is refused.
 */
import { execFileSync } from 'node:child_process';
import { resourceOf } from '../../local/api-server/resources.ts';
import { type JsonObject, jsonPatched, type PatchOperation } from './json-patch.ts';

const PLURALS: Readonly<Record<string, string>> = {
  pv: 'persistentvolumes',
  pvc: 'persistentvolumeclaims',
  pod: 'pods',
  storageclass: 'storageclasses',
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
};

/** For each call: words NUL-terminated, the input after one more byte, and another byte at the end. */
const STUB = `kubectl() { printf '%s\\0' "$@"; printf '\\1'; for word; do [ "$word" = -f ] && cat; done; printf '\\2'; }`;

export class Kubectl {
  readonly #server: string;

  /** @param server such as `http://127.0.0.1:1234` */
  constructor(server: string) {
    this.#server = server;
  }

  /** @throws Error when the command is refused by the server, or is none that a cure may be. */
  async run(command: string): Promise<void> {
    for (const call of readByShell(command)) await this.#call(call);
  }

  async #call({ words, input }: Call): Promise<void> {
    const { verb, flags, names } = parse(words);
    const namespace = flags.get('-n');
    const [type = '', name = '', ...rest] = names;
    switch (verb) {
      case 'patch': {
        if (flags.get('--type') !== 'json') throw new Error('not a JSON patch');
        const operations = JSON.parse(flags.get('-p') ?? '') as PatchOperation[];
        const path = this.#path(type, namespace, name) + (flags.get('--subresource') === 'status' ? '/status' : '');
        return await this.#change(path, (object) => jsonPatched(object, operations));
      }
      case 'delete':
        if (flags.has('--raw')) return await this.#send('DELETE', name || type, JSON.parse(input));
        return await this.#send('DELETE', this.#path(type, namespace, name));
      case 'label':
      case 'annotate':
        return await this.#change(this.#path(type, namespace, name), (object) => {
          const field = verb === 'label' ? 'labels' : 'annotations';
          const metadata = object['metadata'] as JsonObject;
          const pairs = Object.fromEntries(
            rest.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
          );
          return { ...object, metadata: { ...metadata, [field]: { ...(metadata[field] as JsonObject), ...pairs } } };
        });
      case 'create':
        return await this.#create(JSON.parse(input));
      case 'wait': {
        const [kind = '', waited = ''] = type.split('/');
        const url = this.#server + this.#path(kind, namespace, waited);
        while ((await fetch(url)).ok) await new Promise((resolve) => setTimeout(resolve, 10));
        return;
      }
      default:
        throw new Error(`no cure may be: kubectl ${words.join(' ')}`);
    }
  }

  async #create(object: Made): Promise<void> {
    await this.#send('POST', this.#path(object.kind, object.metadata.namespace), object);
  }

  async #change(path: string, change: (object: JsonObject) => JsonObject): Promise<void> {
    const object = (await (await fetch(this.#server + path.replace(/\/status$/, ''))).json()) as JsonObject;
    await this.#send('PUT', path, change(object));
  }

  async #send(method: string, path: string, body?: object): Promise<void> {
    const response = await fetch(this.#server + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  }

  #path(type: string, namespace: string | undefined, name?: string): string {
    const { group, version, plural, namespaced } = resourceOf(PLURALS[type] ?? type);
    if (namespaced !== (namespace !== undefined)) throw new Error(`${type} ${name} and namespace ${namespace}`);
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const tail = name === undefined ? '' : `/${name}`;
    return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}${tail}`;
  }
}

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Call {
  readonly words: readonly string[];
  readonly input: string;
}

function readByShell(command: string): Call[] {
  const output = execFileSync('/bin/sh', ['-c', `${STUB}\n${command}`], { encoding: 'utf8' });
  return output
    .split('\u0002')
    .slice(0, -1)
    .map((call) => {
      const end = call.indexOf('\u0001');
      return { words: call.slice(0, end).split('\0').slice(0, -1), input: call.slice(end + 1) };
    });
}

const WITH_VALUE = ['-n', '-p', '-f', '--field-selector'];

function parse([verb = '', ...words]: readonly string[]) {
  const flags = new Map<string, string>();
  const names: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) names.push(word);
    else if (WITH_VALUE.includes(word)) flags.set(word, words[++at] ?? '');
    else flags.set(word.split('=')[0] ?? word, word.split('=').slice(1).join('='));
  }
  return { verb, flags, names };
}
