/** What ends that an object was just read: whatever a sync waits for after it. */
import { describe, expect, test } from 'vitest';
import { withLatestRead } from '../../lib/controller/latest-read.ts';
import type { SyncContext } from '../../lib/controller/ports.ts';
import { claim, volume } from '../../lib/controller/testing/objects.ts';
import type { PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { InterceptedCluster } from './intercepted-cluster.ts';
import { failing, Scene } from './scene.ts';

const KEY = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one' } as const;
const CAUSE = { uid: 'uid', resourceVersion: '1' };

function setup() {
  const scene = new Scene({ PersistentVolumeClaim: [claim('one')], PersistentVolume: [volume('pv')] });
  const ctx = withLatestRead(scene.ctx);
  return { scene, ctx, read: (name = 'one') => readOf(ctx, name), just: (object: object) => isJust(ctx, object) };
}

async function readOf({ cluster }: SyncContext, name: string): Promise<PersistentVolumeClaim> {
  return (await cluster.get('PersistentVolumeClaim', { ...KEY, name })) as PersistentVolumeClaim;
}

function isJust(ctx: SyncContext, object: object): boolean | undefined {
  return ctx.isJustRead?.(object as PersistentVolumeClaim);
}

test('a claim was just read until it is read anew: the older answer is none any more', async () => {
  const { read, just } = setup();
  const one = await read();
  expect(just(one)).toBe(true);
  const again = await read();
  expect([just(one), just(again)]).toEqual([false, true]);
});

test('neither a copy was just read, nor anything before the first read', async () => {
  const { read, just } = setup();
  expect(just(claim('one'))).toBe(false);
  expect(just({ ...(await read()) })).toBe(false);
});

const WAITS: Readonly<Record<string, (ctx: SyncContext) => Promise<unknown>>> = {
  'a list': ({ cluster }) => cluster.list('Pod'),
  'a read of another object': ({ cluster }) => cluster.get('PersistentVolume', { name: 'pv' }),
  'a read of what is gone': ({ cluster }) => cluster.get('StorageClass', { name: 'none' }),
  'a create': ({ cluster }) => cluster.create('PersistentVolume', volume('new')),
  'an update': ({ cluster }) => cluster.update('PersistentVolume', volume('pv', { annotations: { a: 'b' } })),
  'an update of a status': ({ cluster }) => cluster.updateStatus('PersistentVolume', volume('pv')),
  'a delete': ({ cluster }) => cluster.delete('PersistentVolume', volume('pv')),
  'an event': ({ cluster }) =>
    cluster.event({ kind: KEY.kind, object: claim('one'), type: 'Normal', reason: 'R', message: 'm' }),
  'a refresh of the pool': async ({ pool }) => pool.volumes(0),
  'an enqueue': ({ enqueue }) => enqueue(KEY, CAUSE),
  'an operation': ({ runOperation }) => runOperation('delete-pv[uid]', async () => {}),
  'a sleep': ({ clock }) => clock.sleep(1),
};

describe.each(Object.entries(WAITS))('%s ends it', (_, wait) => {
  test('when it is begun, and it stays ended', async () => {
    const { ctx, read, just } = setup();
    const one = await read();
    const waited = wait(ctx);
    expect(just(one)).toBe(false);
    await waited;
    expect(just(one)).toBe(false);
  });
});

test('a call that fails ends it too', async () => {
  const { scene, read, just } = setup();
  const one = await read();
  failing(scene, 'get', 'persistentvolumeclaims', new Error('no answer'));
  await expect(read()).rejects.toThrow('no answer');
  expect(just(one)).toBe(false);
});

test('the answer to an earlier call ends it when it comes later', async () => {
  const list = Promise.withResolvers<void>();
  const before = ({ verb }: { verb: string }) => (verb === 'list' ? list.promise : undefined);
  const { ctx: plain } = new Scene({ PersistentVolumeClaim: [claim('one')] }, [], {
    over: (inner) => new InterceptedCluster(inner, { before }),
  });
  const ctx = withLatestRead(plain);
  const listed = ctx.cluster.list('Pod');
  const one = await readOf(ctx, 'one');
  expect(isJust(ctx, one)).toBe(true);
  list.resolve();
  await listed;
  expect(isJust(ctx, one)).toBe(false);
});

test('volumes at hand, and what is done to the pool, leave it', async () => {
  const { scene, just } = setup();
  const pool = { ...scene.ctx.pool, volumes: () => new VolumeIndex([volume('pv')]) };
  const ctx = withLatestRead({ ...scene.ctx, pool });
  const one = await readOf(ctx, 'one');
  await ctx.pool.volumes(5_000);
  ctx.pool.store(volume('pv'));
  ctx.pool.hold('pv', 'uid')();
  ctx.pool.drop('pv');
  expect(ctx.clock.now()).toBe(0);
  expect([isJust(ctx, one), just(one)]).toEqual([true, false]);
});
