/**
 * Each function may do what it needs and nothing else: every scenario succeeds with the rights that infra/kubernetes
 * gives, and with any one verb less the scenario that stands for that verb fails. docs/kubernetes-permissions.md says
 * which; UPDATE_DOCS=1 writes it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Mode } from '../../lib/worker/sync-key.ts';
import { controllerKind, skipReason, startControllerUnderTest } from './controller-under-test.ts';
import { type ControlPlane, startControlPlane } from './harness.ts';
import { bridgeScenarios } from './least-privilege/bridge-scenarios.ts';
import { claimScenarios } from './least-privilege/claim-scenarios.ts';
import { namespace } from './least-privilege/objects.ts';
import { pageOf } from './least-privilege/page.ts';
import { isAllowed, type Permission, permissionsOf, takeAway } from './least-privilege/permission.ts';
import type { Scenario } from './least-privilege/scenario.ts';
import { Stage } from './least-privilege/stage.ts';
import { volumeScenarios } from './least-privilege/volume-scenarios.ts';
import { applyPermissions, type Part } from './permissions.ts';

const scenarios = [...volumeScenarios, ...claimScenarios, ...bridgeScenarios];
/** Assist has the rights of enforce. */
type Rights = Exclude<Mode, 'assist'>;
const partsOf: Readonly<Record<Rights, readonly Part[]>> = {
  observe: ['observe', 'recycling/observe'],
  enforce: ['enforce', 'recycling/enforce', 'in-tree'],
};
const isRun = skipReason === undefined && controllerKind === 'ours';
const permissions: Readonly<Record<Rights, readonly Permission[]>> = {
  observe: isRun ? await permissionsOf(...partsOf.observe) : [],
  enforce: isRun ? await permissionsOf(...partsOf.enforce) : [],
};
const page = fileURLToPath(new URL('../../docs/kubernetes-permissions.md', import.meta.url));

/** Which scenario fails without a permission. @throws Error when none is said to. */
function scenarioFor({ identity, name }: Permission, mode: Mode): Scenario {
  const found = scenarios.find(
    (scenario) => scenario.identity === identity && scenario.needs.includes(name) && (scenario.mode ?? mode) === mode,
  );
  if (found === undefined) throw new Error(`${identity} may ${name} in mode ${mode}, and no scenario needs it`);
  return found;
}

const methods: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT', delete: 'DELETE' };

describe.skipIf(!isRun)('least privilege', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    // Claims without a class stay so: giving them the default one is the controller's work here.
    const disableAdmission = ['ServiceAccount', 'StorageObjectInUseProtection', 'DefaultStorageClass'];
    plane = await startControlPlane({ disableAdmission });
    await plane.client().request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  });

  afterAll(() => plane?.stop());

  /** @returns what the API server has forbidden, and what the scenario failed with. */
  async function play(scenario: Scenario, mode: Mode): Promise<{ forbidden: string[]; failure?: unknown }> {
    const stage = new Stage(plane, mode);
    try {
      await scenario.run(stage);
      return { forbidden: stage.forbidden };
    } catch (failure) {
      return { forbidden: stage.forbidden, failure };
    } finally {
      await stage.close();
    }
  }

  for (const mode of ['observe', 'enforce'] as const) {
    describe(mode, () => {
      beforeAll(() => applyPermissions(plane.client(), ...partsOf[mode]));

      test.each(scenarios.filter((scenario) => (scenario.mode ?? mode) === mode))(
        '$identity, with all its rights: $title',
        async (scenario) => {
          expect(await play(scenario, mode)).toEqual({ forbidden: [] });
        },
      );

      test.each(permissions[mode])('$identity may not go without: $name', async (permission) => {
        const scenario = scenarioFor(permission, mode);
        const giveBack = await takeAway(plane, permission);
        const outcome = await play(scenario, mode).finally(giveBack);
        const request = `${methods[permission.verb] ?? 'GET'} ${permission.resource}`;
        expect(outcome, scenario.title).toEqual({
          forbidden: expect.arrayContaining([request]),
          failure: expect.any(Error),
        });
      });
    });
  }

  test('a controller under test that asked for something forbidden fails its test', async () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
    const controller = await startControllerUnderTest(plane);
    const create = permissions.enforce.find(
      ({ identity, name }) => identity === 'claim-worker' && name === 'create events',
    );
    if (create === undefined) throw new Error('the claim worker may create no events');
    const giveBack = await takeAway(plane, create);
    const stage = new Stage(plane, 'enforce');
    try {
      await stage.claim('unlucky');
      await controller.settled();
      await expect(controller.stop()).rejects.toThrow('forbid POST /api/v1/namespaces/{namespace}/events');
    } finally {
      await stage.close();
      await giveBack();
      quiet.mockRestore();
    }
  });

  test('the ServiceAccount of the bridge’s container may do what the bridge may, and nothing else', async () => {
    const user = 'system:serviceaccount:pv-controller:pv-controller-bridge';
    for (const permission of permissions.enforce) {
      const isBridges = permissions.enforce.some(
        ({ identity, name }) => identity === 'bridge' && name === permission.name,
      );
      expect(await isAllowed(plane.client(), permission, user), permission.name).toBe(isBridges);
    }
  });

  test('every permission that a scenario needs is given', () => {
    const given = new Set(permissions.enforce.map(({ identity, name }) => `${identity} ${name}`));
    const needed = scenarios.flatMap(({ identity, needs }) => needs.map((name) => `${identity} ${name}`));
    expect(needed.filter((permission) => !given.has(permission))).toEqual([]);
  });

  test('docs/kubernetes-permissions.md says what is so', async () => {
    const text = await pageOf((permission, mode) => scenarioFor(permission, mode).title);
    if (process.env['UPDATE_DOCS']) await writeFile(page, text);
    expect(await readFile(page, 'utf8').catch(() => ''), 'stale: run this with UPDATE_DOCS=1').toBe(text);
  });
});
