import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { type ApiServerUnderTest, Client } from './client.ts';
import { creationContract } from './creation.ts';
import { deletionContract } from './deletion.ts';
import { expiryContract } from './expiry.ts';
import { failureContract } from './failures.ts';
import { Fixture } from './fixture.ts';
import { listContract } from './lists.ts';
import { updateContract } from './updates.ts';
import { validationContract } from './validation.ts';
import { watchContract } from './watches.ts';

export type { ApiServerUnderTest } from './client.ts';

/**
 * Declares the tests of everything about an API server that the controller relies on. The local API server and the real
 * one have to pass the same ones, so that what is tested on the one holds on the other.
 *
 * @example
 * apiServerContract('the local API server', async () => {
 *   const server = await startApiServer();
 *   return { url: server.url, namespace: 'default', stop: () => server.stop() };
 * });
 */
export function apiServerContract(name: string, connect: () => Promise<ApiServerUnderTest>): void {
  describe(name, () => {
    const fixture = new Fixture();

    beforeAll(async () => {
      fixture.client = new Client(await connect());
    });

    afterEach(() => fixture.client.closeWatches());

    afterAll(async () => {
      await fixture.cleanUp();
      await fixture.client.server.stop();
    });

    failureContract(fixture);
    creationContract(fixture);
    validationContract(fixture);
    updateContract(fixture);
    deletionContract(fixture);
    listContract(fixture);
    watchContract(fixture);
    // Last, since it may restart the server.
    expiryContract(fixture);
  });
}
