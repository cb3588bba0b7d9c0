import { expect, test } from 'vitest';
import { describeAction } from '../../differential/action.ts';
import { actionsOf, classesOf } from './user-actions.ts';

const LOAD = { pairs: 60, users: 6, edits: 30 };
const all = actionsOf(1, 'r1', LOAD).flat();

test('a seed does the same each time, and another one something else', () => {
  expect(actionsOf(1, 'r1', LOAD)).toEqual(actionsOf(1, 'r1', LOAD));
  expect(actionsOf(2, 'r1', LOAD)).not.toEqual(actionsOf(1, 'r1', LOAD));
});

test('every volume and claim is made, and each is of the run', () => {
  const made = (kind: string) =>
    new Set(all.filter((each) => each.do === 'create' && each.kind === kind).map(({ name }) => name));
  const classes = all
    .filter((each) => each.do === 'create')
    .map(({ body }) => (body?.['spec'] as { storageClassName?: string })?.storageClassName);

  expect(made('PersistentVolume').size).toBe(LOAD.pairs);
  expect(made('PersistentVolumeClaim').size).toBe(LOAD.pairs);
  expect(all.every(({ name }) => name.startsWith('r1-'))).toBe(true);
  expect(new Set(classes)).toEqual(new Set(classesOf('r1')));
});

test.each([
  ['claimRef', /patch PersistentVolume .*"claimRef":\{/],
  ['claimRef taken away', /patch PersistentVolume .*"claimRef":null/],
  ['policy', /patch PersistentVolume .*persistentVolumeReclaimPolicy/],
  ['labels', /patch PersistentVolume.*"labels"/],
  ['class', /patch PersistentVolume .*storageClassName/],
  ['finalizers', /patch PersistentVolume.*"finalizers"/],
  ['annotations', /patch PersistentVolume.*"annotations"/],
  ['the phase of a volume', /patch status PersistentVolume /],
  ['the phase of a claim', /patch status PersistentVolumeClaim /],
  ['the volume of a claim', /patch PersistentVolumeClaim .*volumeName/],
  ['a volume goes', /^delete PersistentVolume /],
  ['a claim goes', /^delete PersistentVolumeClaim /],
])('%s', (_, pattern) => {
  expect(all.map(describeAction).some((line) => pattern.test(line))).toBe(true);
});
