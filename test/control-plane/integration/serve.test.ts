/** `npm run test:serve`, as a test suite of somebody else would use it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SIMULATED_PROVISIONER } from '../../../local/simulated-plugin.ts';
import { controllerKind, skipReason } from '../controller-under-test.ts';
import { type ControlPlane, startControlPlane } from '../harness.ts';
import { allFunctions } from '../identities.ts';
import { applyPermissions } from '../permissions.ts';
import { claim, storageClass, volume } from './objects.ts';
import { World } from './world.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const stopMilliseconds = 5_000;

describe.skipIf(skipReason !== undefined || controllerKind !== 'ours')('npm run test:serve', () => {
  let plane: ControlPlane;
  let world: World;
  let server: ChildProcess;
  const output: string[] = [];

  beforeAll(async () => {
    plane = await startControlPlane();
    await plane.startControllerManager({ binder: false });
    await applyPermissions(plane.client(), 'enforce', 'in-tree');
    world = await World.open(plane, 'served');
    server = serve('--kubeconfig', plane.kubeconfig(allFunctions));
    for await (const line of createInterface({ input: server.stdout ?? process.stdin })) {
      output.push(line);
      if (line.includes('serving')) break;
    }
    server.stdout?.resume();
  });

  afterAll(async () => {
    server?.kill('SIGKILL');
    await world?.close();
    await plane?.stop();
  });

  /** Waits until a claim is Bound, deletes it, and gives its volume's name. */
  async function boundAndDeleted(name: string): Promise<string> {
    const volumeName = await world.claims.until(`${name} Bound`, (events) => {
      const bound = events.find(({ object }) => object.metadata.name === name && object.status.phase === 'Bound');
      return bound?.object.spec.volumeName;
    });
    await world.untilPassed(volumeName, 'Bound');
    await world.deleteClaim(name);
    return volumeName;
  }

  test('says where it serves', () => {
    expect(output.at(-1)).toContain(plane.url);
  });

  test('provisions a volume, and deletes it with its claim', async () => {
    await world.createClass(storageClass('gold', SIMULATED_PROVISIONER));
    await world.createClaim(claim('provisioned', '1G', { storageClassName: 'gold' }));

    const name = await boundAndDeleted('provisioned');

    await world.untilPassed(name, 'Bound', 'Released');
    await world.volumes.until('a deleted volume', (events) =>
      events.some(({ type, object }) => type === 'DELETED' && object.metadata.name === name),
    );
  });

  test('binds a volume, and recycles it when its claim is deleted', async () => {
    await world.createVolume(volume('recycled', '1G', { policy: 'Recycle' }));
    await world.createClaim(claim('recycling', '1G'));

    expect(await boundAndDeleted('recycling')).toBe('recycled');

    await world.untilPassed('recycled', 'Available', 'Bound', 'Released', 'Available');
  });

  test('leaves with 0 soon after SIGTERM', async () => {
    const signalled = performance.now();
    server.kill('SIGTERM');

    expect(await once(server, 'exit')).toEqual([0, null]);

    expect(performance.now() - signalled).toBeLessThan(stopMilliseconds);
  });

  test('without a kubeconfig says what is missing and leaves with 2', async () => {
    const child = serve();
    const said = createInterface({ input: child.stderr ?? process.stdin })[Symbol.asyncIterator]();

    expect((await said.next()).value).toContain('--kubeconfig');
    expect(await once(child, 'exit')).toEqual([2, null]);
  });
});

/** As the npm script, but without npm, which would hide the exit code of a signalled program. */
function serve(...args: readonly string[]): ChildProcess {
  return spawn(`${root}/node_modules/.bin/node`, [`${root}/local/serve.ts`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
