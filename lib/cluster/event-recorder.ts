/** core/v1 Events without state (DESIGN D6): the name says what happened, so a repeat meets its own event. */
import { createHash } from 'node:crypto';
import { AlreadyExistsError, ClusterError, ConflictError } from '../controller/errors.ts';
import type { Clock, ObjectEvent } from '../controller/ports.ts';
import type { ClusterEvent, ObjectKey } from '../controller/types.ts';

/** The three verbs on Events that the recorder needs. */
export interface EventStore {
  get(key: ObjectKey): Promise<ClusterEvent | undefined>;
  create(event: ClusterEvent): Promise<unknown>;
  update(event: ClusterEvent): Promise<unknown>;
}

/** Whether events are written at all, and who is told when one is not. */
export interface EventRecorderSettings {
  /** False (observe mode) emits nothing. Default true. */
  readonly emit?: boolean;
  readonly clock?: Pick<Clock, 'now'>;
  /** Told of each event that could not be written. */
  readonly onFailure?: (error: unknown) => void;
}

const COMPONENT = 'persistentvolume-controller';
/** An event is written at most once in this time. */
const QUIET_MS = 5 * 60_000;
const REMEMBERED = 1_000;
const MAX_NAME = 253;
const MAX_MESSAGE_BYTES = 1024;

/** Writes events, the same one at most once in five minutes. What fails is told and forgotten, never thrown. */
export class EventRecorder {
  readonly #emit: boolean;
  readonly #now: () => number;
  readonly #onFailure: (error: unknown) => void;
  /** Event names and when they were last written, the oldest first. */
  readonly #written = new Map<string, number>();

  constructor(settings: EventRecorderSettings = {}) {
    this.#emit = settings.emit ?? true;
    this.#now = () => settings.clock?.now() ?? Date.now();
    this.#onFailure = settings.onFailure ?? (() => {});
  }

  /** Creates the event, or raises the count of the one that is there. Never throws. */
  async record(event: ObjectEvent, store: EventStore): Promise<void> {
    if (!this.#emit) return;
    let key = '';
    try {
      const now = this.#now();
      const draft = draftOf(event, new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'));
      key = `${draft.metadata.namespace}/${draft.metadata.name}`;
      if (now - (this.#written.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
      this.#remember(key, now);
      await write(draft, now, store);
    } catch (error) {
      // Somebody else has just raised the count: that is what we wanted.
      if (error instanceof ConflictError) return;
      // What is forbidden stays forbidden; anything else may be tried again with the next event.
      if (!(error instanceof ClusterError && error.code === 403)) this.#written.delete(key);
      this.#report(error);
    }
  }

  #remember(key: string, now: number): void {
    this.#written.delete(key);
    this.#written.set(key, now);
    const [oldest] = this.#written.keys();
    if (this.#written.size > REMEMBERED && oldest !== undefined) this.#written.delete(oldest);
  }

  #report(error: unknown): void {
    try {
      this.#onFailure(error);
    } catch {
      // A hook cannot make an event fail a sync.
    }
  }
}

async function write(draft: ClusterEvent, now: number, store: EventStore): Promise<void> {
  try {
    await store.create(draft);
    return;
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
  const stored = await store.get(draft.metadata);
  if (stored === undefined || now - Date.parse(stored.lastTimestamp ?? '') < QUIET_MS) return;
  await store.update({ ...stored, count: (stored.count ?? 1) + 1, lastTimestamp: draft.lastTimestamp ?? '' });
}

function draftOf({ kind, object, type, reason, message }: ObjectEvent, timestamp: string): ClusterEvent {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    // Events about objects without a namespace live in `default`; the API server takes no other.
    metadata: { name: eventName({ kind, object, type, reason, message }), namespace: namespace ?? 'default' },
    involvedObject: {
      kind,
      apiVersion: 'v1',
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type,
    reason,
    message: cutBytes(message, MAX_MESSAGE_BYTES),
    source: { component: COMPONENT },
    reportingComponent: COMPONENT,
    reportingInstance: '',
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
    count: 1,
  };
}

/** The object's name, cut, a dot, and a hash of uid, reason and message: at most 253 characters. */
export function eventName({ object, reason, message }: ObjectEvent): string {
  const text = JSON.stringify([object.metadata.uid ?? '', reason, message]);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const room = object.metadata.name.slice(0, MAX_NAME - hash.length - 1).replace(/[^a-z0-9]+$/, '');
  return `${room}.${hash}`;
}

/** Cuts to so many bytes of UTF-8, never inside a character. */
function cutBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
