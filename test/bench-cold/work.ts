/** Events for each function, and the objects that they are about. No two of them are about the same object. */
import { randomUUID } from 'node:crypto';
import type { ScheduledEvent, SQSEvent } from 'aws-lambda';
import type { SyncKey } from '../../lib/controller/types.ts';
import { groupId } from '../../lib/queue/ids.ts';
import { formatMessage } from '../../lib/queue/message.ts';
import { toEvent } from '../../local/queue/lambda-event.ts';
import { createBound } from '../backlog/cluster.ts';
import { claim, volume } from '../e2e/objects.ts';
import type { FunctionKey } from '../package/stack/functions.ts';
import type { Surroundings } from './surroundings.ts';

/** `change`: what a new object needs. `settled`: keys whose objects need nothing, as the sweep sends them. */
export type Work = 'change' | 'settled';

const KINDS: Readonly<Partial<Record<FunctionKey, SyncKey['kind']>>> = {
  volumeWorker: 'PersistentVolume',
  claimWorker: 'PersistentVolumeClaim',
};

let made = 0;

/**
 * Makes the objects and the event for one invocation.
 * @param keys of a worker's batch.
 */
export async function eventFor(
  key: FunctionKey,
  work: Work,
  keys: number,
  { cluster, addresses }: Surroundings,
): Promise<SQSEvent | Pick<ScheduledEvent, 'id' | 'source'>> {
  const kind = KINDS[key];
  if (kind === undefined) return { id: randomUUID(), source: 'aws.scheduler' };
  const names = Array.from({ length: keys }, () => `${work}-${made++}`);
  await Promise.all(names.map((name) => (kind === 'PersistentVolume' ? newVolume(name) : newPair(name))));
  const namespace = kind === 'PersistentVolume' ? {} : { namespace: 'default' };
  const messages = names.map((name) => {
    const message = { v: 1, kind, ...namespace, name, reason: work === 'settled' ? 'resync' : 'added' } as const;
    const Attributes = { MessageGroupId: groupId(message) };
    return { MessageId: randomUUID(), ReceiptHandle: randomUUID(), Body: formatMessage(message), Attributes };
  });
  return toEvent(messages, addresses[kind].arn);

  async function newVolume(name: string) {
    if (work === 'settled') await createBound(cluster, name);
    else await cluster.create('PersistentVolume', volume(name));
  }
  /** A free volume for each claim: which one is taken does not matter. */
  async function newPair(name: string) {
    if (work === 'settled') return void (await createBound(cluster, name));
    const created = await cluster.create('PersistentVolume', volume(name));
    await cluster.updateStatus('PersistentVolume', { ...created, status: { phase: 'Available' } });
    await cluster.create('PersistentVolumeClaim', claim(name));
  }
}
