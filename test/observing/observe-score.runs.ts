/**
 * Observe mode beside the built-in controller, which is in charge with its default limits: what we would have done, scored
 * against what it then does. `OBSERVE_SEED` and `OBSERVE_ACTIONS` choose another play; `OBSERVE_REPORT` names a file for the
 * score, the audit trail and every version of every object.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../lib/audit/record.ts';
import { connectionFromKubeconfig } from '../../lib/cluster/kubeconfig.ts';
import { readConfig } from '../../lib/config.ts';
import { StateError } from '../../lib/controller/errors.ts';
import { type Scoring, startScoring } from '../../local/scoring/scoring.ts';
import { type System, startSystem } from '../../local/system.ts';
import { skipReason } from '../control-plane/controller-under-test.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/harness.ts';
import { applyPermissions } from '../control-plane/permissions.ts';
import { versionsOf } from '../control-plane/settling.ts';
import { Watch } from '../control-plane/watching.ts';
import { Workqueues } from '../differential/workqueues.ts';
import { metricsOf } from './manager-metrics.ts';
import { playAll, usersOf } from './users.ts';
import { WRITE_VERBS, type WritesLog, writesLog } from './writes-log.ts';

const SEED = Number(process.env['OBSERVE_SEED'] ?? 1);
const ACTIONS = Number(process.env['OBSERVE_ACTIONS'] ?? 500);
const PAUSE_MS = 1_000;
const SYNC_PERIOD_MS = 15_000;
/** Three of its resyncs: what is not done by then is not done. */
const EXPIRY_MS = 45_000;
const RUN = 'observed';
const BUILT_IN = 'built-in';
const SCORING = 'all-functions';
const OURS = ['bridge', 'volume-worker', 'claim-worker', SCORING];

interface Held {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

describe.skipIf(skipReason !== undefined)('observe beside the built-in controller', () => {
  const log: WritesLog = writesLog(OURS);
  const records: AuditRecord[] = [];
  const troubles: string[] = [];
  /** Every version of every object, for whoever wants to know why the two disagree. */
  const watches: Watch<Held>[] = [];
  let plane: ControlPlane;
  let system: System;
  let scoring: Scoring;

  beforeAll(async () => {
    plane = await startControlPlane({
      apiServerArgs: log.args,
      auth: [{ name: BUILT_IN, groups: ['system:masters'] }],
    });
    await applyPermissions(plane.client(), 'observe');
    await plane.client().request('POST', '/api/v1/namespaces', { metadata: { name: RUN } });
    if (process.env['OBSERVE_REPORT'] !== undefined) {
      for (const kind of ['volumes', 'volumeclaims'])
        watches.push(await Watch.start(plane, `/api/v1/persistent${kind}`));
    }
    const as = (name: string) => connectionFromKubeconfig({ file: plane.kubeconfig(name) });
    const config = readConfig({ PV_MODE: 'observe' });
    system = await startSystem({
      connection: { bridge: as('bridge'), volumeWorker: as('volume-worker'), claimWorker: as('claim-worker') },
      config,
      onError: (error) => troubles.push(`system: ${error}`),
    });
    const manager = await plane.startControllerManager({
      binder: true,
      identity: BUILT_IN,
      extraArgs: ['--authorization-always-allow-paths=/healthz,/metrics'],
    });
    scoring = await startScoring({
      connection: as(SCORING),
      config,
      readMetrics: await metricsOf(manager, plane.directory),
      onRecord: (record) => records.push(record),
      onFailed: ({ kind, name }, error) => {
        // Users have made two claims name one volume: the built-in controller's sync fails there, too.
        if (!(error instanceof StateError)) troubles.push(`${kind} ${name}: ${error}`);
      },
      onTrouble: (what, error) => troubles.push(`${what}: ${error}`),
      limits: { expiryMs: EXPIRY_MS },
    });
    const taken = await playAll(plane.client(), usersOf(SEED, RUN, ACTIONS), PAUSE_MS);
    const queues = await Workqueues.of(manager, plane.directory);
    await queues.pass(async () => {
      const objects = [...(await versionsOf(plane.client())).keys()];
      const volumes = objects.filter((object) => object.startsWith('volume ')).length;
      return { volumes, claims: objects.length - volumes };
    }, SYNC_PERIOD_MS);
    // At rest, what is left of the verdicts has its time too.
    for (let waited = 0; waited < EXPIRY_MS && scoring.board().pending > 0; waited += 500) await sleep(500);
    console.log(`\nseed ${SEED}: ${ACTIONS} actions, ${taken} of them taken\n${await scoring.text()}`);
  }, 600_000);

  afterAll(async () => {
    const file = process.env['OBSERVE_REPORT'];
    if (file !== undefined && scoring !== undefined) {
      const versions = watches.flatMap(({ events }) => events);
      writeFileSync(file, JSON.stringify({ board: scoring.board(), troubles, records, versions }));
    }
    for (const watch of watches) await watch.stop();
    await scoring?.stop();
    await system?.stop();
    await plane?.stop();
    log.remove();
  });

  test('at least 99.5 % of the verdicts are followed, of 150 and more that count', () => {
    const { counted, rate, disagreements } = scoring.board();
    for (const each of disagreements) console.log(JSON.stringify(each, null, 2));
    expect(counted).toBeGreaterThanOrEqual(150);
    expect(rate).toBeGreaterThanOrEqual(0.995);
  });

  test('nothing went wrong on the way', () => {
    expect(troubles).toEqual([]);
  });

  test('the audit log has no write by us, not even an event, while the built-in controller wrote', async () => {
    const asked = await log.asked();
    const writesBy = (user: string) =>
      [...(asked.get(user) ?? [])].filter(([what]) => WRITE_VERBS.includes(what.split(' ')[0] ?? ''));
    for (const user of OURS) expect({ user, writes: writesBy(user) }).toEqual({ user, writes: [] });
    // The log would have told: it knows each of us by what we read.
    for (const user of OURS) expect(asked.get(user)?.size ?? 0, user).toBeGreaterThan(0);
    expect(Object.fromEntries(writesBy(BUILT_IN))).toMatchObject({
      'update persistentvolumes': expect.any(Number),
      'update persistentvolumes/status': expect.any(Number),
      'update persistentvolumeclaims': expect.any(Number),
      'update persistentvolumeclaims/status': expect.any(Number),
    });
  });

  test('the audit trail lays its phases and bindings to the built-in controller, and none to us', () => {
    const by = (who: AuditRecord['who']) => records.filter((record) => record.who === who).length;
    expect(by('us')).toBe(0);
    expect(by('built-in')).toBeGreaterThan(300);
  });
});
