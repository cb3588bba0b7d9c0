/** What the cost page reckons with besides prices and the code: each number with the place it comes from. */

export interface Input {
  readonly value: number;
  readonly unit: string;
  /** How sure it is: `measured` on this system, `documented` by the vendor, or `assumed` for want of both. */
  readonly kind: 'measured' | 'documented' | 'assumed';
  readonly source: string;
}

const CALM =
  '4 runs of 100 pairs in `test/control-plane/integration/multi-pvs-pvcs.test.ts`, "undisturbed", with CONTROL_PLANE_TIMES=1';
const DISTURBED = 'the same file, while somebody else writes to the same 100 pairs';
const LIST = 'a list of 40 bound CSI volumes and their claims from kube-apiserver 1.36, as JSON, with managedFields';

function measured(value: number, unit: string, source: string): Input {
  return { value, unit, kind: 'measured', source };
}

function documented(value: number, unit: string, source: string): Input {
  return { value, unit, kind: 'documented', source };
}

function assumed(value: number, unit: string, source: string): Input {
  return { value, unit, kind: 'assumed', source };
}

export const INPUTS = {
  hoursPerMonth: assumed(730, 'hours', 'a month as AWS reckons it'),

  calmMessages: measured(1.37, 'messages per bound pair', `highest of ${CALM} (lowest 1.03)`),
  calmReads: measured(2.78, 'reads per bound pair', `highest of the same runs (lowest 2.08)`),
  calmInvocations: measured(0.49, 'invocations per bound pair', 'highest of the same runs (lowest 0.38)'),
  busyMessages: measured(2.7, 'messages per bound pair', DISTURBED),
  busyReads: measured(5.46, 'reads per bound pair', DISTURBED),
  busyInvocations: measured(0.46, 'invocations per bound pair', DISTURBED),
  writes: measured(4, 'writes per bound pair', 'asserted by that test: never more, never less'),

  volumeBytes: measured(2057, 'bytes', LIST),
  claimBytes: measured(1443, 'bytes', LIST),

  pollersPerQueue: documented(
    5,
    'long polls open at once',
    'Lambda’s guide, for standard queues with a maximum concurrency; for FIFO queues it gives no number',
  ),
  longPollSeconds: documented(20, 'seconds', 'SQS: the longest wait of one ReceiveMessage; empty ones are charged'),
  sendBatch: documented(10, 'messages', 'SQS: most messages of one SendMessageBatch'),

  syncSeconds: assumed(
    0.15,
    'seconds per invocation',
    'a few reads and writes one after the other, at 10 to 20 ms each',
  ),
  settledSeconds: assumed(0.05, 'seconds per invocation', 'two reads'),
  settledBatch: assumed(
    3,
    'messages per invocation',
    'a sweep sends many keys at once; a bind, measured, has 2.2 to 3.6',
  ),
  logBytes: assumed(2048, 'bytes per invocation', 'Lambda’s START, END and REPORT lines, and one line of metrics'),
  listPage: documented(500, 'objects per request', '`lib/cluster/resource-client.ts`: pages of a list'),
  objectsPerMemory: documented(
    50_000,
    'volumes and claims',
    '`bridge.memoryMb` in docs/settings.md: what the default memory of the bridge holds',
  ),
  nodeCpus: documented(2, 'CPUs', 'EC2: an m7g.large, the node of the price table'),
  nodeGib: documented(8, 'GiB', 'EC2: the same'),
  endpointZones: assumed(2, 'availability zones', 'of a VPC whose subnets are in two zones'),
} as const satisfies Record<string, Input>;
