/** The report that docs/images shows: a cluster of 4,000 objects, made up and the same each time, diagnosed by our own code. */
import { STANDARD_MIGRATION } from '../../lib/controller/migration.ts';
import { PluginRegistry } from '../../lib/controller/plugins.ts';
import { diagnose } from '../../lib/diagnosis/diagnose.ts';
import { examine } from '../../lib/doctor/examine.ts';
import { buildReport } from '../../lib/doctor/report.ts';
import type { Report } from '../../lib/doctor/report-schema.ts';
import { Snapshot } from '../../lib/doctor/snapshot.ts';
import { claimOf, classOf, NOW, pairOf, troubledCluster, volumeOf } from '../../lib/doctor/testing/troubled-cluster.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SEED = 36;

const CLUSTER = { server: 'https://0A1B2C.gr7.eu-west-1.eks.amazonaws.com', version: '1.36' };
const RULES = {
  features: { volumeAttributesClass: true },
  migration: STANDARD_MIGRATION,
  settings: { dynamicProvisioning: true, createVolumeAttempts: 1, createVolumeIntervalMs: 0, poolMaxAgeMs: 0 },
  plugins: new PluginRegistry(),
};

/** Everything that `doctor` would tell of the sample. */
export async function sampleReport(): Promise<Report> {
  const snapshot = sampleCluster();
  const options = { now: NOW, volumes: snapshot.volumes, maxCandidates: 0 };
  const found = await examine(snapshot, RULES, (subject) => diagnose(snapshot, subject, options));
  return buildReport(snapshot, found, { now: NOW, cluster: CLUSTER });
}

/** The cluster with one of each trouble, and around it many that are well and some more of the usual troubles. */
function sampleCluster(): Snapshot {
  const { objects } = troubledCluster();
  const age = ages(SEED);
  const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const pairs = many(1_840, (i) => {
    const size = `${10 + (i % 20)}Gi`;
    const { volume, claim } = pairOf(`pv-${1_000 + i}`, { size, age: age(DAY, 400 * DAY) });
    return { volume, claim: { ...claim, spec: { ...claim.spec, resources: { requests: { storage: size } } } } };
  });
  const released = (i: number, policy: 'Retain' | 'Delete', from: number, to: number) =>
    volumeOf(`pv-${policy.toLowerCase()}-${i}`, {
      phase: 'Released',
      claim: `team-a/gone-${i}`,
      size: `${20 + 10 * (i % 15)}Gi`,
      age: age(from, to),
      annotations: { 'pv.kubernetes.io/provisioned-by': 'ebs.csi.aws.com' },
      spec: { persistentVolumeReclaimPolicy: policy },
    });
  const pending = (i: number, name: string, storageClassName: string, from: number, to: number) =>
    claimOf(`team-${'abc'[i % 3]}/${name}-${i}`, { phase: 'Pending', age: age(from, to), spec: { storageClassName } });
  return new Snapshot({
    ...objects,
    PersistentVolume: [
      ...objects.PersistentVolume,
      ...pairs.map(({ volume }) => volume),
      ...many(140, (i) => released(i, 'Retain', 5 * HOUR, 360 * DAY)),
      ...many(54, (i) => released(i, 'Delete', 20 * MINUTE, 20 * DAY)),
      ...many(6, (i) => released(1_000 + i, 'Delete', MINUTE / 4, 3 * MINUTE)),
      ...many(25, (i) => volumeOf(`pv-spare-${i}`, { age: age(DAY, 90 * DAY) })),
    ],
    PersistentVolumeClaim: [
      ...objects.PersistentVolumeClaim,
      ...pairs.map(({ claim }) => claim),
      ...many(11, (i) => pending(i, 'misspelt', 'gp33', 3 * HOUR, 150 * DAY)),
      ...many(17, (i) => pending(i, 'by-hand', 'by-hand', 2 * HOUR, 20 * DAY)),
      ...many(34, (i) => pending(i, 'waiting', 'late', 3 * MINUTE, 20 * DAY)),
    ],
    StorageClass: [
      ...objects.StorageClass,
      classOf('by-hand', { provisioner: 'kubernetes.io/no-provisioner', reclaimPolicy: 'Retain' }),
    ],
  });
}

/** Ages between two bounds, as many between a minute and an hour as between a day and two months. @param seed of the same row. */
function ages(seed: number): (from: number, to: number) => number {
  let state = seed;
  return (from, to) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.round(from * (to / from) ** (state / 2_147_483_648));
  };
}
