/** The API server's metrics of flow control as they are read, and the shares of ours as they are shipped. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { callsPerEnvironment } from '../../lib/cluster/rate-limit-budget.ts';
import { between, levelsIn, waitOf } from './flow-control.ts';

/** As kube-apiserver 1.36 writes them. */
function metrics(ours: { dispatched: number; rejected: number; fast: number; slow: number }): string {
  const flow = 'flow_schema="pv-controller",priority_level="pv-controller"';
  const wait = 'apiserver_flowcontrol_request_wait_duration_seconds';
  const bucket = (atMost: string, calls: number, execute = true) =>
    `${wait}_bucket{execute="${execute}",${flow},le="${atMost}"} ${calls}`;
  return [
    '# HELP apiserver_flowcontrol_nominal_limit_seats [BETA] Nominal number of execution seats',
    'apiserver_flowcontrol_nominal_limit_seats{priority_level="global-default"} 48',
    'apiserver_flowcontrol_nominal_limit_seats{priority_level="pv-controller"} 24',
    `apiserver_flowcontrol_dispatched_requests_total{${flow}} ${ours.dispatched}`,
    `apiserver_flowcontrol_rejected_requests_total{${flow},reason="queue-full"} ${ours.rejected}`,
    `apiserver_flowcontrol_rejected_requests_total{${flow},reason="time-out"} ${ours.rejected}`,
    bucket('0.005', ours.fast),
    bucket('0.1', ours.fast + ours.slow),
    bucket('+Inf', ours.fast + ours.slow),
    bucket('0.005', 0, false),
    bucket('0.1', 0, false),
    bucket('+Inf', 1, false),
    `${wait}_sum{execute="true",${flow}} 1.5`,
    `apiserver_flowcontrol_request_execution_seconds_sum{${flow},type="regular"} 2.5e+01`,
    `apiserver_flowcontrol_request_execution_seconds_sum{${flow},type="watch"} 3`,
    'apiserver_request_total{code="200",priority_level="pv-controller"} 1000000',
  ].join('\n');
}

test('sums over flows, reasons and types, and takes nothing that is not of flow control', () => {
  const level = levelsIn(metrics({ dispatched: 7, rejected: 2, fast: 99, slow: 1 })).get('pv-controller');

  expect(level).toMatchObject({ seats: 24, dispatched: 7, rejected: 4, waited: 1.5, executed: 28 });
  expect(level?.waits).toEqual([
    [0.005, 99],
    [0.1, 100],
    [Number.POSITIVE_INFINITY, 101],
  ]);
});

test('between two readings: counts are what came, seats are those of now', () => {
  const before = levelsIn(metrics({ dispatched: 10, rejected: 1, fast: 10, slow: 0 }));
  const after = levelsIn(metrics({ dispatched: 110, rejected: 4, fast: 105, slow: 5 }));

  const ours = between(before, after).get('pv-controller');

  expect(ours).toMatchObject({ seats: 24, dispatched: 100, rejected: 6, executed: 0 });
  expect(ours && waitOf(0.95, ours)).toBe(0.005);
  expect(ours && waitOf(0.99, ours)).toBe(0.1);
});

test('a level that is new counts from nothing, and one without calls has no waits', () => {
  const after = levelsIn(metrics({ dispatched: 3, rejected: 0, fast: 2, slow: 1 }));

  expect(between(new Map(), after).get('pv-controller')?.dispatched).toBe(3);
  expect(waitOf(0.99, after.get('global-default') as never)).toBeUndefined();
});

test('metrics without any are an error, not a level of zeros', () => {
  expect(() => levelsIn('apiserver_request_total{code="200"} 1')).toThrow('no metrics of flow control');
});

test.each([2, 10, 50, 100])(
  'the shipped priority level has the seats that the limit at concurrency %i rests on',
  (concurrency) => {
    const file = new URL('../../infra/kubernetes/flow-control/priority-level.yaml', import.meta.url);
    const { nominalConcurrencyShares: shares } = parse(readFileSync(file, 'utf8')).spec.limited;
    // Kubernetes 1.36: 400 reads and 200 writes at once, and 245 shares of its own; backlog.runs.ts sees it on a real one.
    const seats = Math.ceil((600 * shares) / (245 + shares));

    const callsPerSecond = callsPerEnvironment(concurrency) * (2 * concurrency + 4);
    expect(callsPerSecond * 0.025).toBeLessThanOrEqual(seats);
  },
);
