/** What counts, what agrees and what does not: verdicts against the changes that followed. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Writer } from '../audit/writer.ts';
import type { RecordedWrite } from '../cluster/recording.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from '../controller/annotations.ts';
import { claim, refTo, volume } from '../controller/testing/objects.ts';
import type { PersistentVolume, SyncKey } from '../controller/types.ts';
import type { Held } from './change.ts';
import { Scorer } from './score.ts';
import { idOf } from './verdict.ts';

const BUILT_IN: Writer = { who: 'built-in', manager: 'kube-controller-manager' };
const USER: Writer = { who: 'other', manager: 'kubectl-edit' };
const T = Date.parse('2026-05-01T10:00:00.500Z');

const CLAIM: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'data' };
const VOLUME: SyncKey = { kind: 'PersistentVolume', name: 'pv-a' };

/** What the watch has told so far, by id. */
let latest: Map<string, Held>;
let scorer: Scorer;
beforeEach(() => {
  latest = new Map();
  scorer = new Scorer({ latest: (id) => latest.get(id), expiryMs: 60_000 });
  for (const object of [volume('pv-a'), volume('pv-b'), claim('data')])
    latest.set(idOf(kindOf(object), object.metadata), object);
});

function kindOf(object: Held): SyncKey['kind'] {
  return object.kind === 'PersistentVolume' ? 'PersistentVolume' : 'PersistentVolumeClaim';
}

/** The object's next version arrives. */
function change(object: Held, { writer = BUILT_IN, at = T + 40 }: { writer?: Writer; at?: number } = {}): Held {
  const kind = kindOf(object);
  const id = idOf(kind, object.metadata);
  const before = latest.get(id);
  const resourceVersion = String(Number(before?.metadata.resourceVersion ?? 0) + 1);
  const after = { ...object, metadata: { ...object.metadata, resourceVersion } } as Held;
  latest.set(id, after);
  scorer.change({ type: before === undefined ? 'ADDED' : 'MODIFIED', kind, before, after, writer, at });
  return after;
}

function gone(object: Held, writer: Writer = { who: 'unknown' }): void {
  latest.delete(idOf(kindOf(object), object.metadata));
  scorer.change({ type: 'DELETED', kind: kindOf(object), before: object, after: object, writer, at: T + 40 });
}

const chosen = { [BOUND_BY_CONTROLLER]: 'yes' };
const reserved = (name = 'pv-a', by = claim('data')) =>
  volume(name, { annotations: chosen, spec: { claimRef: refTo(by) } });
const boundVolume = (name = 'pv-a', by = claim('data')) => ({ ...reserved(name, by), status: { phase: 'Bound' } });
const named = (name = 'pv-a') =>
  claim('data', { annotations: { ...chosen, [BIND_COMPLETED]: 'yes' }, spec: { volumeName: name } });
const boundClaim = (name = 'pv-a') => ({
  ...named(name),
  status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
});

/** The four writes of a bind. */
function bindOf(name = 'pv-a'): RecordedWrite[] {
  return [
    { verb: 'update', kind: 'PersistentVolume', object: reserved(name) },
    { verb: 'updateStatus', kind: 'PersistentVolume', object: boundVolume(name) },
    { verb: 'update', kind: 'PersistentVolumeClaim', object: named(name) },
    { verb: 'updateStatus', kind: 'PersistentVolumeClaim', object: boundClaim(name) },
  ];
}
/** The same, made from another version of one object. */
function withVersion(writes: readonly RecordedWrite[], name: string, resourceVersion: string): RecordedWrite[] {
  return writes.map((write) => {
    if (write.verb === 'event' || write.object.metadata.name !== name) return write;
    const metadata = { ...write.object.metadata, resourceVersion };
    return { ...write, object: { ...write.object, metadata } } as RecordedWrite;
  });
}
const bind = (name?: string) => scorer.verdict({ key: CLAIM, at: T, writes: bindOf(name), notes: ['binding'] });
const failed = (phase: string): RecordedWrite[] => [
  { verb: 'updateStatus', kind: 'PersistentVolume', object: { ...volume('pv-a'), status: { phase } } },
];

function doBind(name = 'pv-a'): void {
  change(reserved(name), { at: T + 10 });
  change(boundVolume(name), { at: T + 20 });
  change(named(name), { at: T + 30 });
  change(boundClaim(name), { at: T + 40 });
}

const largerVolume = (name = 'pv-b') => volume(name, { spec: { capacity: { storage: '5Gi' } } });

/** The claim gets this volume, as it is; its name reaches us last. */
function give(
  object: PersistentVolume,
  { at = T + 30, to = named(object.metadata.name), mark = chosen as object } = {},
) {
  const id = idOf('PersistentVolume', object.metadata);
  if (!latest.has(id)) latest.set(id, object);
  const metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, ...mark } };
  change({ ...object, metadata, spec: { ...object.spec, claimRef: refTo(claim('data')) } }, { at: at - 5 });
  change(to, { at });
}

describe('agreement', () => {
  test('is reached with the last of the writes that were foreseen', () => {
    bind();
    expect(scorer.board()).toMatchObject({ verdicts: 1, counted: 0, pending: 1, rate: undefined });
    doBind();
    expect(scorer.board()).toMatchObject({
      counted: 1,
      agreed: 1,
      pending: 0,
      rate: 1,
      unforeseen: 0,
      disagreements: [],
    });
  });

  test('has the lag of each transition, from the verdict to its event', () => {
    bind();
    doBind();
    expect(scorer.board().lags).toEqual([
      { transition: 'PersistentVolume binding none -> bound', count: 1, p50: 10, p99: 10 },
      { transition: 'PersistentVolume phase Available -> Bound', count: 1, p50: 20, p99: 20 },
      { transition: 'PersistentVolumeClaim binding none -> bound', count: 1, p50: 30, p99: 30 },
      { transition: 'PersistentVolumeClaim phase Pending -> Bound', count: 1, p50: 40, p99: 40 },
    ]);
  });

  test('does not ask for the same steps: all of an object may come in one write', () => {
    bind();
    change(boundVolume());
    change(boundClaim());
    expect(scorer.board()).toMatchObject({ agreed: 1, rate: 1 });
  });

  test('does not depend on what says nothing: times, versions and the finalizer of another loop', () => {
    bind();
    const { metadata, ...rest } = volume('pv-a');
    change({ ...rest, metadata: { ...metadata, finalizers: ['kubernetes.io/pv-protection'] } }, { writer: USER });
    const marked = { ...boundVolume(), metadata: { ...boundVolume().metadata, generation: 7 } } as PersistentVolume;
    change({ ...marked, status: { phase: 'Bound', lastPhaseTransitionTime: '2026-05-01T10:00:01Z' } });
    change(boundClaim());
    expect(scorer.board()).toMatchObject({ agreed: 1, counted: 1 });
  });

  test('on a delete is the delete, whoever sent it', () => {
    scorer.verdict({
      key: VOLUME,
      at: T,
      writes: [{ verb: 'delete', kind: 'PersistentVolume', object: volume('pv-a') }],
    });
    gone(volume('pv-a'));
    expect(scorer.board()).toMatchObject({ agreed: 1, counted: 1 });
    expect(scorer.board().lags[0]?.transition).toBe('PersistentVolume phase Available -> deleted');
  });

  test('on a volume that is to be created is that volume', () => {
    const object = boundVolume('pvc-1');
    delete object.metadata.uid;
    delete object.metadata.resourceVersion;
    const marked = { ...object, metadata: { ...object.metadata, finalizers: ['kubernetes.io/pv-controller'] } };
    const writes: RecordedWrite[] = [
      { verb: 'create', kind: 'PersistentVolume', object },
      { verb: 'update', kind: 'PersistentVolume', object: marked },
    ];
    scorer.verdict({ key: CLAIM, at: T, writes });
    // The server says what was left out.
    const spec = { ...object.spec, volumeMode: 'Filesystem' };
    change({ ...object, spec, metadata: { ...object.metadata, uid: 'new' } });
    expect(scorer.board().pending).toBe(1);
    change({ ...marked, metadata: { ...marked.metadata, uid: 'new' } });
    expect(scorer.board()).toMatchObject({ agreed: 1, counted: 1 });
  });

  test('may be on another volume that is as good, and is told apart', () => {
    bind('pv-a');
    doBind('pv-b');
    expect(scorer.board()).toMatchObject({ agreed: 1, counted: 1, equallyGood: 1, disagreements: [] });
  });

  test.each([
    ['label, where the claim has no selector', { metadata: { labels: { tier: 'iron' } } }],
    ['policy', { spec: { persistentVolumeReclaimPolicy: 'Delete' } }],
    ['way to write its size', { spec: { capacity: { storage: '1024Mi' } } }],
  ])('may be on another volume with another %s', (_what, differing) => {
    bind('pv-a');
    give(volume('pv-b', differing));
    expect(scorer.board()).toMatchObject({ agreed: 1, counted: 1, equallyGood: 1 });
  });

  test('may be on another volume that was kept for the claim too, of whatever size', () => {
    const kept = { spec: { claimRef: { namespace: 'ns', name: 'data' } } };
    latest.set('PersistentVolume//pv-a', volume('pv-a', kept));
    const other = volume('pv-b', { spec: { ...kept.spec, capacity: { storage: '5Gi' } } });
    bind('pv-a');
    give(other, { mark: {} });
    expect(scorer.board()).toMatchObject({ agreed: 1, counted: 1, equallyGood: 1 });
  });

  test('stays one for two claims whose equal volumes were dealt the other way round', () => {
    bind('pv-a');
    change(reserved('pv-a', claim('other')));
    doBind('pv-b');
    expect(scorer.board()).toMatchObject({ agreed: 1, counted: 1, equallyGood: 1 });
  });

  test('is counted once when two verdicts of one key foresaw it, each in its way', () => {
    bind('pv-a');
    // The built-in controller is at work, so the first one stays.
    change({ ...volume('pv-b'), metadata: { ...volume('pv-b').metadata, labels: { tier: 'gold' } } }, { at: T + 1 });
    const second = withVersion(bindOf('pv-b'), 'pv-b', '2');
    scorer.verdict({ key: CLAIM, at: T + 2, writes: second });
    expect(scorer.board().pending).toBe(2);
    doBind('pv-a');
    expect(scorer.board()).toMatchObject({ verdicts: 2, counted: 1, agreed: 1, pending: 0 });
    expect(scorer.board().notCounted).toMatchObject({ superseded: 1 });
  });

  test('is counted once when the same verdict is reached again on the way', () => {
    bind();
    change(reserved());
    scorer.verdict({ key: CLAIM, at: T + 15, writes: bindOf().slice(1) });
    change(boundVolume());
    change(boundClaim());
    expect(scorer.board()).toMatchObject({ verdicts: 1, counted: 1, agreed: 1, pending: 0 });
  });
});

describe('a disagreement', () => {
  test('is told in full: what was before, what we wanted and why, and what happened', () => {
    bind('pv-a');
    give(largerVolume());
    const { rate, disagreements } = scorer.board();
    expect(rate).toBe(0);
    expect(disagreements).toEqual([
      {
        key: CLAIM,
        how: 'otherwise',
        at: T,
        before: claim('data'),
        wanted: bindOf('pv-a'),
        notes: ['binding'],
        happened: {
          object: { ...named('pv-b'), metadata: { ...named('pv-b').metadata, resourceVersion: '2' } },
          isDeleted: false,
          manager: 'kube-controller-manager',
          at: T + 30,
        },
      },
    ]);
  });

  test('is a larger volume that had been free for longer than the sync took', () => {
    const before = { ...largerVolume(), status: { phase: 'Pending' } };
    latest.set('PersistentVolume//pv-b', before);
    change(largerVolume(), { at: T - 11 });
    scorer.verdict({ key: CLAIM, at: T, begunAt: T - 10, writes: bindOf('pv-a') });
    give(largerVolume());
    expect(scorer.board()).toMatchObject({ counted: 1, agreed: 0, disagreements: [{ how: 'otherwise' }] });
  });

  test('is another phase than the one that was foreseen', () => {
    scorer.verdict({ key: VOLUME, at: T, writes: failed('Failed') });
    change({ ...volume('pv-a'), status: { phase: 'Released' } });
    expect(scorer.board()).toMatchObject({ counted: 1, agreed: 0, disagreements: [{ how: 'otherwise' }] });
  });

  test('is Bound instead of Released where the claim names the volume', () => {
    latest.set('PersistentVolume//pv-a', reserved('pv-a'));
    latest.set('PersistentVolumeClaim/ns/data', named('pv-a'));
    const object = { ...reserved('pv-a'), status: { phase: 'Released' } };
    scorer.verdict({ key: VOLUME, at: T, writes: [{ verb: 'updateStatus', kind: 'PersistentVolume', object }] });
    change(boundVolume('pv-a'));
    expect(scorer.board()).toMatchObject({ counted: 1, agreed: 0, disagreements: [{ how: 'otherwise' }] });
  });

  test('is nothing at all, once its time is over', () => {
    scorer.verdict({ key: VOLUME, at: T, writes: failed('Failed') });
    scorer.expire(T + 59_999);
    expect(scorer.board()).toMatchObject({ counted: 0, pending: 1 });
    scorer.expire(T + 60_000);
    expect(scorer.board()).toMatchObject({
      counted: 1,
      agreed: 0,
      pending: 0,
      disagreements: [{ how: 'nothing', before: volume('pv-a') }],
    });
  });

  test('is another volume that differs in a label only, where the claim selects by labels', () => {
    bind('pv-a');
    const picky = { ...named('pv-b'), spec: { ...named('pv-b').spec, selector: { matchLabels: { tier: 'gold' } } } };
    give(volume('pv-b', { metadata: { labels: { tier: 'iron' } } }), { to: picky });
    expect(scorer.board()).toMatchObject({ counted: 1, agreed: 0, equallyGood: 0 });
  });

  test('is a bind that was begun and not finished', () => {
    bind();
    change(reserved());
    scorer.expire(T + 60_000);
    expect(scorer.board()).toMatchObject({ counted: 1, agreed: 0, disagreements: [{ how: 'unfinished' }] });
  });

  test('is not healed by a new verdict that follows what the built-in controller did', () => {
    latest.set('PersistentVolume//pv-b', volume('pv-b', { spec: { capacity: { storage: '5Gi' } } }));
    bind('pv-a');
    const larger = reserved('pv-b');
    change({ ...larger, spec: { ...larger.spec, capacity: { storage: '5Gi' } } });
    scorer.verdict({ key: CLAIM, at: T + 15, writes: bindOf('pv-b').slice(1) });
    change(named('pv-b'));
    expect(scorer.board()).toMatchObject({ counted: 1, agreed: 0, disagreements: [{ how: 'otherwise' }] });
  });

  test('beyond the limit is counted and not kept', () => {
    scorer = new Scorer({ latest: (id) => latest.get(id), maxDisagreements: 1 });
    scorer.verdict({ key: VOLUME, at: T, writes: failed('Failed') });
    change({ ...volume('pv-a'), status: { phase: 'Released' } });
    bind('pv-b');
    give(largerVolume('pv-c'));
    expect(scorer.board()).toMatchObject({ counted: 2, agreed: 0 });
    expect(scorer.board().disagreements).toHaveLength(1);
  });
});

describe('not counted is a verdict', () => {
  const reasons = () => Object.entries(scorer.board().notCounted).flatMap(([why, n]) => (n > 0 ? [`${why} ${n}`] : []));

  test('that calls for no write to an object: it is not even one', () => {
    scorer.verdict({ key: CLAIM, at: T, writes: [] });
    const event = {
      kind: CLAIM.kind,
      object: claim('data'),
      type: 'Normal',
      reason: 'FailedBinding',
      message: '',
    } as const;
    scorer.verdict({ key: CLAIM, at: T, writes: [{ verb: 'event', event }] });
    expect(scorer.board()).toMatchObject({ verdicts: 0, pending: 0 });
  });

  test('that deletes what is being deleted already, and held by a finalizer', () => {
    const metadata = { deletionTimestamp: '2026-05-01T09:59:00Z', finalizers: ['example.com/hold'] };
    const going = volume('pv-a', { metadata });
    scorer.verdict({ key: VOLUME, at: T, writes: [{ verb: 'delete', kind: 'PersistentVolume', object: going }] });
    expect(scorer.board()).toMatchObject({ verdicts: 0, pending: 0 });
  });

  test('from a version that had been replaced when it was reached', () => {
    change(named());
    bind();
    expect(scorer.board()).toMatchObject({ verdicts: 1, counted: 0, pending: 0, unforeseen: 1 });
    expect(reasons()).toEqual(['late 1']);
  });

  test('that was reached in a later second than the write, whose event was slow', () => {
    scorer.verdict({ key: VOLUME, at: T + 1_000, writes: failed('Failed') });
    const writer = { ...BUILT_IN, at: '2026-05-01T10:00:00Z' };
    change({ ...volume('pv-a'), status: { phase: 'Failed' } }, { writer, at: T + 1_500 });
    expect(reasons()).toEqual(['late 1']);
    expect(scorer.board().counted).toBe(0);
  });

  test.each([USER, { who: 'us' }, { who: 'unknown' }] as Writer[])('whose object was changed by $who', (writer) => {
    bind();
    change(claim('data', { annotations: { note: 'mine' } }), { writer });
    doBind();
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('that rests on another object, which somebody has changed', () => {
    latest.set('PersistentVolumeClaim/ns/data', named('pv-a'));
    scorer.verdict({ key: CLAIM, at: T, writes: bindOf('pv-a').slice(3) });
    change(boundVolume('pv-a'));
    expect(scorer.board().pending).toBe(1);
    change(reserved('pv-a', claim('other')), { writer: USER });
    change({ ...named('pv-a'), status: { phase: 'Lost' } });
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('whose object was deleted', () => {
    bind();
    gone(claim('data'));
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('whose volume went to another claim, once there is a newer one: one bind counts once', () => {
    bind('pv-a');
    change(reserved('pv-a', claim('other')), { at: T + 1 });
    scorer.verdict({ key: CLAIM, at: T + 2, writes: bindOf('pv-b') });
    doBind('pv-b');
    expect(reasons()).toEqual(['overtaken 1']);
    expect(scorer.board()).toMatchObject({ verdicts: 2, counted: 1, agreed: 1, equallyGood: 0 });
  });

  test('whose volume went to another claim, and whose claim then gets none', () => {
    bind();
    change(reserved('pv-a', claim('other')));
    expect(scorer.board().pending).toBe(1);
    scorer.expire(T + 60_000);
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('whose volume went to another claim, and whose claim then gets one that is not as good', () => {
    latest.set('PersistentVolume//pv-b', volume('pv-b', { spec: { capacity: { storage: '5Gi' } } }));
    bind('pv-a');
    change(reserved('pv-a', claim('other')));
    change(named('pv-b'));
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test.each([
    ['that became free after it', T + 5],
    ['that became free while the sync was under way', T - 5],
  ])('whose claim gets a larger volume %s', (_when, at) => {
    latest.set('PersistentVolume//pv-b', { ...largerVolume(), status: { phase: 'Pending' } });
    change(largerVolume(), { at });
    scorer.verdict({ key: CLAIM, at: T, begunAt: T - 10, writes: bindOf('pv-a') });
    give(largerVolume());
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('whose own volume was offered so late that the choice may have been made by then', () => {
    latest.set('PersistentVolume//pv-a', { ...volume('pv-a'), status: { phase: 'Pending' } });
    change(volume('pv-a'), { at: T - 10 });
    scorer.verdict({ key: CLAIM, at: T, writes: withVersion(bindOf('pv-a'), 'pv-a', '2') });
    give(largerVolume(), { at: T + 990 });
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('whose claim had been given a volume when it was reached, though the claim did not show it yet', () => {
    latest.set('PersistentVolume//pv-b', largerVolume());
    scorer.verdict({ key: CLAIM, at: T + 28, writes: bindOf('pv-a') });
    give(largerVolume(), { at: T + 30 });
    expect(reasons()).toEqual(['late 1']);
  });

  test('whose claim is told of before the volumes: that another claim got its own comes last', () => {
    bind('pv-a');
    latest.set('PersistentVolume//pv-b', largerVolume());
    change(named('pv-b'));
    change(boundClaim('pv-b'));
    expect(scorer.board().pending).toBe(1);
    change(reserved('pv-a', claim('other')));
    const got = reserved('pv-b');
    change({ ...got, spec: { ...got.spec, capacity: { storage: '5Gi' } } });
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('of a claim whose volume has its own turn first', () => {
    bind('pv-a');
    change({ ...volume('pv-a'), status: { phase: 'Failed' } });
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('of a volume that its claim is bound to first', () => {
    scorer.verdict({ key: VOLUME, at: T, writes: failed('Failed') });
    latest.set('PersistentVolume//pv-a', volume('pv-a', { spec: { claimRef: { ...refTo(claim('data')), uid: '' } } }));
    change(reserved('pv-a'));
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('of a volume whose claim is gone in the middle of its bind', () => {
    latest.set('PersistentVolume//pv-a', reserved('pv-a'));
    latest.delete('PersistentVolumeClaim/ns/data');
    const object = { ...reserved('pv-a'), status: { phase: 'Released' } };
    scorer.verdict({ key: VOLUME, at: T, writes: [{ verb: 'updateStatus', kind: 'PersistentVolume', object }] });
    change(boundVolume('pv-a'));
    expect(reasons()).toEqual(['overtaken 1']);
  });

  test('about an object that was gone when it was reached', () => {
    gone({ ...volume('pv-a'), metadata: { ...volume('pv-a').metadata, resourceVersion: '2' } });
    scorer.verdict({ key: VOLUME, at: T + 50, writes: failed('Failed') });
    expect(reasons()).toEqual(['late 1']);
  });

  test('that a newer one replaces, when nobody but others had acted', () => {
    bind('pv-a');
    bind('pv-b');
    doBind('pv-b');
    expect(reasons()).toEqual(['superseded 1']);
    expect(scorer.board()).toMatchObject({ verdicts: 2, counted: 1, agreed: 1, equallyGood: 0 });
  });

  test('one of whose changes was missed', () => {
    bind();
    latest.set('PersistentVolumeClaim/ns/data', {
      ...named(),
      metadata: { ...named().metadata, resourceVersion: '2' },
    });
    change(boundClaim());
    expect(reasons()).toEqual(['lost 1']);
  });

  test('whose claim got a volume that is never told of', () => {
    bind('pv-a');
    change(named('pv-b'));
    scorer.expire(T + 60_000);
    expect(reasons()).toEqual(['lost 1']);
  });

  test('that is the oldest of too many', () => {
    scorer = new Scorer({ maxPending: 1 });
    bind();
    scorer.verdict({ key: { ...CLAIM, name: 'two' }, at: T, writes: failed('Failed') });
    expect(reasons()).toEqual(['dropped 1']);
    expect(scorer.board().pending).toBe(1);
  });
});

test('a verdict from a version that the watch has not told of yet waits for it', () => {
  const noted = claim('data', { annotations: { note: 'mine' } });
  const annotations = { ...named().metadata.annotations, note: 'mine' };
  const wanted = { ...named(), metadata: { ...noted.metadata, annotations } };
  const object = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: '2' } };
  scorer.verdict({ key: CLAIM, at: T, writes: [{ verb: 'update', kind: 'PersistentVolumeClaim', object }] });
  change(noted, { writer: USER });
  expect(scorer.board().pending).toBe(1);
  change(wanted);
  expect(scorer.board()).toMatchObject({ counted: 1, agreed: 1 });
});
