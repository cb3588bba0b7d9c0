import { describe, expect, it } from 'vitest';
import { ClusterError } from '../controller/errors.ts';
import { STANDARD_MIGRATION } from '../controller/migration.ts';
import { PluginRegistry } from '../controller/plugins.ts';
import type { SyncRules } from '../controller/ports.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Subject } from '../diagnosis/finding.ts';
import { examine, suspects } from './examine.ts';
import { Snapshot } from './snapshot.ts';
import { claimOf, NOW, onNode, pairOf, troubledCluster, volumeOf } from './testing/troubled-cluster.ts';

const RULES: SyncRules = {
  features: { volumeAttributesClass: true },
  migration: STANDARD_MIGRATION,
  settings: { dynamicProvisioning: true, createVolumeAttempts: 1, createVolumeIntervalMs: 0, poolMaxAgeMs: 0 },
  plugins: new PluginRegistry(),
};

const diagnoseIn = (snapshot: Snapshot) => (subject: Subject) =>
  diagnose(snapshot, subject, { now: NOW, volumes: snapshot.volumes, maxCandidates: 0 });

const namesOf = (subjects: readonly Subject[]) => subjects.map(({ name }) => name);

describe('what is looked at', () => {
  const suspectsIn = (objects: ConstructorParameters<typeof Snapshot>[0]) =>
    namesOf(suspects(new Snapshot(objects), RULES));

  it('is neither a bound pair nor a free volume', () => {
    const { volume, claim } = pairOf('pv-1', { spec: onNode('node-1') });
    const PersistentVolume = [volume, volumeOf('pv-free')];
    expect(suspectsIn({ PersistentVolume, PersistentVolumeClaim: [claim] })).toEqual([]);
  });

  it('is a free volume that is reserved, since it may be so in vain', () => {
    expect(suspectsIn({ PersistentVolume: [volumeOf('pv-1', { claim: 'a/b', claimUid: '' })] })).toEqual(['pv-1']);
  });

  it('is whatever is being deleted, although it is bound', () => {
    const { volume, claim } = pairOf('pv-1', { deleted: 1_000 });
    expect(suspectsIn({ PersistentVolume: [volume], PersistentVolumeClaim: [claim] })).toEqual(['pv-1']);
  });

  it('is a Bound volume whose claim is gone, and a Bound claim whose volume is', () => {
    const volume = volumeOf('pv-1', { phase: 'Bound', claim: 'a/gone' });
    const claim = claimOf('a/left', { volume: 'pv-gone' });
    expect(suspectsIn({ PersistentVolume: [volume], PersistentVolumeClaim: [claim] })).toEqual(['pv-1', 'left']);
  });

  it.each(['Released', 'Failed', 'Pending'])('is a volume that is %s', (phase) => {
    expect(suspectsIn({ PersistentVolume: [volumeOf('pv-1', { phase, claim: 'a/gone' })] })).toEqual(['pv-1']);
  });
});

describe('an examination', () => {
  it('finds every trouble of a cluster by its cause', async () => {
    const snapshot = troubledCluster();
    const { findings, unjudged } = await examine(snapshot, RULES, diagnoseIn(snapshot));
    const causes = Object.fromEntries(findings.map(({ subject, cause }) => [subject.name, cause]));
    expect(causes).toEqual({
      'pv-released-old': 'retained',
      'pv-released-new': 'retained',
      'pv-failed': 'recycle-failed',
      'pv-terminating': 'terminating-bound',
      loser: 'misbound',
      lost: 'volume-gone',
      classless: 'class-missing',
      waiting: 'waits-for-consumer',
    });
    expect(unjudged).toEqual([]);
  });

  it('goes on after an object that cannot be judged, and tells it', async () => {
    const error = new ClusterError('pods is forbidden', { code: 403 });
    const snapshot = troubledCluster({}, [{ kind: 'Pod', error }]);
    const { findings, unjudged } = await examine(snapshot, RULES, diagnoseIn(snapshot));
    expect(namesOf(unjudged.map(({ subject }) => subject))).toEqual(['pv-failed', 'waiting']);
    expect(unjudged[0]?.why).toBe('Pod objects were not read');
    expect(findings.map(({ cause }) => cause)).toContain('class-missing');
  });

  it('ends when it is told to', async () => {
    const snapshot = troubledCluster();
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(examine(snapshot, RULES, diagnoseIn(snapshot), { signal })).rejects.toThrow('stopped');
  });

  it('diagnoses each of many objects once', async () => {
    const volumes = Array.from({ length: 5_000 }, (_, i) =>
      volumeOf(`pv-${i}`, { phase: 'Released', claim: `a/${i}` }),
    );
    const snapshot = new Snapshot({ PersistentVolume: volumes });
    const asked: Subject[] = [];
    const diagnoseOne = diagnoseIn(snapshot);
    const counting = (subject: Subject) => {
      asked.push(subject);
      return diagnoseOne(subject);
    };
    const { findings } = await examine(snapshot, RULES, counting);
    expect(new Set(namesOf(asked)).size).toBe(asked.length);
    expect(findings).toHaveLength(5_000);
  });
});
