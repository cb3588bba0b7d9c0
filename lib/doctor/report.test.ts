import { describe, expect, it } from 'vitest';
import { ClusterError } from '../controller/errors.ts';
import type { Finding, Subject } from '../diagnosis/finding.ts';
import { buildReport } from './report.ts';
import { ReportSchema } from './report-schema.ts';
import { Snapshot } from './snapshot.ts';
import { claimOf, classOf, NOW, pairOf, troubledCluster, volumeOf } from './testing/troubled-cluster.ts';

const OCCASION = { now: NOW, cluster: { server: 'https://cluster.example', version: '1.36' } };
const NONE = { findings: [], unjudged: [] };

function findingOf(name: string, more: Partial<Finding> = {}): Finding {
  return {
    subject: { kind: 'PersistentVolume', name },
    uid: `uid-of-${name}`,
    state: 'Released',
    severity: 'stuck',
    cause: 'retained',
    why: ['Because.'],
    next: 'nothing',
    actor: 'user',
    cures: [],
    candidates: [{ volume: 'other', rule: 'too small', detail: 'needs 2Gi, has 1Gi' }],
    since: undefined,
    ...more,
  };
}

describe('the groups of a report', () => {
  const findings = [
    findingOf('young', { since: '2026-11-29T00:00:00Z' }),
    findingOf('ageless'),
    findingOf('old', { since: '2026-01-01T00:00:00Z' }),
    findingOf('waits', { severity: 'waiting', cause: 'reserved', since: '2020-01-01T00:00:00Z' }),
    findingOf('broken', { severity: 'broken', cause: 'misbound', since: '2026-11-30T00:00:00Z' }),
    findingOf('older-cause', { cause: 'delete-failed', since: '2025-01-01T00:00:00Z' }),
  ];
  const report = buildReport(new Snapshot({}), { findings, unjudged: [] }, OCCASION);

  it('have the worst first, then the oldest', () => {
    expect(report.groups.map(({ cause }) => cause)).toEqual(['misbound', 'delete-failed', 'retained', 'reserved']);
    expect(report.verdict).toBe('broken');
  });

  it('list their oldest finding first, and those of unknown age last', () => {
    const retained = report.groups.find(({ cause }) => cause === 'retained');
    expect(retained?.findings.map(({ subject }) => subject.name)).toEqual(['old', 'young', 'ageless']);
    expect(retained?.oldest).toBe('2026-01-01T00:00:00Z');
  });

  it('leave the candidates to explain', () => {
    expect(JSON.stringify(report)).not.toContain('too small');
  });

  it('are counted by age, those of unknown age apart', () => {
    expect(report.ages).toContainEqual({ upTo: '7d', waiting: 0, stuck: 1, broken: 0 });
    expect(report.ages).toContainEqual({ upTo: '1d', waiting: 0, stuck: 0, broken: 1 });
    expect(report.ages).toContainEqual({ upTo: 'older', waiting: 1, stuck: 1, broken: 0 });
    expect(report.ages.at(-1)).toEqual({ upTo: 'unknown', waiting: 0, stuck: 1, broken: 0 });
  });
});

describe('what a report says of a healthy cluster', () => {
  it('is that all is well', () => {
    const { volume, claim } = pairOf('pv-1');
    const snapshot = new Snapshot({ PersistentVolume: [volume], PersistentVolumeClaim: [claim] });
    const report = buildReport(snapshot, NONE, OCCASION);
    expect(report).toMatchObject({
      verdict: 'ok',
      groups: [],
      drift: [],
      misbound: [],
      volumes: { total: 1, phases: { Bound: 1 }, bytes: '10737418240' },
      wasted: { total: { available: { volumes: 0, bytes: '0' } }, classes: [] },
    });
  });
});

describe('wasted capacity', () => {
  it('is told by class and phase, the most bytes first', () => {
    const { wasted } = buildReport(troubledCluster(), NONE, OCCASION);
    const gibi = (count: number) => String(BigInt(count) << 30n);
    expect(wasted.classes.map(({ storageClass }) => storageClass)).toEqual(['gp3', 'nfs']);
    expect(wasted.total).toEqual({
      available: { volumes: 1, bytes: gibi(100) },
      released: { volumes: 2, bytes: gibi(520) },
      failed: { volumes: 1, bytes: gibi(10) },
    });
  });

  it('is exact beyond what a double holds, and takes no capacity for none', () => {
    const volumes = [volumeOf('huge', { size: '9007199254740993' }), volumeOf('odd', { size: 'plenty' })];
    const { wasted } = buildReport(new Snapshot({ PersistentVolume: volumes }), NONE, OCCASION);
    expect(wasted.total.available).toEqual({ volumes: 2, bytes: '9007199254740993' });
  });
});

describe('policy drift', () => {
  const provisioned = { 'pv.kubernetes.io/provisioned-by': 'ebs.csi.aws.com' };
  const driftOf = (policy: string, classPolicy: string, annotations?: Record<string, string>) => {
    const spec = { persistentVolumeReclaimPolicy: policy };
    const volume = volumeOf('pv-1', { spec, ...(annotations && { annotations }) });
    const StorageClass = [classOf('gp3', { reclaimPolicy: classPolicy })];
    return buildReport(new Snapshot({ PersistentVolume: [volume], StorageClass }), NONE, OCCASION).drift;
  };

  it('puts data at risk where the class would keep what the volume will delete', () => {
    expect(driftOf('Delete', 'Retain', provisioned)).toMatchObject([{ volume: 'pv-1', risk: 'data' }]);
  });

  it('costs capacity where the volume keeps what the class would delete', () => {
    expect(driftOf('Retain', 'Delete', provisioned)).toMatchObject([{ policy: 'Retain', risk: 'capacity' }]);
  });

  it('is no matter of volumes that people made, whose policy is theirs', () => {
    expect(driftOf('Retain', 'Delete')).toEqual([]);
  });

  it('is none where both say the same', () => {
    expect(driftOf('Delete', 'Delete', provisioned)).toEqual([]);
  });
});

describe('misbound pairs', () => {
  const pairsIn = (objects: ConstructorParameters<typeof Snapshot>[0]) =>
    buildReport(new Snapshot(objects), NONE, OCCASION).misbound;

  it('are a claim and the volume that it names, which is for another claim', () => {
    const pairs = pairsIn({
      PersistentVolume: [volumeOf('pv-1', { claim: 'a/winner' })],
      PersistentVolumeClaim: [claimOf('a/winner', { volume: 'pv-1' }), claimOf('a/loser', { volume: 'pv-1' })],
    });
    expect(pairs).toEqual([
      { volume: 'pv-1', claim: 'a/loser', what: 'the claim names the volume, which is for claim a/winner' },
    ]);
  });

  it('tell a volume of an earlier claim of that name', () => {
    const pairs = pairsIn({
      PersistentVolume: [volumeOf('pv-1', { claim: 'a/data', claimUid: 'uid-of-yesterday' })],
      PersistentVolumeClaim: [claimOf('a/data', { volume: 'pv-1' })],
    });
    expect(pairs[0]?.what).toContain('an earlier claim of this name');
  });

  it('are a volume that is for a claim which has another one', () => {
    const pairs = pairsIn({
      PersistentVolume: [volumeOf('pv-1', { claim: 'a/data' }), volumeOf('pv-2', { claim: 'a/data' })],
      PersistentVolumeClaim: [claimOf('a/data', { volume: 'pv-2' })],
    });
    expect(pairs).toEqual([
      { volume: 'pv-1', claim: 'a/data', what: 'the volume is for the claim, which names volume pv-2' },
    ]);
  });

  it('are not binds that are half done, whichever side comes first', () => {
    const volumes = [volumeOf('pv-1', { claim: 'a/one' }), volumeOf('pv-2')];
    const claims = [claimOf('a/one', { phase: 'Pending' }), claimOf('a/two', { volume: 'pv-2' })];
    expect(pairsIn({ PersistentVolume: volumes, PersistentVolumeClaim: claims })).toEqual([]);
  });
});

describe('what a report says has vanished', () => {
  it('is drivers, nodes, and attachments to such nodes', () => {
    expect(buildReport(troubledCluster(), NONE, OCCASION).vanished).toEqual({
      drivers: [{ driver: 'csi.gone.example', volumes: ['pv-of-nobody'] }],
      nodes: [{ volume: 'pv-local', wants: 'kubernetes.io/hostname in (node-gone)' }],
      attachments: [{ attachment: 'csi-0123', node: 'node-gone', volume: 'pv-a' }],
    });
  });

  it('is nothing where the lists were refused: no list is not an empty one', () => {
    const error = new ClusterError('forbidden', { code: 403 });
    const unread = (['Node', 'CSIDriver'] as const).map((kind) => ({ kind, error }));
    const snapshot = troubledCluster({ Node: [], CSIDriver: [] }, unread);
    const { vanished, unread: told } = buildReport(snapshot, NONE, OCCASION);
    expect(vanished).toEqual({ drivers: [], nodes: [], attachments: [] });
    expect(told).toEqual([
      { kind: 'Node', why: 'forbidden' },
      { kind: 'CSIDriver', why: 'forbidden' },
    ]);
  });
});

it('a report is what its published schema says, with nothing besides', () => {
  const subject: Subject = { kind: 'PersistentVolumeClaim', namespace: 'a', name: 'b' };
  const unjudged = [{ subject, why: 'pods were not read' }];
  const report = buildReport(troubledCluster(), { findings: [findingOf('pv-1')], unjudged }, OCCASION);
  expect(ReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
});
