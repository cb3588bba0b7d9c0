/**
 * The built-in controller's own queues, `claims` and `volumes`: how long they are and how long keys wait in them, from
 * the text that its controller manager serves at /metrics (Prometheus' exposition format). Only two series are read, and
 * whatever else the text holds is passed over.
 */

/** A histogram as it is served: since the process began. */
export interface Waits {
  readonly count: number;
  /** Seconds. */
  readonly sum: number;
  /** How many waited for up to `le` seconds, the last being all. In ascending order. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
}

/** One queue at one moment. What the text does not say is undefined. */
export interface QueueReading {
  readonly depth: number | undefined;
  readonly waits: Waits | undefined;
}

/** Names of the built-in controller's queues. */
export type QueueName = 'claims' | 'volumes';

/** What people compare of two queues. */
export interface QueueFigures {
  readonly depth: number | undefined;
  /** Seconds that keys waited. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
}

const DEPTH = 'workqueue_depth';
const WAITS = 'workqueue_queue_duration_seconds';
/** Longer lines are no samples of these series. */
const MAX_LINE = 1_024;
/** Buckets that are kept of a queue; client-go has twelve. */
const MAX_BUCKETS = 100;

const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"/g;
const SAMPLE = /^([a-z_]+)\s*\{([^\n]*)\}\s*([^\s}]+)(?:\s+-?\d+)?\s*$/;

interface Found {
  depth?: number;
  count?: number;
  sum?: number;
  readonly buckets: Map<number, number>;
}

/** Reads both queues. It never throws: of a text that is none of Prometheus' nothing is known. */
export function readQueues(text: string): Readonly<Record<QueueName, QueueReading>> {
  const found = { claims: { buckets: new Map() }, volumes: { buckets: new Map() } } as Record<QueueName, Found>;
  for (const line of linesOf(text)) {
    if (line.length <= MAX_LINE && (line.startsWith(DEPTH) || line.startsWith(WAITS))) takeSample(line, found);
  }
  return { claims: readingOf(found.claims), volumes: readingOf(found.volumes) };
}

/**
 * The waits of the time between two readings.
 * @returns undefined when one is missing, nothing waited, or the process began anew between them.
 */
export function waitsBetween(first: QueueReading, last: QueueReading): Waits | undefined {
  const [was, is] = [first.waits, last.waits];
  if (was === undefined || is === undefined || is.count <= was.count) return undefined;
  const before = new Map(was.buckets.map(({ le, count }) => [le, count]));
  const buckets = is.buckets.map(({ le, count }) => ({ le, count: count - (before.get(le) ?? 0) }));
  if (buckets.some(({ count }) => count < 0)) return undefined;
  return { count: is.count - was.count, sum: is.sum - was.sum, buckets };
}

/** The depth now, and the waits since the first reading; since the process began where that is all there is. */
export function figuresOf(first: QueueReading, last: QueueReading): QueueFigures {
  const waits = waitsBetween(first, last) ?? (first === last ? last.waits : undefined);
  const [p50, p99] = [0.5, 0.99].map((share) => (waits === undefined ? undefined : quantile(waits, share)));
  return { depth: last.depth, p50, p99 };
}

/**
 * An estimate as Prometheus makes it: within its bucket the waits are taken to be spread evenly.
 * @param share such as 0.99.
 * @returns seconds; undefined without waits. Beyond the last bound it is that bound.
 */
export function quantile({ buckets }: Waits, share: number): number | undefined {
  const total = buckets.at(-1)?.count ?? 0;
  if (total === 0) return undefined;
  const rank = share * total;
  let [below, under] = [0, 0];
  for (const { le, count } of buckets) {
    if (count >= rank) {
      if (le === Number.POSITIVE_INFINITY) return below;
      return count === under ? le : below + ((le - below) * (rank - under)) / (count - under);
    }
    [below, under] = [le === Number.POSITIVE_INFINITY ? below : le, count];
  }
  return below;
}

/** One by one: the text of a large cluster is megabytes. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    yield text.slice(start, end);
    start = end + 1;
  }
}

function takeSample(line: string, found: Record<QueueName, Found>): void {
  const [, series = '', labels = '', number = ''] = SAMPLE.exec(line) ?? [];
  const values = new Map(Array.from(labels.matchAll(LABEL), ([, label = '', value = '']) => [label, value]));
  const name = values.get('name');
  const value = numberOf(number);
  if ((name !== 'claims' && name !== 'volumes') || value === undefined || value < 0) return;
  const queue = found[name];
  if (series === DEPTH) queue.depth = value;
  else if (series === `${WAITS}_count`) queue.count = value;
  else if (series === `${WAITS}_sum`) queue.sum = value;
  else if (series === `${WAITS}_bucket`) {
    const le = numberOf(values.get('le') ?? '', true);
    if (le !== undefined && queue.buckets.size < MAX_BUCKETS) queue.buckets.set(le, value);
  }
}

function readingOf({ depth, count, sum, buckets }: Found): QueueReading {
  const sorted = [...buckets].map(([le, n]) => ({ le, count: n })).sort((a, b) => a.le - b.le);
  const isComplete = sorted.every(({ count: n }, i) => n >= (sorted[i - 1]?.count ?? 0));
  const waits = count === undefined || sum === undefined || !isComplete ? undefined : { count, sum, buckets: sorted };
  return { depth, waits };
}

/** Only what Go prints: no hexadecimal, no text. */
function numberOf(text: string, mayBeInfinite = false): number | undefined {
  if (mayBeInfinite && /^\+?Inf$/.test(text)) return Number.POSITIVE_INFINITY;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : undefined;
}
