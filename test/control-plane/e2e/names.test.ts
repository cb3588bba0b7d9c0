/** Long, dotted and impossible names on a real API server: which of them it lets through, and what becomes of those. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendBody } from '../../e2e/queue-tools.ts';
import {
  type ControllerUnderTest,
  controllerKind,
  skipReason,
  startControllerUnderTest,
} from '../controller-under-test.ts';
import { type ControlPlane, startControlPlane } from '../harness.ts';
import { claim, claimsPath, create, untilPhase, volume, volumesPath } from '../objects.ts';

const startupMilliseconds = 60_000;
const label = 'a'.repeat(63);
const subdomain = `${label}.${label}.${label}.${'b'.repeat(61)}`;

describe.skipIf(skipReason !== undefined)(`names on a real API server (${controllerKind})`, () => {
  let plane: ControlPlane;
  let controller: ControllerUnderTest;
  const deadLetters: string[] = [];

  beforeAll(async () => {
    plane = await startControlPlane();
    const hooks = { onDeadLetter: ({ body }: { body: string }) => void deadLetters.push(body) };
    controller = await startControllerUnderTest(plane, { system: { hooks } });
  }, startupMilliseconds);

  afterAll(async () => {
    try {
      await controller?.stop();
    } finally {
      await plane?.stop();
    }
  }, startupMilliseconds);

  /** Names in the URLs of our requests that no object can have. */
  function impossibleNames(): string[] {
    const isName = (name: string) =>
      name.length <= 253 && name.split('.').every((part) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part));
    return controller.requests.map(({ name = 'none' }) => name).filter((name) => !isName(name));
  }

  test.each([
    ['of 253 characters', subdomain, `c${subdomain.slice(1)}`],
    ['of one label of 253 characters', 'v'.repeat(253), 'c'.repeat(253)],
    ['with dots', 'a.volume.of.example.com', 'the.claim-1.x'],
  ])('a volume and a claim %s are bound, and released', async (_, volumeName, claimName) => {
    const client = plane.client();
    const storageClassName = volumeName.slice(0, 1);
    await create(client, volumesPath, volume(volumeName, { storageClassName }));
    await create(client, claimsPath, claim(claimName, { storageClassName }));

    const bound = await untilPhase(client, `${claimsPath}/${claimName}`, 'Bound');
    expect(bound.spec.volumeName).toBe(volumeName);
    await untilPhase(client, `${volumesPath}/${volumeName}`, 'Bound');

    await client.request('DELETE', `${claimsPath}/${claimName}`);
    await untilPhase(client, `${volumesPath}/${volumeName}`, 'Released');
    expect(impossibleNames()).toEqual([]);
  });

  test('references that the server does not check come to rest, and reach no URL', async () => {
    const client = plane.client();
    const names = ['../x', '%2e%2e', 'UPPER', 'a/b', 'x'.repeat(254), 'a..b'];
    const accepted: string[] = [];
    for (const [index, name] of names.entries()) {
      const answers = [
        await client.request('POST', claimsPath, claim(`odd-${index}`, { volumeName: name })),
        await client.request('POST', volumesPath, volume(`odd-${index}`, { claimRef: { namespace: 'default', name } })),
      ];
      for (const { status } of answers) if (status === 201) accepted.push(name);
    }
    await controller.settled();

    // Otherwise this test would prove nothing.
    expect(accepted.length).toBeGreaterThan(0);
    expect(impossibleNames()).toEqual([]);
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(impossibleNames()).toEqual([]);
    for (const index of names.keys()) {
      const { status, body } = await client.request<{ status: { phase: string } }>('GET', `${claimsPath}/odd-${index}`);
      if (status === 200) expect(body.status.phase).toBe('Pending');
    }
  });

  test.skipIf(controllerKind !== 'ours')('messages with impossible names go to the dead letters', async () => {
    const { system } = controller;
    if (system === undefined) throw new Error('ours has a system');
    const names = ['../namespaces/kube-system/secrets/x', '%2e%2e', 'UPPER', 'x'.repeat(254), 'pv-1/status'];
    const bodies = names.map((name) => JSON.stringify({ v: 1, kind: 'PersistentVolume', name, reason: 'modified' }));
    for (const body of bodies) await sendBody(system, 'PersistentVolume', body, 'impossible');
    await controller.settled();

    expect(deadLetters.sort()).toEqual(bodies.sort());
    expect(impossibleNames()).toEqual([]);
  });
});
