/** What modes make known in CloudWatch: an annotation that is none, and keys that assist comes back for. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { keyOf } from '../lib/queue/message.ts';
import type { KeyHooks } from '../lib/worker/hooks.ts';
import { unknownMode } from '../lib/worker/mode.ts';

/** A wrong annotation is for its author, so it is a warning at each sync; waiting is everyday business. */
export function modeHooks(logger: Logger): KeyHooks {
  return {
    onUnknownMode: (key, value) => logger.warn('unknown mode', { key: keyOf(key), error: unknownMode(value) }),
    onPostponed: (key, seconds) => logger.debug('left to others for now', { key: keyOf(key), againInSeconds: seconds }),
  };
}
