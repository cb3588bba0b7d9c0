/** What a diagnosis of one object works with, and what it comes to. */
import { readConfig } from '../config.ts';
import { ClusterError } from '../controller/errors.ts';
import { STANDARD_MIGRATION } from '../controller/migration.ts';
import { isPossibleKey } from '../controller/names.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { VolumeIndex } from '../controller/volume-index.ts';
import { inTreePlugins } from '../plugins/in-tree.ts';
import type { Cause } from './cause.ts';
import type { Actor, CandidateVerdict, Cure, DiagnosisOptions, DiagnosisReader, DiagnosisRules } from './finding.ts';
import type { Stage } from './rehearse.ts';

/** The stage of the controller's syncs, and what only people are told. */
export interface Scene extends Stage {
  readonly reader: DiagnosisReader;
  readonly maxCandidates: number;
}

/** What a finding says besides the object itself. */
export interface Verdict {
  readonly cause: Cause;
  readonly why: readonly string[];
  readonly cures?: readonly Cure[];
  readonly candidates?: readonly CandidateVerdict[];
  readonly since?: string | undefined;
  /** Where it is another than the cause's usual one. */
  readonly actor?: Actor;
}

const DEFAULT_CANDIDATES = 20;

const DEFAULT_RULES: DiagnosisRules = {
  features: { volumeAttributesClass: true },
  migration: STANDARD_MIGRATION,
  settings: { dynamicProvisioning: true, createVolumeAttempts: 1, createVolumeIntervalMs: 0, poolMaxAgeMs: 0 },
  plugins: (cluster) => inTreePlugins(cluster, { ...readConfig({}), recyclerNamespace: 'default' }),
};

/** @throws ClusterError when the volumes cannot be listed. */
export async function sceneOf(reader: DiagnosisReader, options: DiagnosisOptions): Promise<Scene> {
  const { now, maxCandidates = DEFAULT_CANDIDATES } = options;
  const volumes = options.volumes ?? new VolumeIndex(await reader.list('PersistentVolume'));
  return { reader, reads: reader, volumes, now, maxCandidates, rules: { ...DEFAULT_RULES, ...options.rules } };
}

const FORBIDDEN = 403;
const NOT_SERVED = 404;

/** What a diagnosis can do without: undefined where the server does not serve the kind, or not to us. */
export async function ifReadable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ClusterError && (error.code === FORBIDDEN || error.code === NOT_SERVED)) return undefined;
    throw error;
  }
}

/** The claim that a volume names; undefined where there is none, or where none can have that name. */
export async function claimNamedBy(
  { reads }: Pick<Stage, 'reads'>,
  { spec: { claimRef } }: PersistentVolume,
): Promise<PersistentVolumeClaim | undefined> {
  const { namespace = '', name = '' } = claimRef ?? {};
  const key = { kind: 'PersistentVolumeClaim', namespace, name } as const;
  return isPossibleKey(key) ? await reads.get('PersistentVolumeClaim', key) : undefined;
}

/** Milliseconds since then; undefined when the time is not known. */
export function ageOf(time: string | undefined, { now }: Pick<Stage, 'now'>): number | undefined {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? undefined : now - at;
}

/** As people write it: `3d`, `4h`, `12m`, `30s`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** What a controller or an API server said, word for word, with a full stop where it has no end of its own. */
export function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `namespace/name`, or the name alone. */
export function keyText({ namespace, name }: { namespace?: string | undefined; name?: string | undefined }): string {
  return namespace === undefined ? (name ?? '') : `${namespace}/${name ?? ''}`;
}
