import { describe, expect, it } from 'vitest';
import { ClusterError } from '../controller/errors.ts';
import type { ClusterEvent, Pod } from '../controller/types.ts';
import { type ListAll, Snapshot, type SnapshotKind, takeSnapshot } from './snapshot.ts';
import { claimOf, podOf, volumeOf } from './testing/troubled-cluster.ts';

const forbidden = (kind: string) => new ClusterError(`${kind} is forbidden`, { code: 403, reason: 'Forbidden' });

/** Lists these objects; a kind that is refused throws. */
function listing(objects: Partial<Record<SnapshotKind, object[]>>, refused: readonly SnapshotKind[] = []): ListAll {
  return async (kind, keep) => {
    if (refused.includes(kind)) throw forbidden(kind);
    const all = (objects[kind] ?? []) as Parameters<typeof keep>[0][];
    return all.map(keep).filter((object) => object !== undefined);
  };
}

describe('taking a snapshot', () => {
  it('does without a kind that is refused, and says which and why', async () => {
    const snapshot = await takeSnapshot(listing({ PersistentVolume: [volumeOf('pv-1')] }, ['CSIDriver', 'Node']));
    expect(snapshot.unread.map(({ kind, error }) => `${kind}: ${error.message}`)).toEqual([
      'Node: Node is forbidden',
      'CSIDriver: CSIDriver is forbidden',
    ]);
    expect(snapshot.volume('pv-1')?.metadata.name).toBe('pv-1');
  });

  it.each(['PersistentVolume', 'PersistentVolumeClaim'] as const)('fails without %ss', async (kind) => {
    await expect(takeSnapshot(listing({}, [kind]))).rejects.toThrow(
      `cannot list ${kind}s, without which nothing can be said: ${kind} is forbidden`,
    );
  });

  it('passes on an error that is none of the cluster', async () => {
    const broken: ListAll = async () => {
      throw new TypeError('a bug');
    };
    await expect(takeSnapshot(broken)).rejects.toThrow('a bug');
  });

  it('keeps of pods what their claims need, and drops those without any', async () => {
    const user = podOf('a/user', 'data', { status: { phase: 'Running' } });
    const bulky = { ...user, metadata: { ...user.metadata, annotations: { bulk: 'x'.repeat(1_000) } } } as Pod;
    const other: Pod = { metadata: { namespace: 'a', name: 'other' }, spec: { containers: [], volumes: [] } };
    const snapshot = await takeSnapshot(listing({ Pod: [bulky, other] }));
    expect(snapshot.objects.Pod.map(({ metadata }) => metadata.name)).toEqual(['user']);
    expect(JSON.stringify(snapshot.objects.Pod)).not.toContain('bulk');
    expect(snapshot.objects.Pod[0]).toMatchObject({
      spec: { volumes: user.spec?.volumes },
      status: { phase: 'Running' },
    });
  });

  it('tells how many objects it holds so far', async () => {
    const counts: number[] = [];
    const objects = { PersistentVolume: [volumeOf('pv-1'), volumeOf('pv-2')], PersistentVolumeClaim: [claimOf('a/b')] };
    await takeSnapshot(listing(objects), (count) => counts.push(count));
    expect(counts).toEqual([1, 2, 3]);
  });
});

describe('a snapshot', () => {
  const pods = [podOf('a/one', 'data'), podOf('b/two', 'data')];
  const eventAbout = (uid: string) => ({ metadata: { name: `about-${uid}` }, involvedObject: { uid } }) as ClusterEvent;
  const snapshot = new Snapshot({
    PersistentVolumeClaim: [claimOf('a/data')],
    Pod: pods,
    Event: [eventAbout('u1'), eventAbout('u2')],
  });

  it('finds objects by namespace and name', async () => {
    expect(await snapshot.get('PersistentVolumeClaim', { namespace: 'a', name: 'data' })).toBeDefined();
    expect(await snapshot.get('PersistentVolumeClaim', { namespace: 'b', name: 'data' })).toBeUndefined();
  });

  it('lists a namespace, or all of them', async () => {
    expect((await snapshot.list('Pod', { namespace: 'b' })).map(({ metadata }) => metadata.name)).toEqual(['two']);
    expect(await snapshot.list('Pod', { namespace: 'c' })).toEqual([]);
    expect(await snapshot.list('Pod')).toHaveLength(2);
  });

  it('lists the events about one object', async () => {
    const about = await snapshot.list('Event', { namespace: 'a', fieldSelector: 'involvedObject.uid=u2' });
    expect(about.map(({ metadata }) => metadata.name)).toEqual(['about-u2']);
  });

  it('refuses a selector that it does not know, rather than answer with everything', async () => {
    await expect(snapshot.list('Pod', { fieldSelector: 'spec.nodeName=n' })).rejects.toThrow('spec.nodeName=n');
  });

  it('fails as the server did for a kind that was refused: a missing object would be a wrong answer', async () => {
    const without = new Snapshot({}, [{ kind: 'Pod', error: forbidden('Pod') }]);
    await expect(without.list('Pod')).rejects.toMatchObject({ code: 403, reason: 'Forbidden' });
    await expect(without.get('Pod', { namespace: 'a', name: 'one' })).rejects.toThrow('Pod objects were not read');
    expect(without.has('Pod')).toBe(false);
    expect(without.has('Node')).toBe(true);
  });
});
