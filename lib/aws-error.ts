/** Errors of AWS, as they may be logged. */
import { messageOf } from './controller/errors.ts';

const MAX_LENGTH = 500;

/**
 * What went wrong, in one line. A refused signature is answered with the request that was signed, in the lines after the
 * first, and so with the session's token: nothing of them, nor the error that holds them, is passed on.
 * @param what stands before it, such as `visibility not changed: `.
 */
export function awsError(thrown: unknown, what = ''): Error {
  const [line = ''] = messageOf(thrown).split('\n', 1);
  const error = new Error(`${what}${line.slice(0, MAX_LENGTH)}`);
  if (thrown instanceof Error) error.name = thrown.name;
  return error;
}
