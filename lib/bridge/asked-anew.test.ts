import { expect, it } from 'vitest';
import { BIND_COMPLETED, SELECTED_NODE } from '../controller/annotations.ts';
import type { PersistentVolumeClaim } from '../controller/types.ts';
import { isAskedAnew } from './asked-anew.ts';
import { claim, volume } from './testing/objects.ts';

const annotated = (name: string, value: string, spec = {}): PersistentVolumeClaim => {
  const object = claim('one', spec);
  return { ...object, metadata: { ...object.metadata, annotations: { [name]: value } } };
};
const asked = (before: PersistentVolumeClaim | undefined, after: PersistentVolumeClaim | undefined) =>
  isAskedAnew({ kind: 'PersistentVolumeClaim', before, after } as Parameters<typeof isAskedAnew>[0]);

it.each<[string, PersistentVolumeClaim]>([
  ['names a volume', claim('one', { volumeName: 'pv' })],
  ['has another class', claim('one', { storageClassName: 'fast' })],
  ['has a node', annotated(SELECTED_NODE, 'node-1')],
])('a waiting claim that now %s', (_, after) => {
  expect(asked(claim('one'), after)).toBe(true);
});

it('a claim whose node is another one', () => {
  expect(asked(annotated(SELECTED_NODE, 'a'), annotated(SELECTED_NODE, 'b'))).toBe(true);
});

it.each<[string, PersistentVolumeClaim | undefined, PersistentVolumeClaim | undefined]>([
  ['has another phase', claim('one'), claim('one', {}, 'Pending')],
  ['has another annotation', claim('one'), annotated('a', 'b')],
  ['is bound by that', claim('one'), annotated(BIND_COMPLETED, 'yes', { volumeName: 'pv' })],
  ['was not there', undefined, claim('one')],
  ['is gone', claim('one'), undefined],
])('not one that %s', (_, before, after) => {
  expect(asked(before, after)).toBe(false);
});

it('not a volume', () => {
  expect(isAskedAnew({ kind: 'PersistentVolume', before: volume('a'), after: volume('a', { nodeAffinity: {} }) })).toBe(
    false,
  );
});
