import { describe, expect, it } from 'vitest';
import type { Body } from './client.ts';
import { expectFailure, type Fixture, volumesPath } from './fixture.ts';

const names = (list: Body): string[] => list.items.map((item: Body) => item.metadata.name);
const encode = encodeURIComponent;

/** What lists show. */
export function listContract(fixture: Fixture): void {
  describe('lists', () => {
    it('lists objects in the order of their names, without their kind', async () => {
      const created = [await fixture.createVolume(), await fixture.createVolume()];
      const { body } = await fixture.client.get(volumesPath);
      expect(body).toMatchObject({ kind: 'PersistentVolumeList', apiVersion: 'v1' });
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(created[1].metadata.resourceVersion));
      expect(names(body)).toEqual(names(body).toSorted());
      const { kind: _, apiVersion: __, ...rest } = created[0];
      const item = body.items.find((one: Body) => one.metadata.uid === created[0].metadata.uid);
      delete rest.metadata.managedFields;
      delete item.metadata.managedFields;
      expect(item).toEqual(rest);
    });

    it('lists one namespace or all of them', async () => {
      const { metadata } = await fixture.createClaim();
      expect(names((await fixture.client.get(fixture.claimsPath)).body)).toContain(metadata.name);
      expect(names((await fixture.client.get('/api/v1/persistentvolumeclaims')).body)).toContain(metadata.name);
      const elsewhere = await fixture.client.get('/api/v1/namespaces/kube-system/persistentvolumeclaims');
      expect(names(elsewhere.body)).not.toContain(metadata.name);
    });

    it('lists nothing in a namespace that does not exist', async () => {
      const { status, body } = await fixture.client.get('/api/v1/namespaces/missing/pods');
      expect({ status, items: body.items }).toEqual({ status: 200, items: [] });
    });

    it('shows one moment over all pages, whatever happens in between', async () => {
      const pods = [await fixture.createPod(), await fixture.createPod(), await fixture.createPod()];
      const path = fixture.path('pods');
      const whole = names((await fixture.client.get(path)).body);
      const first = (await fixture.client.get(`${path}?limit=1`)).body;
      expect(first.metadata.remainingItemCount).toBe(whole.length - 1);
      await fixture.createPod();
      await fixture.client.delete(fixture.pathOf(pods[2]), { gracePeriodSeconds: 0 });

      const pages = [first];
      for (let page = first; page.metadata.continue; pages.push(page)) {
        page = (await fixture.client.get(`${path}?limit=2&continue=${encode(page.metadata.continue)}`)).body;
      }
      expect(pages.flatMap(names)).toEqual(whole);
      expect(new Set(pages.map((page) => page.metadata.resourceVersion)).size).toBe(1);
      expect(pages.at(-1).metadata).not.toHaveProperty('remainingItemCount');
    });

    it('says nothing of a next page when all fits', async () => {
      const { body } = await fixture.client.get(`${fixture.path('pods')}?limit=500`);
      expect(body.metadata).not.toHaveProperty('continue');
    });

    it('lists from its cache with resourceVersion 0', async () => {
      await fixture.createVolume();
      const { status, body } = await fixture.client.get(`${volumesPath}?resourceVersion=0`);
      expect(status).toBe(200);
      expect(body.items.length).toBeGreaterThan(0);
    });

    it('asks to come back when a resourceVersion is of the future', async () => {
      for (const path of [volumesPath, `${volumesPath}/any`]) {
        const answer = await fixture.client.get(`${path}?resourceVersion=99999999999`);
        const status = expectFailure(answer, 504, 'Timeout');
        expect(status.message).toMatch(/^Timeout: Too large resource version: 99999999999, current: \d+$/);
        expect(status.details.causes).toEqual([
          { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
        ]);
        expect(answer.headers['retry-after']).toBe('1');
      }
    });

    it.each([
      'continue=nonsense',
      'limit=x',
      'resourceVersion=x',
      'fieldSelector=spec.unknown%3Dx',
      'fieldSelector=nonsense',
    ])('refuses %s', async (query) => {
      expectFailure(await fixture.client.get(`${volumesPath}?${query}`), 400, 'BadRequest');
    });

    it('selects by name and by label', async () => {
      const { metadata } = await fixture.createVolume({}, { labels: { contract: fixture.namespace } });
      const select = async (query: string) => names((await fixture.client.get(`${volumesPath}?${query}`)).body);
      expect(await select(`fieldSelector=${encode(`metadata.name=${metadata.name}`)}`)).toEqual([metadata.name]);
      expect(await select(`fieldSelector=${encode(`metadata.name!=${metadata.name}`)}`)).not.toContain(metadata.name);
      for (const selector of [`contract=${fixture.namespace}`, `contract in (${fixture.namespace},x)`]) {
        expect(await select(`labelSelector=${encode(selector)}`)).toEqual([metadata.name]);
      }
      expect(await select(`labelSelector=${encode('contract')}`)).toContain(metadata.name);
      expect(await select(`labelSelector=${encode('!contract')}`)).not.toContain(metadata.name);
    });

    it('selects pods by node and phase, and events by what they are about', async () => {
      const { metadata } = await fixture.createPod({ nodeName: 'somewhere' });
      const pods = `${fixture.path('pods')}?fieldSelector=`;
      const selector = encode('spec.nodeName=somewhere,status.phase=Pending');
      expect(names((await fixture.client.get(`${pods}${selector}`)).body)).toEqual([metadata.name]);
      expect(names((await fixture.client.get(`${pods}${encode('status.phase=Running')}`)).body)).toEqual([]);
      const event = await fixture.create(fixture.path('events'), {
        metadata: { name: fixture.name('event') },
        involvedObject: { kind: 'Pod', name: metadata.name, namespace: fixture.namespace },
        type: 'Normal',
      });
      const about = encode(`involvedObject.name=${metadata.name},involvedObject.kind=Pod`);
      const events = (await fixture.client.get(`${fixture.path('events')}?fieldSelector=${about}`)).body;
      expect(names(events)).toEqual([event.metadata.name]);
    });

    it('makes a table for whoever prefers one', async () => {
      const { metadata } = await fixture.createVolume();
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
      const { body } = await fixture.client.request('GET', `${volumesPath}/${metadata.name}`, { accept });
      expect(body.kind).toBe('Table');
      const columns = body.columnDefinitions.map((column: Body) => column.name);
      const cell = (name: string) => body.rows[0].cells[columns.indexOf(name)];
      expect(cell('Name')).toBe(metadata.name);
      expect(cell('Capacity')).toBe('1Gi');
      expect(cell('Access Modes')).toBe('RWO');
      expect(cell('Reclaim Policy')).toBe('Retain');
      expect(cell('Status')).toBe('Pending');
    });
  });
}
