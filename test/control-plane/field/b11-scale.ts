/** B11/92: thousands of Released volumes must not slow down what goes on beside them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Scenario } from './describe-field.ts';
import { boundTo } from './states.ts';

const count = 1_000;
/** Generous: the machine may be shared, and the built-in controller goes through everything all the time. */
const quickMs = 3_000;

export function scale(scenario: Scenario): void {
  scenario(`B11/92 ${count} Released volumes cost no write and one read of their claim each`, async (stage) => {
    const { place, controller } = stage;
    const names = Array.from({ length: count }, (_, i) => `old-${i}`);
    await Promise.all(
      names.map((name, i) => {
        const claimRef = { namespace: place.namespace, name: `gone-${i}`, uid: `00000000-0000-4000-8000-${i}` };
        return place.createVolume(name, { spec: { claimRef, storageClassName: 'old' } });
      }),
    );
    while ((await place.phases()).some((phase) => phase !== 'Released')) await sleep(500);
    await controller.settled();
    const before = controller.requests.length;

    expect(await controller.fullResyncWrites()).toEqual([]);

    const cost = controller.requests.slice(before);
    expect(cost.filter(({ method }) => method !== 'GET')).toEqual([]);
    if (controller.kind === 'ours') {
      const read = cost.flatMap(({ name }) => name ?? []);
      expect(read.sort()).toEqual([...names, ...names.map((name) => name.replace('old', 'gone'))].sort());
    }
    for (let i = 0; i < 5; i++) {
      await place.createVolume(`new-${i}`);
      const began = performance.now();
      await place.createClaim(`x-${i}`);
      await place.untilBound(`new-${i}`, `x-${i}`);
      expect(performance.now() - began).toBeLessThan(quickMs);
      expect(await place.claimState(`x-${i}`)).toEqual(boundTo(`new-${i}`, { bbc: true }));
    }
  });
}
