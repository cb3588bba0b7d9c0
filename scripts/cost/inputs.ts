/** What the cost page takes for granted: each number with the place it comes from. What was measured is in docs/measured.json. */

export interface Input {
  readonly value: number;
  readonly unit: string;
  /** How sure it is: `documented` by the vendor or by us, or `assumed` for want of that. */
  readonly kind: 'documented' | 'assumed';
  readonly source: string;
}

function documented(value: number, unit: string, source: string): Input {
  return { value, unit, kind: 'documented', source };
}

function assumed(value: number, unit: string, source: string): Input {
  return { value, unit, kind: 'assumed', source };
}

export const INPUTS = {
  hoursPerMonth: assumed(730, 'hours', 'a month as AWS reckons it'),

  pollersPerQueue: documented(
    5,
    'long polls open at once',
    'Lambda’s guide, for standard queues with a maximum concurrency; for FIFO queues it gives no number',
  ),
  longPollSeconds: documented(20, 'seconds', 'SQS: the longest wait of one ReceiveMessage; empty ones are charged'),
  sendBatch: documented(10, 'messages', 'SQS: most messages of one SendMessageBatch'),

  livesPerMonth: assumed(1, 'per volume and month', 'how often a volume is created, bound and released'),
  touchesPerMonth: assumed(10, 'per volume and month', 'how often somebody changes a bound volume besides'),
  wholeCpuMb: documented(
    1_769,
    'MB',
    'Lambda: the memory with which a function has one whole CPU; less is a share of it',
  ),
  coldShare: assumed(0.01, 'of all invocations', 'that start an environment; Lambda keeps one for minutes to hours'),
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
