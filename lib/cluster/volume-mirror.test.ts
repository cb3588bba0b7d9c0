import { describe, expect, it } from 'vitest';
import type { PersistentVolume } from '../controller/types.ts';
import { VolumeMirror } from './volume-mirror.ts';

function pv(name: string, resourceVersion: number): PersistentVolume {
  return { metadata: { name, resourceVersion: String(resourceVersion) }, spec: {} } as PersistentVolume;
}

function held({ index }: VolumeMirror): string[] {
  return [...index.values()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
}

describe('VolumeMirror', () => {
  it('takes from a list that its watch got ahead of neither removals nor the position', () => {
    const mirror = new VolumeMirror();
    mirror.takeList({ items: [pv('a', 5), pv('gone', 6)], resourceVersion: '10' });
    mirror.takeEvent({ type: 'DELETED', object: pv('gone', 11) });
    mirror.takeEvent({ type: 'ADDED', object: pv('new', 12) });
    mirror.takeList({ items: [pv('gone', 6)], resourceVersion: '10' });
    expect(held(mirror)).toEqual(['a@5', 'new@12']);
    expect(mirror.position).toBe('12');
  });

  it('fills its holes even from such a list', () => {
    const mirror = new VolumeMirror();
    mirror.takeList({ items: [pv('a', 5)], resourceVersion: '12' });
    mirror.drop('a');
    mirror.takeList({ items: [pv('a', 5)], resourceVersion: '11' });
    expect(held(mirror)).toEqual(['a@5']);
    expect(mirror.position).toBe('12');
  });
});
