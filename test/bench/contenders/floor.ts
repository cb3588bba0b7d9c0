/** The four writes of a bind, by hand and by our own client: what no controller on this machine can be faster than. */
import { ApiServerCluster } from '../../../lib/cluster/api-server.ts';
import { claimBoundTo, volumeBoundTo } from '../../../lib/controller/bind.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/controller/types.ts';
import type { Route } from '../plane/plane.ts';
import type { Contender, RunningContender } from './contender.ts';

const idleLookMs = 5;

/** @param parallel binds at one time. */
export function floor(parallel: number): Contender {
  return {
    name: `floor-${parallel}`,
    kind: 'floor',
    about: `the four writes of a bind by hand, nothing read or decided, ${parallel} at a time`,
    start: async (_, route) => start(route, parallel),
  };
}

function start(route: Route, parallel: number): RunningContender {
  const cluster = new ApiServerCluster(route.connection('all-functions'));
  const offered: (readonly [PersistentVolume, PersistentVolumeClaim])[] = [];
  let working = 0;
  let isPaused = false;
  let failure: unknown;
  const work = async () => {
    working += 1;
    try {
      while (!isPaused) {
        const next = offered.shift();
        if (next === undefined) break;
        await bind(cluster, ...next);
      }
    } catch (error) {
      failure ??= error;
    } finally {
      working -= 1;
    }
  };
  const wake = () => {
    while (!isPaused && working < Math.min(parallel, working + offered.length)) void work();
  };
  return {
    pids: {},
    messages: async () => undefined,
    settled: async () => {
      while (working > 0) await new Promise((resolve) => setTimeout(resolve, idleLookMs));
      if (failure !== undefined) throw failure;
    },
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      wake();
    },
    offer: (volume, claim) => {
      offered.push([volume, claim]);
      wake();
    },
    stop: async () => cluster.close(),
  };
}

async function bind(cluster: ApiServerCluster, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
  const chosen = await cluster.update('PersistentVolume', volumeBoundTo(volume, claim));
  await cluster.updateStatus('PersistentVolume', { ...chosen, status: { ...chosen.status, phase: 'Bound' } });
  const completed = await cluster.update('PersistentVolumeClaim', claimBoundTo(claim, volume));
  const { accessModes, capacity } = volume.spec;
  const status = { phase: 'Bound' as const, ...(accessModes && { accessModes }), ...(capacity && { capacity }) };
  await cluster.updateStatus('PersistentVolumeClaim', { ...completed, status });
}
