/** One of upstream's integration scenarios as a test: on a shared control plane, with a namespace of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ControllerOptions,
  type ControllerUnderTest,
  controllerKind,
  skipReason,
  startControllerUnderTest,
} from '../controller-under-test.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../harness.ts';
import { World } from './world.ts';

export interface Stage {
  readonly plane: ControlPlane;
  readonly world: World;
  readonly controller: ControllerUnderTest;
}

type Scenario = (name: string, namespace: string, steps: (stage: Stage) => Promise<void>) => void;

/** How many volumes and claims the scenarios with many have. */
export const objectCount = 100;

const scenarioMilliseconds = 90_000;

/**
 * Runs scenarios on one control plane with one controller that was started before. Each ends with a full resync, which
 * must find nothing to write.
 */
export function describeScenarios(
  name: string,
  options: { readonly plane?: ControlPlaneOptions; readonly controller?: ControllerOptions },
  define: (scenario: Scenario) => void,
): void {
  describe.skipIf(skipReason !== undefined)(name, () => {
    let plane: ControlPlane;
    let controller: ControllerUnderTest;

    beforeAll(async () => {
      plane = await startControlPlane(options.plane);
      controller = await startControllerUnderTest(plane, options.controller);
    });

    afterAll(async () => {
      try {
        await controller?.stop();
      } finally {
        await plane?.stop();
      }
    });

    define((title, namespace, steps) => {
      test(title, { timeout: scenarioMilliseconds }, async () => {
        const world = await World.open(plane, namespace);
        try {
          const started = performance.now();
          await steps({ plane, world, controller });
          const late = await controller.fullResyncWrites();
          sayTime(title, world.lastEventAt - started);
          expect(late).toEqual([]);
        } finally {
          await world.close();
        }
      });
    });
  });
}

/** With CONTROL_PLANE_TIMES set, says how long it took until the last thing happened. */
export function sayTime(title: string, milliseconds: number): void {
  if (process.env['CONTROL_PLANE_TIMES']) console.log(`${controllerKind} ${Math.round(milliseconds)} ms: ${title}`);
}
