/**
 * An API server that refuses, stumbles or loses its answer, at every call of every sync. No such error is evidence: it
 * never makes the controller decide what it would not have decided anyway (DESIGN D3), and a sync that was cut off is
 * finished by the next ones (D4).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import { BIND_COMPLETED } from '../../lib/controller/annotations.ts';
import {
  AmbiguousError,
  ClusterError,
  ConflictError,
  OperationError,
  ThrottledError,
} from '../../lib/controller/errors.ts';
import { PluginRegistry, VolumeInUseError, type VolumePlugin } from '../../lib/controller/plugins.ts';
import type { SyncContext } from '../../lib/controller/ports.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import type { PersistentVolume, SyncKey } from '../../lib/controller/types.ts';
import { comparable } from '../conformance/harness.ts';
import { type Call, InterceptedCluster, type Interception } from '../unit/intercepted-cluster.ts';
import { clusters, type GeneratedCluster } from './clusters.ts';
import { contextOver, imaginedProvisioner, keysOf, load } from './sync-context.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 400);

const faults: Record<string, () => Error> = {
  '401': () => new ClusterError('unauthorized', { code: 401 }),
  '403': () => new ClusterError('forbidden', { code: 403 }),
  '409': () => new ConflictError('changed', { code: 409 }),
  '429': () => new ThrottledError('slow down', { code: 429 }),
  '500': () => new ClusterError('internal', { code: 500 }),
  'no answer': () => new AmbiguousError('timed out'),
};
const anyFault = fc.constantFrom(...Object.keys(faults));

/** As generated, and often with a first volume and claim that name each other. */
const anyCluster = fc
  .tuple(clusters, fc.constantFrom('as it is', 'paired', 'claim names it'))
  .map(([generated, how]) => {
    const [volume] = generated.volumes;
    const [claim] = generated.claims;
    if (how === 'as it is' || volume === undefined || claim === undefined) return generated;
    const { namespace, name, uid = '' } = claim.metadata;
    claim.spec.volumeName = volume.metadata.name;
    if (how === 'paired') volume.spec.claimRef = { kind: 'PersistentVolumeClaim', namespace, name, uid };
    return generated;
  });

type Outcome = 'works' | 'fails' | 'in use';
const anyOutcome = fc.constantFrom<Outcome>('works', 'works', 'fails', 'in use');

function pluginThat(outcome: Outcome, destroyed: string[]): VolumePlugin {
  const act = async (name: string) => {
    if (outcome === 'fails') throw new Error('the disk is stuck');
    if (outcome === 'in use') throw new VolumeInUseError('attached');
    destroyed.push(name);
  };
  return {
    name: 'kubernetes.io/mock',
    supportsMountOptions: true,
    supports: (volume) => volume.spec.hostPath !== undefined,
    recycle: async (volume) => {
      await act(volume.metadata.name);
      return 'done';
    },
    newDeleter: (volume) => () => act(volume.metadata.name),
    newProvisioner: imaginedProvisioner,
  };
}

interface Run {
  readonly cluster: InMemoryCluster;
  readonly calls: readonly Call[];
  readonly destroyed: readonly string[];
  /** What was decided that cannot be taken back, or that alarms a user. */
  readonly verdicts: Set<string>;
}

async function run(
  generated: GeneratedCluster,
  key: SyncKey,
  outcome: Outcome,
  interception: Interception,
): Promise<Run> {
  const cluster = load(generated);
  const over = new InterceptedCluster(cluster, interception);
  const destroyed: string[] = [];
  const ctx: SyncContext = {
    ...contextOver(cluster),
    cluster: over,
    plugins: new PluginRegistry([pluginThat(outcome, destroyed)]),
    runOperation: async (name, operation) => {
      try {
        await operation();
      } catch (error) {
        throw error instanceof ClusterError ? error : new OperationError(name, { cause: error });
      }
    },
  };
  await reconcile(ctx, { key }).catch(() => {});
  const verdicts = new Set<string>();
  const existed = generated.volumes.map(({ metadata }) => metadata.name);
  for (const name of destroyed) if (existed.includes(name)) verdicts.add(`${name} destroyed`);
  for (const { verb, object } of cluster.writes) {
    const { status } = object as PersistentVolume;
    if (verb === 'updateStatus') verdicts.add(`${object.metadata.name} ${status?.phase}`);
    if (verb === 'delete') verdicts.add(`${object.metadata.name} deleted`);
  }
  for (const { type, reason, object } of cluster.events) {
    if (type === 'Warning' && reason !== 'ProvisioningFailed') verdicts.add(`${object.metadata.name} ${reason}`);
  }
  return { cluster, calls: over.calls, destroyed, verdicts };
}

/** Fails one call: before it is made, or, with its answer lost, after. */
function failingAt(at: number, error: Error, lost: boolean): Interception {
  const fail = ({ number }: Call) => {
    if (number === at) throw error;
  };
  return lost ? { after: fail } : { before: fail };
}

/** Volumes that a claim of that uid holds: I1 is about them. */
function held({ volumes, claims }: GeneratedCluster): string[] {
  return volumes
    .filter(({ metadata, spec: { claimRef } }) =>
      claims.some(
        (claim) =>
          claimRef?.uid &&
          claim.metadata.uid === claimRef.uid &&
          claim.metadata.name === claimRef.name &&
          claim.metadata.namespace === claimRef.namespace &&
          claim.spec.volumeName === metadata.name,
      ),
    )
    .map(({ metadata }) => metadata.name);
}

describe('errors of the API server', () => {
  test('never lead to a verdict that the same sync would not have reached without them', async () => {
    let faulty = 0;
    await fc.assert(
      fc.asyncProperty(anyCluster, anyOutcome, anyFault, fc.boolean(), async (generated, outcome, fault, lasting) => {
        for (const key of keysOf(load(generated))) {
          const undisturbed = await run(generated, key, outcome, {});
          for (let at = 1; at <= undisturbed.calls.length; at++) {
            const from = (call: Call) => {
              if (lasting ? call.number >= at : call.number === at) throw faults[fault]?.();
            };
            const { verdicts } = await run(generated, key, outcome, { before: from });
            expect([...undisturbed.verdicts]).toEqual(expect.arrayContaining([...verdicts]));
            faulty++;
          }
        }
      }),
      { numRuns: RUNS },
    );
    expect(faulty).toBeGreaterThan(RUNS * 5);
  });

  test('never release, fail, scrub or delete a volume whose claim exists and names it (I1)', async () => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(anyCluster, anyOutcome, anyFault, fc.boolean(), async (generated, outcome, fault, lost) => {
        const names = held(generated);
        if (names.length === 0) return;
        for (const key of keysOf(load(generated))) {
          const { calls } = await run(generated, key, outcome, {});
          for (let at = 0; at <= calls.length; at++) {
            const { cluster, destroyed } = await run(
              generated,
              key,
              outcome,
              failingAt(at, faults[fault]?.() as Error, lost),
            );
            for (const name of names) {
              const before = generated.volumes.find((v) => v.metadata.name === name);
              const after = cluster.all('PersistentVolume').find((v) => v.metadata.name === name);
              const phase = after?.status?.phase;
              if (phase !== before?.status?.phase) expect(['Available', 'Bound']).toContain(phase);
              expect(after).toBeDefined();
              expect(after?.spec.claimRef?.uid).toBe(before?.spec.claimRef?.uid);
              expect(destroyed).not.toContain(name);
              kept++;
            }
          }
        }
      }),
      { numRuns: RUNS * 2 },
    );
    expect(kept).toBeGreaterThan(RUNS);
  });
});

describe('a worker that dies at any call', () => {
  /** Syncs everything until nothing is written; undefined for clusters whose users contradict themselves. */
  async function settled(cluster: InMemoryCluster): Promise<Record<string, unknown> | undefined> {
    for (let round = 0; round < 20; round++) {
      const before = cluster.writes.length;
      for (const key of keysOf(cluster)) await reconcile(contextOver(cluster), { key }).catch(() => {});
      if (cluster.writes.length > before) continue;
      return comparable([...cluster.all('PersistentVolume'), ...cluster.all('PersistentVolumeClaim')]);
    }
    return undefined;
  }

  test('leaves what the next syncs bring to the same end, with one claim and any volumes', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(anyCluster, fc.boolean(), async (whole, lost) => {
        const generated = { ...whole, claims: whole.claims.slice(0, 1) };
        const [claim] = generated.claims;
        if (claim === undefined) return;
        const { namespace, name } = claim.metadata;
        delete claim.metadata.annotations?.[BIND_COMPLETED];
        claim.status = { phase: 'Pending' };
        const key: SyncKey = { kind: 'PersistentVolumeClaim', namespace, name };
        const undisturbed = await run(generated, key, 'works', {});
        const end = await settled(undisturbed.cluster);
        if (end === undefined) return;
        for (let at = 1; at <= undisturbed.calls.length; at++) {
          const { cluster } = await run(generated, key, 'works', failingAt(at, new AmbiguousError('gone'), lost));
          expect(await settled(cluster)).toEqual(end);
          compared++;
        }
      }),
      { numRuns: RUNS * 2 },
    );
    expect(compared).toBeGreaterThan(RUNS * 2);
  });
});
