/**
 * Assist beside the built-in controller (DESIGN D9), which stops in the middle of its work and comes back: ours takes over
 * after the grace time, does no more than it may, and the two do not undo each other's writes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doomed, halfDone, leaveHalfDone, startLoad, tempt, toRelease } from './assist/scene.ts';
import { changedBy, countsOf, returnsIn, type Watches, type Write, writesOf } from './assist/writes.ts';
import {
  type ControllerUnderTest,
  controllerKind,
  skipReason,
  startControllerUnderTest,
} from './controller-under-test.ts';
import { auditFiles } from './field/audit.ts';
import type { Stored, StoredClaim } from './field/history.ts';
import { Place } from './field/place.ts';
import { type ControlPlane, type ManagedProcess, startControlPlane } from './harness.ts';
import { eventually, volumesPath } from './objects.ts';
import { changesBetween, restOf, untilQuiet, versionsOf } from './settling.ts';
import { Watch } from './watching.ts';

const graceMs = 3_000;
/** After the grace time: a queue counts in whole seconds, and the machine may be busy. */
const lateMs = 10_000;
const builtInPeriodMs = 1_000;
const builtInUser = 'built-in';
const ourUsers = ['bridge', 'volume-worker', 'claim-worker'];
const scenarioMs = 150_000;

/** All that assist may change here: every half that it finds has the volume's claimRef already. */
const allowed = [
  'persistentvolumeclaims annotation pv.kubernetes.io/bind-completed',
  'persistentvolumeclaims annotation pv.kubernetes.io/bound-by-controller',
  'persistentvolumeclaims spec.volumeName',
  'persistentvolumeclaims status',
  'persistentvolumes status',
];

const audit = auditFiles();

describe.skipIf(skipReason !== undefined || controllerKind === 'built-in')(
  'assist beside the built-in controller',
  () => {
    let plane: ControlPlane;
    let builtIn: ManagedProcess;
    let ours: ControllerUnderTest;
    const flips: unknown[] = [];

    beforeAll(async () => {
      plane = await startControlPlane({
        apiServerArgs: audit.args,
        auth: [{ name: builtInUser, groups: ['system:masters'] }],
      });
      builtIn = await startBuiltIn();
      ours = await startControllerUnderTest(plane, {
        plugins: 'in-tree',
        syncPeriodMs: 15_000,
        settings: { PV_MODE: 'assist', PV_GRACE_SECONDS: String(graceMs / 1_000), PV_BRIDGE_SWEEP_PERIOD_MS: '0' },
        system: { hooks: { onFlip: (_key, error) => flips.push(error) } },
      });
    });

    afterAll(async () => {
      try {
        await ours?.stop();
      } finally {
        await plane?.stop();
      }
    });

    /** With the client limits of a real one, so that it can be met half-way. */
    function startBuiltIn(): Promise<ManagedProcess> {
      const alone = { binder: true, protection: false, namespaces: false };
      return plane.startControllerManager({ ...alone, identity: builtInUser, syncPeriod: `${builtInPeriodMs}ms` });
    }

    const pause = async () => {
      builtIn.kill('SIGSTOP');
      return async () => {
        builtIn.kill('SIGCONT');
      };
    };
    const die = async () => {
      await builtIn.stop(0);
      return async () => {
        builtIn = await startBuiltIn();
      };
    };

    test.each([
      ['paused', 'and wakes up with an old picture of the cluster', pause, 1],
      ['killed', 'and another one starts', die, 0],
    ])('it is %s, %s', { timeout: scenarioMs }, async (namespace, _then, stopBuiltIn, excursions) => {
      const place = await Place.open(plane, namespace);
      const watches: Watches = {
        persistentvolumes: await Watch.start<Stored>(plane, volumesPath),
        persistentvolumeclaims: await Watch.start<StoredClaim>(plane, claimsPathOf(namespace)),
      };
      const earlier = (await writesOf(audit)).length;
      const newWrites = async (...users: readonly string[]) => {
        return (await writesOf(audit)).slice(earlier).filter(({ user }) => users.includes(user));
      };
      try {
        await startLoad(place, () => ours.settled());
        const comeBack = await stopBuiltIn();
        await tempt(place);
        const leftAt = await leaveHalfDone(place);
        const left = Date.now();

        await Promise.all(halfDone.map(({ name }) => place.untilBound(name, name)));
        await Promise.all(toRelease.map((name) => place.untilVolume(name, 'Released')));
        const tookMs = Date.now() - left;
        expect(tookMs).toBeLessThan(graceMs + lateMs);
        await ours.settled();

        const alone = await newWrites(...ourUsers);
        assertWithinLimits(alone, watches);
        for (const [name, at] of leftAt) {
          const first = Math.min(
            ...alone.filter((write) => write.at >= at && write.name === name).map((write) => write.at),
          );
          expect(first - at, name).toBeGreaterThanOrEqual(graceMs);
        }
        for (const name of doomed) {
          expect(alone.filter((write) => write.name === name)).toEqual([]);
          expect(await place.claimState(name)).toMatchObject({ phase: 'Pending' });
          expect(await place.volumeState(name)).toMatchObject({ phase: 'Pending' });
        }
        expect(await place.volumeState('free')).toEqual({ phase: 'Available' });
        expect(await place.claimState('free')).toEqual({ phase: 'Pending' });

        await comeBack();
        await eventually('every claim bound', async () => {
          const { items } = await place.request<{ items: StoredClaim[] }>('GET', claimsPathOf(namespace));
          return items.every(({ status }) => status?.phase === 'Bound');
        });
        await untilQuiet(() => versionsOf(plane.client()), restOfBoth);
        expect(flips).toEqual([]);
        const all = await newWrites(...ourUsers, builtInUser);
        assertWithinLimits(
          all.filter(({ user }) => user !== builtInUser),
          watches,
        );
        sayNumbers(namespace, tookMs, all, watches);
        assertNoPingPong(all, watches, excursions);

        const before = await versionsOf(plane.client());
        expect(await ours.fullResyncWrites()).toEqual([]);
        await restOfBoth();
        expect(changesBetween(before, await versionsOf(plane.client()))).toEqual([]);
      } finally {
        await Promise.all(Object.values(watches).map((watch) => watch.stop()));
        await place.close();
      }
    });

    /** Long enough for the built-in controller to look at everything twice. */
    async function restOfBoth(): Promise<void> {
      await restOf(builtInPeriodMs * 2.5)();
      await ours.system?.settled();
    }
  },
);

function claimsPathOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
}

function assertWithinLimits(writes: readonly Write[], watches: Watches): void {
  expect(writes.length).toBeGreaterThan(0);
  // Refused ones too: what assist must not do, it does not try.
  expect(writes.filter(({ verb }) => verb !== 'update')).toEqual([]);
  for (const write of writes.filter(({ isDone }) => isDone)) {
    const changes = changedBy(write, watches).map((field) => `${write.resource} ${field}`);
    expect(allowed, `${write.user} to ${write.name}`).toEqual(expect.arrayContaining(changes));
  }
}

/**
 * Nothing comes back to a state that it had left. The built-in controller does that, once, where it wakes up with an old
 * picture: it has not heard that a claim is gone when it sees the volume Released, and so for a moment it is Bound again.
 */
function assertNoPingPong(writes: readonly Write[], watches: Watches, excursions: number): void {
  const returns = returnsIn(writes, watches);
  for (const [object, count] of countsOf(writes)) {
    // A volume: Available, claimRef, Bound, Released, and one for the rules of migration; a claim: its half, its phase, and that.
    const steps = object.startsWith('persistentvolumes ') ? 5 : 3;
    const back = returns.filter((one) => one.object === object).length;
    expect(back, `${object}: ${JSON.stringify(returns)}`).toBeLessThanOrEqual(2 * excursions);
    expect(count, object).toBeLessThanOrEqual(steps + back);
  }
}

function sayNumbers(title: string, tookMs: number, writes: readonly Write[], watches: Watches): void {
  if (!process.env['CONTROL_PLANE_TIMES']) return;
  const numbers = [...countsOf(writes).values()];
  const isOurs = ({ user }: Write) => user !== builtInUser;
  const refused = writes.filter(({ isDone }) => !isDone);
  console.log(
    `${title}: taken over ${tookMs} ms after the last half was left; writes per object at most ${Math.max(...numbers)}, ` +
      `${writes.length} in all, ${writes.filter(isOurs).length} of them ours; refused: ${refused.length}, ours ${refused.filter(isOurs).length}; back to an old state: ${JSON.stringify(returnsIn(writes, watches))}`,
  );
}
