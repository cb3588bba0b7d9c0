import { describe, expect, it } from 'vitest';
import type { Body } from './client.ts';
import { expectFailure, type Fixture, hold, volumesPath } from './fixture.ts';
import type { WatchEvent } from './watch.ts';

const encode = encodeURIComponent;
const version = (event: WatchEvent) => Number(event.object.metadata.resourceVersion);

/** What watches bring. */
export function watchContract(fixture: Fixture): void {
  const now = async () => (await fixture.client.get(volumesPath)).body.metadata.resourceVersion;
  const about = (object: Body) => (event: WatchEvent) => event.object.metadata?.name === object.metadata.name;

  describe('watches', () => {
    it('brings each change in order, with its resourceVersion', async () => {
      const watch = await fixture.client.watch(`${fixture.claimsPath}?watch=true&resourceVersion=${await now()}`);
      const object = await fixture.createClaim();
      object.status = { phase: 'Bound' };
      const bound = (await fixture.put(object, '/status')).body;
      const deleted = (await fixture.client.delete(fixture.pathOf(object))).body;

      const events = [await watch.next(about(object))];
      while (events.at(-1)?.type !== 'DELETED') events.push(await watch.next());
      expect(events[0]?.type).toBe('ADDED');
      expect(events.slice(1, -1).every((event) => event.type === 'MODIFIED')).toBe(true);
      expect(events.at(-2)?.object).toEqual(bound);
      // The last state, under the resourceVersion of the deletion.
      const { metadata, ...state } = events.at(-1)?.object ?? {};
      expect(state).toEqual({ ...bound, metadata: undefined });
      expect(metadata.resourceVersion).toBe(deleted.metadata.resourceVersion);
      expect(events.map(version)).toEqual(events.map(version).toSorted((a, b) => a - b));
      expect(new Set(events.map(version)).size).toBe(events.length);
    });

    it('brings what has happened since the resourceVersion that it starts from, and not that version itself', async () => {
      const before = await now();
      const object = await fixture.createVolume();
      object.metadata.labels = { a: 'b' };
      const changed = (await fixture.put(object)).body;
      const all = await fixture.client.watch(`${volumesPath}?watch=1&resourceVersion=${before}`);
      expect((await all.next(about(object))).type).toBe('ADDED');
      expect((await all.next((event) => version(event) === Number(changed.metadata.resourceVersion))).type).toBe(
        'MODIFIED',
      );

      const rest = await fixture.client.watch(
        `${volumesPath}?watch=1&resourceVersion=${changed.metadata.resourceVersion}`,
      );
      const later = await fixture.createVolume();
      expect((await rest.next()).object.metadata.name).toBe(later.metadata.name);
    });

    it.each(['', '&resourceVersion=0'])('starts with what is there when it starts nowhere ("%s")', async (query) => {
      const object = await fixture.createClaim();
      const watch = await fixture.client.watch(`${fixture.claimsPath}?watch=true${query}`);
      const event = await watch.next(about(object));
      expect(event).toEqual({ type: 'ADDED', object: await fixture.read(object) });
      const later = await fixture.createClaim();
      expect((await watch.next(about(later))).type).toBe('ADDED');
    });

    it('shows the deletion of a held object as a modification first, and then its last stored state', async () => {
      const object = await fixture.createVolume({}, { finalizers: [hold] });
      const watch = await fixture.client.watch(
        `${volumesPath}?watch=true&resourceVersion=${object.metadata.resourceVersion}`,
      );
      const { body: marked } = await fixture.client.delete(fixture.pathOf(object));
      await fixture.put({ ...marked, metadata: { ...marked.metadata, finalizers: [] } });
      const [modified, deleted] = await watch.take(2);
      expect(modified).toEqual({ type: 'MODIFIED', object: marked });
      expect(deleted?.type).toBe('DELETED');
      expect(deleted?.object.metadata.finalizers).toEqual([hold]);
      expect(Number(deleted?.object.metadata.resourceVersion)).toBeGreaterThan(Number(marked.metadata.resourceVersion));
    });

    it('brings nothing for an update that changes nothing', async () => {
      const object = await fixture.createVolume();
      const watch = await fixture.client.watch(
        `${volumesPath}?watch=true&resourceVersion=${object.metadata.resourceVersion}`,
      );
      await fixture.put(object);
      const later = await fixture.createVolume();
      expect((await watch.next()).object.metadata.name).toBe(later.metadata.name);
    });

    it('watches one namespace or all of them', async () => {
      const path = '/api/v1/persistentvolumeclaims?watch=true';
      const start = await now();
      const all = await fixture.client.watch(`${path}&resourceVersion=${start}`);
      const elsewhere = await fixture.client.watch(
        `/api/v1/namespaces/kube-system/persistentvolumeclaims?watch=true&resourceVersion=${start}&timeoutSeconds=1`,
      );
      const object = await fixture.createClaim();
      expect((await all.next()).object.metadata).toMatchObject({
        name: object.metadata.name,
        namespace: fixture.namespace,
      });
      await elsewhere.ended;
      expect(elsewhere.events).toEqual([]);
    });

    it('watches one object by its name', async () => {
      const object = await fixture.createPod();
      const selector = encode(`metadata.name=${object.metadata.name}`);
      const { resourceVersion } = object.metadata;
      const watch = await fixture.client.watch(
        `${fixture.path('pods')}?watch=true&fieldSelector=${selector}&resourceVersion=${resourceVersion}`,
      );
      await fixture.createPod();
      object.status.phase = 'Succeeded';
      await fixture.put(object, '/status');
      const event = await watch.next();
      expect(event).toMatchObject({ type: 'MODIFIED', object: { status: { phase: 'Succeeded' } } });
    });

    it('shows an object that leaves the selection as deleted, and one that enters it as added', async () => {
      const selector = encode(`watched=${fixture.namespace}`);
      const watch = await fixture.client.watch(
        `${volumesPath}?watch=true&labelSelector=${selector}&resourceVersion=${await now()}`,
      );
      const object = await fixture.createVolume();
      const label = (watched: string) =>
        fixture.client.patch(fixture.pathOf(object), { metadata: { labels: { watched } } });
      await label(fixture.namespace);
      await label('no-more');
      const [added, deleted] = await watch.take(2);
      expect(added?.type).toBe('ADDED');
      expect(deleted?.type).toBe('DELETED');
      expect(deleted?.object.metadata.labels).toEqual({ watched: fixture.namespace });
    });

    it('ends after timeoutSeconds', async () => {
      const started = Date.now();
      const watch = await fixture.client.watch(
        `${volumesPath}?watch=true&timeoutSeconds=1&resourceVersion=${await now()}`,
      );
      await watch.ended;
      expect(Date.now() - started).toBeGreaterThan(900);
      expect(Date.now() - started).toBeLessThan(3000);
    });

    it('brings bookmarks to those who ask for them', async () => {
      const start = await now();
      const query = `watch=true&timeoutSeconds=6&resourceVersion=${start}`;
      const watch = await fixture.client.watch(`${volumesPath}?${query}&allowWatchBookmarks=true`);
      const without = await fixture.client.watch(`${volumesPath}?${query}`);
      const object = await fixture.createVolume();
      const created = Number(object.metadata.resourceVersion);
      const event = await watch.next((one) => one.type === 'BOOKMARK' && version(one) >= created);
      expect(event.object).toMatchObject({ kind: 'PersistentVolume', apiVersion: 'v1' });
      expect(Object.keys(event.object.metadata)).toEqual(['resourceVersion']);
      expect(without.events.map(({ type }) => type)).not.toContain('BOOKMARK');
    });

    it('brings a whole list over a watch, and marks its end', async () => {
      const object = await fixture.createVolume();
      const path = `${volumesPath}?watch=true&sendInitialEvents=true`;
      const watch = await fixture.client.watch(`${path}&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`);
      const end = await watch.next(({ type }) => type === 'BOOKMARK');
      expect(end.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
      expect(watch.events.filter(about(object))).toHaveLength(1);
      expectFailure(await fixture.client.get(path), 422, 'Invalid');
    });

    it('shows the end of a pod as a modification first', async () => {
      const object = await fixture.createPod();
      const watch = await fixture.client.watch(
        `${fixture.path('pods')}?watch=true&resourceVersion=${object.metadata.resourceVersion}`,
      );
      await fixture.client.delete(fixture.pathOf(object));
      const events = await watch.take(2);
      expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED']);
      expect(events[0]?.object.metadata.deletionGracePeriodSeconds).toBe(0);
    });
  });
}
