/** A bind that is interrupted: where its worker can be stopped, and the writer that comes in between. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import { claimBoundTo, volumeBoundTo } from '../../lib/controller/bind.ts';
import type { InterceptedRequest, LocalApiServer } from '../../local/api-server/server.ts';
import { Objects } from './objects.ts';
import type { StoppableWorker } from './stoppable-worker.ts';

export interface Point {
  /** The request at which the worker stops; `read` counts the reads of the claim so far. */
  readonly at: (request: InterceptedRequest, names: { claim: string; volume: string }, read: number) => boolean;
  /** The server takes the request up only after the other writer is done. */
  readonly held: boolean;
  /** The other writer finds the volume reserved for the claim already. */
  readonly reserved: boolean;
}

const puts = ({ method, path }: InterceptedRequest, end: string) => method === 'PUT' && path.endsWith(`/${end}`);

export const POINTS: Readonly<Record<string, Point>> = {
  'after it read the claim again, before its first write': {
    at: ({ method, path }, { claim }, read) => method === 'GET' && path.endsWith(`/${claim}`) && read === 2,
    held: false,
    reserved: false,
  },
  'with its write of the volume on the way': {
    at: (request, { volume }) => puts(request, volume),
    held: true,
    reserved: false,
  },
  'after its write of the volume': { at: (request, { volume }) => puts(request, volume), held: false, reserved: true },
  'after its write of the volume’s status': {
    at: (request, { volume }) => puts(request, `${volume}/status`),
    held: false,
    reserved: true,
  },
  'with its write of the claim on the way': {
    at: (request, { claim }) => puts(request, claim),
    held: true,
    reserved: true,
  },
};

/**
 * Lets the worker bind a claim, which exists, to a volume, stops it at that point, and lets it go on when `meanwhile` is
 * done. Where the point is not `held`, the server's answer is on its way when the worker stops: it acts on it afterwards.
 */
export async function interruptBind(
  { server, worker }: { server: LocalApiServer; worker: StoppableWorker },
  point: Point,
  names: { claim: string; volume: string },
  meanwhile: () => Promise<void>,
): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  let read = 0;
  server.intercept = async (request) => {
    if (request.path.endsWith(`/${names.claim}`) && request.method === 'GET') read += 1;
    if (!point.at(request, names, read)) return undefined;
    server.intercept = undefined;
    await worker.suspend();
    stopped.resolve();
    if (point.held) await done.promise;
    return undefined;
  };
  const key = { kind: 'PersistentVolumeClaim', namespace: 'default', name: names.claim } as const;
  const handled = worker.handle({ v: 1, ...key, reason: 'added', hint: { volumeName: names.volume } });
  const early = handled.then(() => Promise.reject(new Error('the worker was done before it could be stopped')));
  await Promise.race([stopped.promise, early]);
  early.catch(() => {});
  await sleep(20); // the server answers, and the answer waits in the worker's socket
  await meanwhile();
  done.resolve();
  worker.resume();
  await handled;
}

/** Another controller: binds a claim to a volume by the four writes, in their order. */
export async function bindByHand(cluster: ApiServerCluster, claimName: string, volumeName: string): Promise<void> {
  const objects = new Objects(cluster);
  const claim = await objects.claim(claimName);
  let volume = await cluster.update('PersistentVolume', volumeBoundTo(await objects.volume(volumeName), claim));
  volume = await cluster.updateStatus('PersistentVolume', { ...volume, status: { phase: 'Bound' } });
  const bound = await cluster.update('PersistentVolumeClaim', claimBoundTo(claim, volume));
  const { capacity, accessModes } = volume.spec;
  const status = { phase: 'Bound', ...(capacity && { capacity }), ...(accessModes && { accessModes }) };
  await cluster.updateStatus('PersistentVolumeClaim', { ...bound, status });
}
