/** Which of two versions of an object is older. */
import { isCurrent } from '../controller/object-version.ts';

/** @returns false also for versions that are no numbers: of those nobody can say. */
export function isOlder(version: string, than: string): boolean {
  if (version === than) return false;
  try {
    return isCurrent(version || '0', than || '0', 'an object');
  } catch {
    return false;
  }
}
