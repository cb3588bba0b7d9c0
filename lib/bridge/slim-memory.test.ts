/** Texts that many objects have alike are kept once: 100,000 objects are to fit in a small process. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../controller/types.ts';
import { Slimmer } from './slim.ts';
import { claim } from './testing/objects.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size;
}

const LENGTH = 10_000;
const COUNT = 1_000;

it.each([['namespace'], ['creationTimestamp']])('the %s of many claims is one text', (field) => {
  const slimmer = new Slimmer();
  const { spec, metadata } = claim('one');
  // A new text each time, as of every object that comes over the network.
  const json = JSON.stringify({ spec, metadata: { ...metadata, [field]: 'x'.repeat(LENGTH) } });
  const before = usedBytes();
  const held = Array.from({ length: COUNT }, () => slimmer.claim(JSON.parse(json) as PersistentVolumeClaim));
  expect(usedBytes() - before).toBeLessThan((LENGTH * COUNT) / 4);
  expect(held[COUNT - 1]?.metadata).toHaveProperty(field, 'x'.repeat(LENGTH));
});
