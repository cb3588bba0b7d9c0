/** Who wrote what, told from managedFields as a real API server keeps them: of the built-in controller, of ours, of a user. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { transitionsSeen } from '../../lib/audit/trail.ts';
import { writerOf } from '../../lib/audit/writer.ts';
import { connectionFromKubeconfig } from '../../lib/cluster/kubeconfig.ts';
import { readConfig } from '../../lib/config.ts';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../../lib/controller/types.ts';
import { startSystem } from '../../local/system.ts';
import { skipReason } from './controller-under-test.ts';
import { type ControlPlane, startControlPlane } from './harness.ts';
import { claim, claimsPath, create, eventually, untilPhase, volume, volumesPath } from './objects.ts';
import { applyPermissions } from './permissions.ts';
import { Watch } from './watching.ts';

type Held = PersistentVolume | PersistentVolumeClaim;
type Watched = Held & { readonly metadata: { readonly name: string; readonly resourceVersion: string } };

describe.skipIf(skipReason !== undefined)('writerOf', () => {
  let plane: ControlPlane;
  const open: Watch<Watched>[] = [];

  beforeAll(async () => {
    plane = await startControlPlane();
    return () => plane.stop();
  });
  afterEach(async () => {
    for (const watch of open.splice(0)) await watch.stop();
  });

  async function watchBoth(): Promise<Readonly<Record<SyncKey['kind'], Watch<Watched>>>> {
    const [volumes, claims] = [
      await Watch.start<Watched>(plane, volumesPath),
      await Watch.start<Watched>(plane, claimsPath),
    ];
    open.push(volumes, claims);
    return { PersistentVolume: volumes, PersistentVolumeClaim: claims };
  }

  /** Each change of a phase or a binding, in order, and who it is laid to: `claim phase Pending -> Bound by us`. */
  function told(kind: SyncKey['kind'], { events }: Watch<Watched>): string[] {
    let before: Held | undefined;
    return events.flatMap(({ type, object }) => {
      const changes = transitionsSeen(type, kind, before, object).map(({ of, from, to }) => {
        const { who } = writerOf(before, object, kind, of);
        return `${of} ${from} -> ${to} by ${who}`;
      });
      before = object;
      return changes;
    });
  }

  async function bindPair(name: string): Promise<void> {
    await create(plane.client(), volumesPath, volume(name));
    await untilPhase(plane.client(), `${volumesPath}/${name}`, 'Available');
    await create(plane.client(), claimsPath, claim(name));
    await untilPhase(plane.client(), `${claimsPath}/${name}`, 'Bound');
    await untilPhase(plane.client(), `${volumesPath}/${name}`, 'Bound');
  }

  const bindBy = (who: string, name: string) => ({
    volume: [
      `phase Pending -> Available by ${who}`,
      `binding none -> default/${name} by ${who}`,
      `phase Available -> Bound by ${who}`,
    ],
    claim: [`binding none -> ${name} by ${who}`, `phase Pending -> Bound by ${who}`],
  });

  test('lays all of a bind to the built-in controller, and a phase that a user writes afterwards to others', async () => {
    const watches = await watchBoth();
    const manager = await plane.startControllerManager({ binder: true });
    await bindPair('theirs');
    await manager.stop();
    const answer = await plane
      .client()
      .request('PATCH', `${volumesPath}/theirs/status`, { status: { phase: 'Failed' } });
    expect(answer.status).toBe(200);
    const volumes = await eventually('the phase of a user', async () => {
      const seen = told('PersistentVolume', watches.PersistentVolume);
      return seen.length === 4 && seen;
    });
    const { volume: ofVolume, claim: ofClaim } = bindBy('built-in', 'theirs');
    // The test's client gives itself no name.
    expect(volumes).toEqual([...ofVolume, 'phase Bound -> Failed by other']);
    expect(told('PersistentVolumeClaim', watches.PersistentVolumeClaim)).toEqual(ofClaim);
  });

  test('lays all of a bind to us when it is ours', async () => {
    const watches = await watchBoth();
    await applyPermissions(plane.client(), 'enforce');
    const as = (name: string) => connectionFromKubeconfig({ file: plane.kubeconfig(name) });
    const system = await startSystem({
      connection: { bridge: as('bridge'), volumeWorker: as('volume-worker'), claimWorker: as('claim-worker') },
      config: readConfig({ PV_MODE: 'enforce' }),
    });
    try {
      await bindPair('ours');
    } finally {
      await system.stop();
    }
    const { volume: ofVolume, claim: ofClaim } = bindBy('us', 'ours');
    const ofOurs = (kind: SyncKey['kind']) => {
      const events = watches[kind].events.filter(({ object }) => object.metadata.name === 'ours');
      return told(kind, { events } as Watch<Watched>);
    };
    expect(ofOurs('PersistentVolume')).toEqual(ofVolume);
    expect(ofOurs('PersistentVolumeClaim')).toEqual(ofClaim);
  });
});
