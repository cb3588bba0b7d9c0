/** The conformance data: `CONFORMANCE_DATA=DIR` takes another folder with files of the same names. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../lib/controller/types.ts';

const folder = process.env['CONFORMANCE_DATA']
  ? resolve(process.env['CONFORMANCE_DATA'])
  : join(import.meta.dirname, 'data');

/** @throws Error that says which file is missing or is no JSON, and where the folder came from. */
function load<T>(name: string): T {
  const file = join(folder, name);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    const hint = process.env['CONFORMANCE_DATA'] ? ' (CONFORMANCE_DATA names this folder)' : '';
    throw new Error(`conformance data ${file}${hint}: ${(error as Error).message}`, { cause: error });
  }
}

export interface PluginScript {
  name: string;
  recycleCalls: ('success' | { error: string })[];
  deleteCalls: ('success' | { error: string })[];
  provisionCalls: { expectedParameters: Record<string, string>; result: 'success' | { error: string } }[];
}

export interface Action {
  op: string;
  name?: string;
  namespace?: string;
  object?: PersistentVolume & PersistentVolumeClaim;
  objects?: Node[];
  set?: Record<string, unknown>;
}

export interface ExpectedEvent {
  type: string;
  reason: string;
  messagePrefix?: string;
}

export interface Case {
  key: string;
  description: string;
  mode: 'singleSync' | 'multiSync' | 'controllerRun';
  sync: { kind: 'claim' | 'volume'; namespace?: string; name: string; index: number } | null;
  expectSyncError: boolean;
  options: {
    enableDynamicProvisioning: boolean;
    featureGates: Record<string, boolean>;
    createProvisionedPVRetryCount: number;
    createProvisionedPVIntervalMs: number;
    csiMigration: null | { allPluginsMigrated: boolean; csiNameForAnyPlugin?: string };
  };
  storageClasses: StorageClass[];
  pods: Pod[];
  nodes: Node[];
  initialVolumes: PersistentVolume[];
  initialClaims: PersistentVolumeClaim[];
  apiErrors: { verb: string; resource: string; kind: string; message: string }[];
  plugin: PluginScript | null;
  injectedOperation: null | { when: string; condition?: { operationTimestampExists?: string }; actions: Action[] };
  steps: Action[];
  expectedVolumes: PersistentVolume[];
  expectedClaims: PersistentVolumeClaim[];
  expectedEvents: ExpectedEvent[];
  observed: { events: { object: string; type: string; reason: string; message: string }[] };
}

export interface Match {
  id: string;
  kind: string;
  description: string;
  featureGates: Record<string, boolean>;
  pvs: PersistentVolume[];
  pv: PersistentVolume;
  claim: PersistentVolumeClaim;
  delayBinding: boolean;
  expectedPV: string | null;
  expectedPVUid?: string | null;
  expectedSatisfied: boolean;
  expectedError?: string;
  expectedMismatch: boolean;
  accessModes: string[];
  expectedByCapacityAsc: string[];
  expectedModeSets: string[][];
  checkedPrefix: number;
  total: number;
}

export interface Unit {
  id: string;
  kind: string;
  description: string;
  claimAnnotations?: Record<string, string> | null;
  volumeAnnotations?: Record<string, string> | null;
  expClaimAnnotations?: Record<string, string> | null;
  expVolumeAnnotations?: Record<string, string> | null;
  volume: PersistentVolume;
  expectedFinalizers: string[] | null;
  expectedModified: boolean;
  version: string;
  expectedStored?: boolean;
  expectedError?: string | null;
  enableDynamicProvisioning: boolean;
}

export const cases = load<Case[]>('cases.json');
export const matches = load<Match[]>('match.json');
export const units = load<Unit[]>('units.json');
