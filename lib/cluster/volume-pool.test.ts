import { afterEach, describe, expect, it } from 'vitest';
import { ClusterError } from '../controller/errors.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { GoneError } from './errors.ts';
import { eventually } from './testing/http-server.ts';
import { ApiVolumePool, type VolumePoolSettings, type VolumeSource } from './volume-pool.ts';
import type { WatchEvent, WatchOptions } from './watch.ts';

function pv(name: string, resourceVersion: number, uid = `uid-${name}`): PersistentVolume {
  return {
    metadata: { name, uid, resourceVersion: String(resourceVersion) },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
  } as PersistentVolume;
}

type Change = { version: number; type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: PersistentVolume };

/** A server with a version, a history, and watches that can be dead or late. */
class FakeServer implements VolumeSource {
  version_ = 10;
  readonly volumes = new Map<string, PersistentVolume>();
  readonly history: Change[] = [];
  readonly calls: string[] = [];
  /** Bookmarks come to watches with a short time-out. */
  bookmarks = true;
  /** Watches opened while this holds never tell anything. */
  dead = false;
  oldest = 0;
  watches = 0;
  fail: Error | undefined;
  beforeList: () => Promise<void> | void = () => {};
  readonly #wake = new Set<() => void>();

  set(name: string, uid?: string): PersistentVolume {
    const type = this.volumes.has(name) ? 'MODIFIED' : 'ADDED';
    const object = pv(name, ++this.version_, uid);
    this.volumes.set(name, object);
    this.#tell({ version: this.version_, type, object });
    return object;
  }
  remove(name: string): void {
    const object = { ...this.volumes.get(name), ...pv(name, ++this.version_) };
    this.volumes.delete(name);
    this.#tell({ version: this.version_, type: 'DELETED', object });
  }
  /** A write to something that is no volume. */
  other(): void {
    this.version_++;
  }
  async get(_: 'PersistentVolume', { name }: { name: string }) {
    this.calls.push(`get ${name}`);
    return this.volumes.get(name);
  }
  async listWithVersion() {
    this.calls.push('list');
    const answer = { items: [...this.volumes.values()], resourceVersion: String(this.version_) };
    await this.beforeList();
    if (this.fail !== undefined) throw this.fail;
    return answer;
  }
  async version() {
    this.calls.push('version');
    if (this.fail !== undefined) throw this.fail;
    return { resourceVersion: String(this.version_) };
  }
  async *watch(_: 'PersistentVolume', options: WatchOptions): AsyncGenerator<WatchEvent<'PersistentVolume'>> {
    const { signal, timeoutSeconds } = options;
    this.calls.push(timeoutSeconds === undefined ? 'watch' : `watch ${timeoutSeconds}`);
    if (Number(options.resourceVersion) < this.oldest) throw new GoneError('too old', { code: 410 });
    const dead = this.dead;
    let position = Number(options.resourceVersion);
    this.watches++;
    try {
      while (!signal.aborted) {
        for (const { version, type, object } of dead ? [] : this.history) {
          if (version <= position) continue;
          position = version;
          yield { type, object };
        }
        if (timeoutSeconds !== undefined && this.bookmarks && !dead && position < this.version_) {
          position = this.version_;
          yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(position) } } };
        }
        await this.#change(signal);
      }
    } finally {
      this.watches--;
    }
  }
  #tell(change: Change): void {
    this.history.push(change);
    for (const wake of this.#wake) wake();
  }
  async #change(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake.add(resolve);
      signal.addEventListener('abort', () => resolve());
    });
    this.#wake.clear();
  }
}

const pools: ApiVolumePool[] = [];
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
});

function setUp(settings: VolumePoolSettings = {}) {
  const server = new FakeServer();
  for (const name of ['a', 'b', 'c']) server.set(name);
  const time = { now: 1_000_000 };
  const errors: unknown[] = [];
  const pool = new ApiVolumePool(server, {
    clock: { now: () => time.now },
    listUpTo: 0,
    lingerMs: 5,
    catchUpMs: 60,
    onWatchError: (error) => errors.push(error),
    ...settings,
  });
  pools.push(pool);
  const names = async (maxAgeMs = Number.POSITIVE_INFINITY) =>
    [...(await pool.volumes(maxAgeMs)).values()]
      .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
      .sort();
  return { server, time, errors, pool, names };
}

describe('the first use', () => {
  it('lists once for all who ask, then watches', async () => {
    const { server, pool, names } = setUp();
    const all = await Promise.all([pool.volumes(Number.POSITIVE_INFINITY), pool.volumes(5_000), pool.volumes(1_000)]);
    expect(new Set(all).size).toBe(1);
    expect(await names()).toEqual(['a@11', 'b@12', 'c@13']);
    expect(server.calls).toEqual(['list', 'watch']);
  });

  it('is waited for; what is young enough is answered at once, without a promise', async () => {
    const { time, pool } = setUp();
    const first = pool.volumes(5_000);
    expect(first).toBeInstanceOf(Promise);
    const index = await first;
    time.now += 5_000;
    expect(pool.volumes(5_000)).toBe(index);
    time.now += 1;
    const next = [pool.volumes(5_000), pool.volumes(0)];
    for (const each of next) expect(each).toBeInstanceOf(Promise);
    await Promise.all(next);
  });

  it('fails with the list, and tries again next time', async () => {
    const { server, names } = setUp();
    server.fail = new ClusterError('away');
    await expect(names()).rejects.toThrow('away');
    server.fail = undefined;
    expect(await names()).toHaveLength(3);
  });

  it('keeps what was stored while it listed, and takes nothing back that is gone', async () => {
    const { server, pool, names } = setUp();
    server.beforeList = () => pool.store(server.set('own'));
    pool.store(pv('old', 5));
    expect(await names()).toEqual(['a@11', 'b@12', 'c@13', 'own@14']);
  });

  it('has kept nothing of what was stored before: a worker that never asks would keep it for ever', async () => {
    const { pool, names } = setUp();
    for (let count = 0; count < 100; count++) pool.store(pv(`written-${count}`, 100 + count));
    expect(await names()).toEqual(['a@11', 'b@12', 'c@13']);
  });
});

describe('the watch', () => {
  it('brings changes and deletions without being asked', async () => {
    const { server, pool, names } = setUp();
    await names();
    server.set('d');
    server.set('a');
    server.remove('b');
    const index = await pool.volumes(Number.POSITIVE_INFINITY);
    await eventually(() => index.get('b') === undefined);
    expect(await names()).toEqual(['a@15', 'c@13', 'd@14']);
    expect(server.calls).toEqual(['list', 'watch']);
  });

  it('is opened again after it broke, but not at once', async () => {
    const { server, time, errors, names } = setUp();
    server.oldest = 1_000;
    await names();
    await eventually(() => errors.length === 1);
    server.oldest = 0;
    await names();
    time.now += 1_000;
    await names();
    expect(server.watches).toBe(1);
  });

  it('ends with the pool', async () => {
    const { server, pool, names } = setUp();
    await names();
    expect(server.watches).toBe(1);
    pool.close();
    await eventually(() => server.watches === 0);
    await expect(pool.volumes(0)).rejects.toThrow('closed');
  });

  it('does not run in circles when the server ends every watch at once', async () => {
    const { server, errors, names } = setUp();
    let opened = 0;
    server.watch = async function* () {
      opened++;
      yield* [];
    };
    await names();
    await eventually(() => errors.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(opened).toBe(1);
  });
});

describe('a refresh', () => {
  it('is not needed while the last one is young enough', async () => {
    const { server, time, names } = setUp();
    await names();
    time.now += 4_000;
    await names(5_000);
    expect(server.calls).toEqual(['list', 'watch']);
  });

  it('is done when the running watch has reached the version of now', async () => {
    const { server, time, names } = setUp();
    await names();
    time.now += 10_000;
    server.set('d');
    expect(await names(5_000)).toContain('d@14');
    expect(server.calls).toEqual(['list', 'watch', 'version']);
  });

  it('takes no silent watch for fresh: it opens a new one, which sends a bookmark soon', async () => {
    const { server, time, names } = setUp();
    server.dead = true;
    await names();
    server.dead = false;
    server.set('d');
    server.other();
    time.now += 10_000;
    expect(await names(5_000)).toContain('d@14');
    expect(server.calls).toEqual(['list', 'watch', 'version', 'watch 3']);
    expect(server.watches).toBe(1);
    time.now += 4_000;
    await names(5_000);
    expect(server.calls).toHaveLength(4);
  });

  it('lists when no bookmark comes', async () => {
    const { server, time, names } = setUp();
    await names();
    server.bookmarks = false;
    server.other();
    time.now += 10_000;
    await names(5_000);
    expect(server.calls).toEqual(['list', 'watch', 'version', 'watch 3', 'list']);
  });

  it('lists when the server has forgotten the position', async () => {
    const { server, time, names } = setUp();
    server.dead = true;
    await names();
    server.dead = false;
    server.oldest = 14;
    server.remove('a');
    server.other();
    time.now += 10_000;
    expect(await names(5_000)).toEqual(['b@12', 'c@13']);
    expect(server.calls.filter((call) => call === 'list')).toHaveLength(2);
  });

  it('is a list where a list is as cheap', async () => {
    const { server, time, names } = setUp({ listUpTo: 3 });
    await names();
    server.other();
    time.now += 10_000;
    await names(5_000);
    expect(server.calls).toEqual(['list', 'watch', 'list']);
    expect(server.watches).toBe(1);
  });

  it('is none where volumes are being written: the watch gets there by itself', async () => {
    const { server, time, pool, names } = setUp({ listUpTo: 100, lingerMs: 10_000 });
    const index = await pool.volumes(0);
    server.set('d');
    await eventually(() => index.get('d') !== undefined);
    time.now += 900;
    const refreshed = names(500);
    await eventually(() => server.calls.includes('version'));
    server.set('e');
    expect(await refreshed).toContain('d@14');
    expect(server.calls).toEqual(['list', 'watch', 'version']);
  });

  it('is a list after all where the watch does not get there, and no new watch', async () => {
    const { server, time, pool, names } = setUp({ listUpTo: 100, lingerMs: 1 });
    const index = await pool.volumes(0);
    server.set('d');
    await eventually(() => index.get('d') !== undefined);
    server.other();
    time.now += 900;
    expect(await names(500)).toContain('d@14');
    expect(server.calls).toEqual(['list', 'watch', 'version', 'list']);
  });

  it('is a list again a second after the last event', async () => {
    const { server, time, pool, names } = setUp({ listUpTo: 100 });
    const index = await pool.volumes(0);
    server.set('d');
    await eventually(() => index.get('d') !== undefined);
    time.now += 1_000;
    await names(500);
    expect(server.calls).toEqual(['list', 'watch', 'list']);
  });

  it('with age 0 begins after the call, also when one is under way', async () => {
    const { server, time, names } = setUp({ listUpTo: 100 });
    await names();
    time.now += 10_000;
    let release = (): void => {};
    server.beforeList = () => new Promise<void>((resolve) => (release = resolve));
    server.dead = true;
    const first = names(0);
    await eventually(() => server.calls.filter((call) => call === 'list').length === 2);
    server.beforeList = () => {};
    server.set('late');
    const second = names(0);
    release();
    await first;
    expect(await second).toContain('late@14');
  });

  it('with age 0 asks anew within one millisecond', async () => {
    const { server, names } = setUp({ listUpTo: 100 });
    await names(0);
    server.dead = true;
    server.set('d');
    expect(await names(0)).toContain('d@14');
    expect(server.calls.filter((call) => call === 'list')).toHaveLength(2);
  });

  it('fails with the server, and what is held stays', async () => {
    const { server, time, names } = setUp();
    await names();
    server.fail = new ClusterError('away');
    time.now += 10_000;
    await expect(names(5_000)).rejects.toThrow('away');
    expect(await names()).toHaveLength(3);
  });

  it('can be cancelled', async () => {
    const { server, time, pool, names } = setUp({ catchUpMs: 10_000 });
    await names();
    server.bookmarks = false;
    server.other();
    time.now += 10_000;
    const pending = names(0);
    await eventually(() => server.calls.includes('watch 3'));
    pool.cancel();
    await expect(pending).rejects.toThrow('cancelled');
  });
});

describe('store and drop', () => {
  it('shows an own write before its event', async () => {
    const { server, pool, names } = setUp();
    server.dead = true;
    await names();
    pool.store(pv('a', 20));
    pool.store(pv('new', 21));
    expect(await names()).toEqual(['a@20', 'b@12', 'c@13', 'new@21']);
  });

  it('leaves out what is older than what is held', async () => {
    const { pool, names } = setUp();
    await names();
    pool.store(pv('c', 9));
    expect(await names()).toContain('c@13');
  });

  it('does not bring a deleted volume back with a late result', async () => {
    const { server, pool, names } = setUp();
    const index = await pool.volumes(0);
    const late = server.volumes.get('a') as PersistentVolume;
    server.remove('a');
    await eventually(() => index.get('a') === undefined);
    pool.store(late);
    expect(await names()).toEqual(['b@12', 'c@13']);
  });

  it('takes a new volume of the same name', async () => {
    const { server, pool, names } = setUp();
    const index = await pool.volumes(0);
    server.remove('a');
    await eventually(() => index.get('a') === undefined);
    pool.store(server.set('a', 'uid-2'));
    expect(await names()).toContain('a@15');
  });

  it('does not let an old deletion take a newer volume of the same name', async () => {
    const { server, pool, names } = setUp();
    server.dead = true;
    const index = await pool.volumes(0);
    server.dead = false;
    server.remove('a');
    pool.store(server.set('a', 'uid-2'));
    await pool.volumes(0);
    expect(index.get('a')?.metadata.uid).toBe('uid-2');
    expect(await names()).toContain('a@15');
  });

  it('hides a dropped volume until something newer is known', async () => {
    const { server, pool, names } = setUp();
    await names();
    pool.drop('a');
    pool.drop('unknown');
    pool.store(pv('a', 11));
    expect(await names()).toEqual(['b@12', 'c@13']);
    server.set('a');
    const index = await pool.volumes(Number.POSITIVE_INFINITY);
    await eventually(() => index.get('a') !== undefined);
    expect(await names()).toContain('a@14');
  });

  it('takes the newer result of an own read for a dropped volume', async () => {
    const { pool, names } = setUp();
    await names();
    pool.drop('a');
    pool.store(pv('a', 20));
    expect(await names()).toContain('a@20');
  });

  it('keeps what is newer than the version that conflicted', async () => {
    const { pool, names } = setUp();
    await names();
    pool.drop('c', '12');
    pool.drop('b', '12');
    expect(await names()).toEqual(['a@11', 'c@13']);
  });

  it('reads dropped volumes again when a fresh pool is asked for, even at the same version', async () => {
    const { server, pool, names } = setUp();
    await names();
    pool.drop('a');
    pool.drop('b');
    server.volumes.delete('b');
    expect(await names(5_000)).toEqual(['a@11', 'c@13']);
    expect(server.calls).toEqual(['list', 'watch', 'get a', 'get b']);
    await names(5_000);
    expect(server.calls).toHaveLength(4);
  });

  it('lists instead of reading very many', async () => {
    const { server, pool, names } = setUp();
    for (let number = 0; number < 30; number++) server.set(`v${number}`);
    await names();
    for (let number = 0; number < 30; number++) pool.drop(`v${number}`);
    expect(await names(5_000)).toHaveLength(33);
    expect(server.calls).toEqual(['list', 'watch', 'list']);
  });
});
