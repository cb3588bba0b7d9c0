/** Names that the stack's parts, its stage files and its checks share. */

/** The service's name in serverless.yml: the first part of every resource's name. */
export const SERVICE = 'serverless-pv-controller';

/** What `--stage` may be: it becomes part of names that AWS keeps short. */
export const STAGE_NAME = /^[a-z0-9-]{1,20}$/;

/** The dead-letter queue of a FIFO queue, by its name. */
export function deadLetterName(queue: string): string {
  return queue.replace(/\.fifo$/, '-dead-letters.fifo');
}
