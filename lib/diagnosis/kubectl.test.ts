import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { claim, volume } from '../controller/testing/objects.ts';
import { plain } from '../terminal.ts';
import {
  createCommand,
  deleteCommand,
  labelCommand,
  patchCommand,
  pointer,
  quoted,
  recreateCommand,
} from './kubectl.ts';

/** What a shell makes of a command: its words, or the input where it takes one. */
function read(command: string): string[] {
  const stub = `kubectl() { printf '%s\\n' "$@"; for word; do [ "$word" = -f ] && cat; done; true; }`;
  return execFileSync('/bin/sh', ['-c', `${stub}\n${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

const HOSTILE = `a'b"c$(touch /nowhere/x)\`id\`;&|* \\ é`;

describe('commands', () => {
  test.each(['plain-name', HOSTILE, '', "'", '--help'])('a shell reads %j back as one word', (word) => {
    expect(read(`kubectl ${quoted(word)}`)).toEqual([word]);
  });

  test('a patch tests the uid first, and comes out of the shell as it went in', () => {
    const [verb, kind, name, type, flag, patch] = read(
      patchCommand(volume('pv'), [{ op: 'test', path: '/spec/claimRef/name', value: HOSTILE }]),
    );
    expect([verb, kind, name, type, flag]).toEqual(['patch', 'pv', 'pv', '--type=json', '-p']);
    expect(JSON.parse(patch ?? '')).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-of-pv' },
      { op: 'test', path: '/spec/claimRef/name', value: HOSTILE },
    ]);
  });

  test('a claim is patched in its namespace, a status by its subresource', () => {
    expect(patchCommand(claim('one'), [])).toMatch(/^kubectl patch pvc -n ns one --type=json /);
    expect(patchCommand(volume('pv'), [], 'status')).toMatch(/^kubectl patch pv pv --subresource=status /);
  });

  test('an object that is created is what the shell hands over, whatever it holds', () => {
    const object = { kind: 'PersistentVolumeClaim', metadata: { labels: { x: `${HOSTILE}\nEOF\n` } } };
    const lines = read(createCommand(object));
    expect(lines.slice(0, -1)).toEqual(['create', '-f', '-']);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual(object);
  });

  test('a value of invisible characters survives being shown', () => {
    const object = { a: '\u200d\u{e0067}\u2028\u007f' };
    const command = createCommand(object);
    expect(plain(command.split('\n')[1] ?? '')).toBe(command.split('\n')[1]);
    expect(JSON.parse(read(command).at(-1) ?? '')).toEqual(object);
  });

  test('a claim is made again only after the very one that was diagnosed is gone', () => {
    const again = { kind: 'PersistentVolumeClaim' };
    const lines = read(recreateCommand(claim('one'), again));
    expect(lines.slice(0, 4)).toEqual(['delete', '--raw', '/api/v1/namespaces/ns/persistentvolumeclaims/one', '-f']);
    expect(JSON.parse(lines[5] ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'uid-of-one', resourceVersion: '1' },
    });
    expect(lines.slice(6)).toEqual([
      ...['wait', '-n', 'ns', '--for=delete', 'pvc/one', '--timeout=60s'],
      ...['create', '-f', '-', JSON.stringify(again)],
    ]);
    const refused = recreateCommand(claim('one'), again).replaceAll('kubectl delete', 'false kubectl delete');
    expect(read(`{ ${refused}\n} || true`)).toEqual(['']);
  });

  test('labels and names are words of their own', () => {
    expect(read(labelCommand(volume('pv'), { 'a/b': 'x y' }))).toEqual(['label', 'pv', 'pv', '--overwrite', 'a/b=x y']);
    expect(read(deleteCommand('pod', { namespace: 'ns', name: HOSTILE }))).toEqual([
      'delete',
      'pod',
      '-n',
      'ns',
      HOSTILE,
    ]);
  });

  test('a pointer escapes what separates', () => {
    expect(pointer('metadata', 'annotations', 'pv.kubernetes.io/a~b')).toBe(
      '/metadata/annotations/pv.kubernetes.io~1a~0b',
    );
  });
});
