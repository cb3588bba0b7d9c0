/** One measurement: what a contender needed for a job, by the clocks and counters of everybody concerned. */
import type { ControlPlane } from '../../control-plane/harness.ts';
import type { RunningContender } from '../contenders/contender.ts';
import type { Driver } from '../driver/driver.ts';
import type { Route } from '../plane/plane.ts';
import { percentile } from '../results/statistics.ts';
import { type ApiReading, difference, type Requests, readApi, sumUp } from './api-requests.ts';
import { type ProcessUse, readUses } from './process-use.ts';

/** How a job went, by `performance.now()`. */
export interface Course {
  readonly startedAt: number;
  readonly endedAt: number;
  /** From the creation of each object, or what else began it, to its end state; in milliseconds. */
  readonly latencies: readonly number[];
}

export interface Figures {
  readonly objects: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly latencyMs: Readonly<Record<'p50' | 'p95' | 'p99' | 'max', number>>;
  /** Per object, of volumes, claims, classes and pods. */
  readonly reads: number;
  readonly writes: number;
  readonly events: number;
  /** Of them all, by verb and resource. */
  readonly requests: Readonly<Record<string, number>>;
  /** Per object; of this system only. */
  readonly messagesSent?: number;
  readonly messagesReceived?: number;
  readonly readBytes: number;
  readonly watchBytes: number;
  /** Of the whole job, by process: the contender's parts, `apiServer`, `etcd`, `driver` and `proxy`. */
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** Since the start of the process. */
  readonly peakBytes: Readonly<Record<string, number>>;
}

interface Counters {
  readonly api: ApiReading;
  readonly driver: Requests;
  readonly messages: Awaited<ReturnType<RunningContender['messages']>>;
}

export class Meter {
  readonly #plane: ControlPlane;
  readonly #driver: Driver;
  readonly #contender: RunningContender;
  readonly #pids: Readonly<Record<string, number>>;

  constructor(plane: ControlPlane, route: Route, driver: Driver, contender: RunningContender) {
    this.#plane = plane;
    this.#driver = driver;
    this.#contender = contender;
    const { proxy } = route;
    const others = { apiServer: plane.apiServer.pid, etcd: plane.etcd.pid, driver: process.pid };
    this.#pids = { ...contender.pids, ...others, ...(proxy && { proxy: proxy.pid }) };
  }

  /** Does the job between two readings of everything. Requests and messages that it leads to later are waited for. */
  async measure(objects: number, job: () => Promise<Course>): Promise<Figures> {
    await this.#contender.settled();
    const before = await this.#counters();
    const usesBefore = await readUses(this.#pids);
    const { startedAt, endedAt, latencies } = await job();
    const uses = await readUses(this.#pids);
    await this.#contender.settled();
    const after = await this.#counters();
    return { ...figuresOf(objects, endedAt - startedAt, latencies, before, after), ...usedBetween(usesBefore, uses) };
  }

  async #counters(): Promise<Counters> {
    const driver = this.#driver.requests();
    const messages = await this.#contender.messages();
    return { api: await readApi(this.#plane.client()), driver, messages };
  }
}

function figuresOf(
  objects: number,
  ms: number,
  latencies: readonly number[],
  before: Counters,
  after: Counters,
): Omit<Figures, 'cpuSeconds' | 'peakBytes'> {
  const requests = difference(after.api.requests, before.api.requests, difference(after.driver, before.driver));
  const { reads, writes, events } = sumUp(requests);
  const messages = after.messages && {
    messagesSent: (after.messages.sent - (before.messages?.sent ?? 0)) / objects,
    messagesReceived: (after.messages.received - (before.messages?.received ?? 0)) / objects,
  };
  const at = (share: number) => percentile(latencies, share);
  return {
    objects,
    seconds: ms / 1_000,
    perSecond: (objects * 1_000) / ms,
    latencyMs: { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) },
    reads: reads / objects,
    writes: writes / objects,
    events: events / objects,
    requests: Object.fromEntries(requests),
    ...messages,
    readBytes: after.api.readBytes - before.api.readBytes,
    watchBytes: after.api.watchBytes - before.api.watchBytes,
  };
}

function usedBetween(before: Record<string, ProcessUse>, after: Record<string, ProcessUse>) {
  const parts = Object.entries(after);
  return {
    cpuSeconds: Object.fromEntries(
      parts.map(([part, { cpuSeconds }]) => [part, cpuSeconds - (before[part]?.cpuSeconds ?? 0)]),
    ),
    peakBytes: Object.fromEntries(parts.map(([part, { peakBytes }]) => [part, peakBytes])),
  };
}
