/** Since when, in words. */
import { ageText } from '../diagnosis/scene.ts';
import { counted } from '../terminal.ts';
import { ageOf } from './ages.ts';

/** `3d`; `?` where nothing tells. */
export function ageTextOf(since: string | undefined, now: number): string {
  const age = ageOf({ since }, now);
  return age === undefined ? '?' : ageText(age);
}

/** `3 objects, the oldest for 5d`; the number alone where nothing tells. */
export function countedSince(count: number, oldest: string | undefined, now: number): string {
  const objects = counted(count, 'object');
  return oldest === undefined ? objects : `${objects}, the oldest for ${ageTextOf(oldest, now)}`;
}
