import { describe, expect, it } from 'vitest';
import { expectFailure, type Fixture, volumesPath } from './fixture.ts';

/** What becomes of resourceVersions that are too old. */
export function expiryContract(fixture: Fixture): void {
  describe('history', () => {
    it('ends a watch from a resourceVersion that is too old by an error event', async ({ skip }) => {
      const { compactHistory } = fixture.client.server;
      if (compactHistory === undefined) return skip('the server has no way to forget');
      const { resourceVersion } = (await fixture.createVolume()).metadata;
      await fixture.createVolume();
      await compactHistory();

      const watch = await fixture.client.watch(`${volumesPath}?watch=true&resourceVersion=${resourceVersion}`);
      expect(watch.status).toBe(200);
      const event = await watch.next();
      expect(event.type).toBe('ERROR');
      expect(event.object).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 });
      expect(event.object.message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
      await watch.ended;
      expect(watch.events).toHaveLength(1);
    }, 60_000);

    it('refuses a continue token that is too old, and offers another one', async ({ skip }) => {
      const { compactHistory } = fixture.client.server;
      if (compactHistory === undefined) return skip('the server has no way to forget');
      await fixture.createVolume();
      await fixture.createVolume();
      const first = (await fixture.client.get(`${volumesPath}?limit=1`)).body;
      await fixture.createVolume();
      await compactHistory();

      const next = (token: string) =>
        fixture.client.get(`${volumesPath}?limit=1000&continue=${encodeURIComponent(token)}`);
      const answer = await next(first.metadata.continue);
      expect(answer.status).toBe(410);
      expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 });
      const rest = await next(answer.body.metadata.continue);
      expect(rest.status).toBe(200);
      const { items } = (await fixture.client.get(volumesPath)).body;
      expect(rest.body.items).toHaveLength(items.length - 1);
    }, 60_000);

    it('watches on from a fresh list', async () => {
      const { metadata } = (await fixture.client.get(volumesPath)).body;
      const watch = await fixture.client.watch(`${volumesPath}?watch=true&resourceVersion=${metadata.resourceVersion}`);
      const object = await fixture.createVolume();
      expect((await watch.next()).object.metadata.name).toBe(object.metadata.name);
    });

    it('refuses a resourceVersion that is none', async () => {
      expectFailure(await fixture.client.get(`${volumesPath}?resourceVersion=x`), 400, 'BadRequest');
    });
  });
}
