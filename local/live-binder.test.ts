/** The lease of another controller manager: what of it keeps enforce from starting. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refuseLiveBinder } from '../lib/worker/live-binder.ts';
import { type LocalApiServer, startApiServer } from './api-server/server.ts';

const NOW = Date.parse('2026-05-04T12:00:00Z');
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/';

let server: LocalApiServer;

beforeEach(async () => {
  server = await startApiServer();
});

afterEach(() => server.stop());

/** Answers the question for the lease with this, and everything else with an error that no test expects. */
function answer(status: number, body: object): void {
  server.intercept = ({ path }) =>
    path === `${LEASES}kube-controller-manager` ? { status, body: JSON.stringify(body) } : { status: 418, body: '{}' };
}

function answerLease(ageMs: number, spec: object = {}): void {
  const renewTime = new Date(NOW - ageMs).toISOString();
  answer(200, {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { namespace: 'kube-system', name: 'kube-controller-manager' },
    spec: { holderIdentity: 'master-1', renewTime, leaseDurationSeconds: 15, ...spec },
  });
}

function refuse(): Promise<void> {
  return refuseLiveBinder({ server: server.url }, { wayOut: '--beside-another-controller', now: NOW });
}

describe('the lease of another controller manager (DESIGN D9)', () => {
  test.each([0, 10_000, 40_000])('renewed %i ms ago: refused, with its holder and the way out', async (ageMs) => {
    answerLease(ageMs);
    await expect(refuse()).rejects.toThrow(/master-1.*--beside-another-controller/);
  });

  test.each([50_000, 3_600_000])('renewed %i ms ago: nobody works there any more', async (ageMs) => {
    answerLease(ageMs);
    await expect(refuse()).resolves.toBeUndefined();
  });

  test('is as old as its own duration says', async () => {
    answerLease(90_000, { leaseDurationSeconds: 120 });
    await expect(refuse()).rejects.toThrow('master-1');
  });

  test('given back by its holder: nobody works there', async () => {
    answerLease(1_000, { holderIdentity: '' });
    await expect(refuse()).resolves.toBeUndefined();
  });

  test('that does not exist refuses nothing', async () => {
    const details = { name: 'kube-controller-manager', group: 'coordination.k8s.io', kind: 'leases' };
    answer(404, { kind: 'Status', apiVersion: 'v1', code: 404, reason: 'NotFound', details });
    await expect(refuse()).resolves.toBeUndefined();
  });

  test.each([
    ['a proxy’s page', 404, {}],
    [
      'another object',
      404,
      { kind: 'Status', apiVersion: 'v1', code: 404, reason: 'NotFound', details: { name: 'x' } },
    ],
    ['no lease', 200, { kind: 'Status' }],
  ])('is not proven absent by an answer about %s: refused, since nobody knows', async (_, status, body) => {
    answer(status, body);
    await expect(refuse()).rejects.toThrow(/cannot be read.*--beside-another-controller/);
  });

  test('that may not be read: refused, since nobody knows', async () => {
    answer(403, { kind: 'Status', code: 403, reason: 'Forbidden', message: 'leases is forbidden' });
    const refusal = await refuse().catch((error: unknown) => error as Error);
    expect(refusal?.message).toMatch(/lease.*(could not|cannot|can’t) be read/);
    expect(refusal?.message).toContain('--beside-another-controller');
  });
});
