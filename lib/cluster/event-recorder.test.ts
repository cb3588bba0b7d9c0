import { describe, expect, it } from 'vitest';
import { AlreadyExistsError, ClusterError, ConflictError } from '../controller/errors.ts';
import type { ObjectEvent } from '../controller/ports.ts';
import type { ClusterEvent, ObjectKey, PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { EventRecorder, type EventRecorderSettings, type EventStore, eventName } from './event-recorder.ts';
import { objectTarget, typeOf } from './resources.ts';

class FakeStore implements EventStore {
  readonly events = new Map<string, ClusterEvent>();
  readonly calls: string[] = [];
  fail: Error | undefined;

  async get({ namespace, name }: ObjectKey) {
    this.calls.push('get');
    return this.events.get(`${namespace}/${name}`);
  }
  async create(event: ClusterEvent) {
    this.calls.push('create');
    if (this.fail !== undefined) throw this.fail;
    const key = `${event.metadata.namespace}/${event.metadata.name}`;
    if (this.events.has(key)) throw new AlreadyExistsError('exists');
    this.events.set(key, event);
  }
  async update(event: ClusterEvent) {
    this.calls.push('update');
    this.events.set(`${event.metadata.namespace}/${event.metadata.name}`, event);
  }
}

const volume = { metadata: { name: 'pv-1', uid: 'u-1', resourceVersion: '7' }, spec: {} } as PersistentVolume;
const claim = { metadata: { namespace: 'ns', name: 'c', uid: 'u-2' }, spec: {} } as PersistentVolumeClaim;
const failed: ObjectEvent = {
  kind: 'PersistentVolume',
  object: volume,
  type: 'Warning',
  reason: 'Failed',
  message: 'why',
};

function setUp(settings: EventRecorderSettings = {}) {
  const time = { now: Date.parse('2026-01-01T10:00:00.500Z') };
  const failures: unknown[] = [];
  const store = new FakeStore();
  const options = { clock: { now: () => time.now }, onFailure: (error: unknown) => failures.push(error), ...settings };
  const recorder = new EventRecorder(options);
  return { store, time, failures, recorder, another: () => new EventRecorder(options) };
}

describe('EventRecorder', () => {
  it('writes an event about a volume into the namespace default', async () => {
    const { store, recorder } = setUp();
    await recorder.record(failed, store);
    expect([...store.events.values()]).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: eventName(failed), namespace: 'default' },
        involvedObject: { kind: 'PersistentVolume', apiVersion: 'v1', name: 'pv-1', uid: 'u-1', resourceVersion: '7' },
        type: 'Warning',
        reason: 'Failed',
        message: 'why',
        source: { component: 'persistentvolume-controller' },
        reportingComponent: 'persistentvolume-controller',
        reportingInstance: '',
        firstTimestamp: '2026-01-01T10:00:00Z',
        lastTimestamp: '2026-01-01T10:00:00Z',
        count: 1,
      },
    ]);
  });

  it('writes an event about a claim into its namespace', async () => {
    const { store, recorder } = setUp();
    await recorder.record({ ...failed, kind: 'PersistentVolumeClaim', object: claim }, store);
    const [event] = store.events.values();
    expect(event?.metadata.namespace).toBe('ns');
    expect(event?.involvedObject).toEqual({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      namespace: 'ns',
      name: 'c',
      uid: 'u-2',
    });
  });

  it('writes the same event at most once in five minutes, then raises its count', async () => {
    const { store, time, recorder } = setUp();
    await recorder.record(failed, store);
    time.now += 299_000;
    await recorder.record(failed, store);
    expect(store.calls).toEqual(['create']);
    time.now += 2_000;
    await recorder.record(failed, store);
    expect([...store.events.values()]).toEqual([
      expect.objectContaining({
        count: 2,
        firstTimestamp: '2026-01-01T10:00:00Z',
        lastTimestamp: '2026-01-01T10:05:01Z',
      }),
    ]);
  });

  it('leaves an event alone that another environment has just written', async () => {
    const { store, time, recorder, another } = setUp();
    await recorder.record(failed, store);
    time.now += 10_000;
    await another().record(failed, store);
    expect(store.calls).toEqual(['create', 'create', 'get']);
  });

  it('takes another reason, message or uid for another event', async () => {
    const { store, recorder } = setUp();
    await recorder.record(failed, store);
    await recorder.record({ ...failed, reason: 'Other' }, store);
    await recorder.record({ ...failed, message: 'other' }, store);
    await recorder.record({ ...failed, object: { ...volume, metadata: { ...volume.metadata, uid: 'u-9' } } }, store);
    await recorder.record(
      { ...failed, object: { ...volume, metadata: { ...volume.metadata, resourceVersion: '8' } } },
      store,
    );
    expect(store.events.size).toBe(4);
  });

  it('emits nothing when it is told so', async () => {
    const { store, recorder } = setUp({ emit: false });
    await recorder.record(failed, store);
    expect(store.calls).toEqual([]);
  });

  it('never throws, counts, and tries again with the next event', async () => {
    const { store, failures, recorder } = setUp();
    store.fail = new ClusterError('away', { code: 500 });
    await recorder.record(failed, store);
    await recorder.record(failed, store);
    expect(failures).toHaveLength(2);
    store.fail = undefined;
    await recorder.record(failed, store);
    expect(store.events.size).toBe(1);
  });

  it('does not try again at once what is forbidden', async () => {
    const { store, failures, recorder } = setUp();
    store.fail = new ClusterError('forbidden', { code: 403 });
    await recorder.record(failed, store);
    await recorder.record(failed, store);
    expect(failures).toHaveLength(1);
  });

  it('counts no failure when somebody else raised the count', async () => {
    const { store, failures, recorder } = setUp();
    store.fail = new ConflictError('conflict');
    await recorder.record(failed, store);
    expect(failures).toEqual([]);
  });

  it('survives a broken hook and a broken object', async () => {
    const { store, recorder } = setUp({
      onFailure: () => {
        throw new Error('hook');
      },
    });
    await recorder.record({ ...failed, object: {} as PersistentVolume }, store);
  });

  it('remembers a bounded number of events', async () => {
    const { store, recorder } = setUp();
    for (let number = 0; number < 1_001; number++) await recorder.record({ ...failed, message: `${number}` }, store);
    await recorder.record({ ...failed, message: '1000' }, store);
    expect(store.calls).toHaveLength(1_001);
    await recorder.record({ ...failed, message: '0' }, store);
    expect(store.calls.length).toBeGreaterThan(1_001);
  });

  it('cuts a message to 1024 bytes, between characters', async () => {
    const { store, recorder } = setUp();
    await recorder.record({ ...failed, message: `x${'ü'.repeat(2_000)}` }, store);
    const [event] = store.events.values();
    expect(event?.message).toBe(`x${'ü'.repeat(511)}`);
  });
});

describe('eventName', () => {
  it.each(['pv-1', 'a.b.c', 'a'.repeat(253), `${'a'.repeat(235)}.${'b'.repeat(17)}`, `${'a-'.repeat(126)}a`])(
    'makes a valid name for %s',
    (name) => {
      const made = eventName({ ...failed, object: { ...volume, metadata: { ...volume.metadata, name } } });
      expect(() => objectTarget(typeOf('Event'), { namespace: 'default', name: made })).not.toThrow();
      expect(made.slice(0, 20)).toBe(`${name}.${made.split('.').at(-1)}`.slice(0, 20));
    },
  );
});
