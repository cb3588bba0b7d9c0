/** Field reports as tests: on a shared control plane, one after the other, each followed by a full resync. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SyncKey } from '../../../lib/controller/types.ts';
import {
  type ControllerOptions,
  type ControllerUnderTest,
  controllerKind,
  skipReason,
  startControllerUnderTest,
} from '../controller-under-test.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../harness.ts';
import { Place } from './place.ts';

/** What a scenario has to do with. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly place: Place;
  readonly controller: ControllerUnderTest;
  /** Ours: every sync that failed and was given back to the queue, since the scenario began. */
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly key: SyncKey;
  readonly error: unknown;
}

export interface ScenarioOptions {
  /** Why the built-in controller does otherwise, on purpose of ours. */
  readonly notBuiltIn?: string;
}

export type Scenario = (title: string, steps: (stage: Stage) => Promise<void>, options?: ScenarioOptions) => void;

export interface FieldOptions {
  readonly plane?: ControlPlaneOptions;
  readonly controller?: ControllerOptions;
  /** Before the controller is there. */
  readonly prepare?: (plane: ControlPlane) => Promise<unknown>;
}

const scenarioMilliseconds = 90_000;
/** Short, since each wait for the built-in controller to come to rest takes some of these. */
const builtInSyncPeriodMs = 200;

/** Declares the scenarios of one control plane. Each ends with a full resync, which must find nothing to write. */
export function describeField(name: string, options: FieldOptions, define: (scenario: Scenario) => void): void {
  describe.skipIf(skipReason !== undefined)(name, () => {
    const failures: Failure[] = [];
    let plane: ControlPlane;
    let controller: ControllerUnderTest;
    let count = 0;

    beforeAll(async () => {
      plane = await startControlPlane(options.plane);
      await options.prepare?.(plane);
      const { system, settings, ...rest } = options.controller ?? {};
      controller = await startControllerUnderTest(plane, {
        syncPeriodMs: controllerKind === 'built-in' ? builtInSyncPeriodMs : 1_000,
        system: { hooks: { onFailed: (key, error) => failures.push({ key, error }) }, ...system },
        // The hourly sweep is spread over the hour: what a scenario costs would be anybody's guess.
        settings: { PV_BRIDGE_SWEEP_PERIOD_MS: '0', ...settings },
        ...rest,
      });
    });

    afterAll(async () => {
      try {
        await controller?.stop();
      } finally {
        await plane?.stop();
      }
    });

    define((title, steps, { notBuiltIn } = {}) => {
      const skipped = controllerKind === 'built-in' && notBuiltIn !== undefined;
      test.skipIf(skipped)(title, { timeout: scenarioMilliseconds }, async () => {
        count += 1;
        failures.length = 0;
        const place = await Place.open(plane, `field-${count}`);
        try {
          await steps({ plane, place, controller, failures });
          expect(await controller.fullResyncWrites()).toEqual([]);
        } finally {
          await place.close();
        }
      });
    });
  });
}
