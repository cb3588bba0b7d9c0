/** The arithmetic of the cost page: months, requests and dollars. Each result carries the sum as it is to be read. */
import { INPUTS } from './inputs.ts';
import type { PriceName, PriceTable } from './prices.ts';
import type { Stack } from './stack.ts';

/** Dollars of a month, and how they came about. */
export interface Line {
  readonly what: string;
  readonly sum: string;
  readonly dollars: number;
}

/** How the bridge is hosted: what makes the two bills different. */
export type Host = 'lambda' | 'container';

const MILLION = 1e6;
const GB = 1e9;
const SECONDS_PER_HOUR = 3600;

/** A number as the page shows it: three digits that count, thousands parted. */
export function show(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

export function dollars(value: number): string {
  return `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** All costs of one stack at one price table. */
export class Costs {
  readonly stack: Stack;
  readonly #prices: PriceTable['prices'];

  constructor(stack: Stack, { prices }: PriceTable) {
    this.stack = stack;
    this.#prices = prices;
  }

  /** Bridges that are at work at the same moment, and so send each message once each. */
  bridges(host: Host): number {
    const { bridgeRunSeconds, bridgeEverySeconds, replicas } = this.stack;
    return host === 'lambda' ? bridgeRunSeconds / bridgeEverySeconds : replicas;
  }

  /** Starts of the bridge's Lambda in a month. */
  get starts(): number {
    return this.#seconds / this.stack.bridgeEverySeconds;
  }

  bridgeLambda(memoryMb = this.stack.bridgeMemoryMb): Line {
    const running = this.bridges('lambda');
    const gbSeconds = running * (memoryMb / 1024) * this.#seconds;
    const { starts } = this;
    const sum =
      `${show(running)} running × ${memoryMb / 1024} GB × ${show(this.#seconds)} s = ${show(gbSeconds)} GB-s; ` +
      `${this.#at('lambdaGbSecondArm64')}, and ${show(starts)} starts`;
    const cost = gbSeconds * this.#price('lambdaGbSecondArm64') + this.#millions(starts, 'lambdaMillionRequests');
    return { what: `bridge as a Lambda of ${memoryMb} MB`, sum, dollars: cost };
  }

  /** The share of a node that the pods reserve, by what is scarcer of CPU and memory. */
  bridgeContainer(): Line {
    const { replicas, podCpu, podGib } = this.stack;
    const node = { cpu: INPUTS.nodeCpus.value, gib: INPUTS.nodeGib.value };
    const share = replicas * Math.max(podCpu / node.cpu, podGib / node.gib);
    const sum =
      `${replicas} pods × the larger of ${podCpu} of ${node.cpu} CPUs and ${podGib} of ${node.gib} GiB = ` +
      `${show(share * 100)} % of a node; ${this.#at('nodeHour')}`;
    return {
      what: 'bridge as a container',
      sum,
      dollars: share * INPUTS.hoursPerMonth.value * this.#price('nodeHour'),
    };
  }

  idlePolling(): Line {
    const { queues } = this.stack;
    const { pollersPerQueue, longPollSeconds } = INPUTS;
    const requests = (queues * pollersPerQueue.value * this.#seconds) / longPollSeconds.value;
    const sum =
      `${queues} queues × ${pollersPerQueue.value} polls × ${show(this.#seconds)} s / ${longPollSeconds.value} s = ` +
      `${show(requests)} requests; ${this.#at('sqsFifoMillionRequests')}`;
    return { what: 'Lambda asks the empty queues', sum, dollars: this.#millions(requests, 'sqsFifoMillionRequests') };
  }

  monitoring(): Line[] {
    const { metrics, functions, alarms } = this.stack;
    const counted = metrics + functions;
    return [
      {
        what: 'metrics',
        sum: `${metrics} of docs/metrics.md and ${functions} cold starts (one per function) = ${counted}; ${this.#at('cloudWatchMetric')}`,
        dollars: counted * this.#price('cloudWatchMetric'),
      },
      {
        what: 'alarms',
        sum: `${alarms}; ${this.#at('cloudWatchAlarm')}`,
        dollars: alarms * this.#price('cloudWatchAlarm'),
      },
      { what: 'dashboard', sum: `1; ${this.#at('cloudWatchDashboard')}`, dollars: this.#price('cloudWatchDashboard') },
    ];
  }

  /** Work that comes with `times` bound pairs, on a cluster that does nothing else. */
  binding(times: number, load: 'calm' | 'busy', host: Host): Line[] {
    const messages = times * INPUTS[`${load}Messages`].value;
    const invocations = times * INPUTS[`${load}Invocations`].value;
    // A single change is sent at once, so it rarely shares a request.
    return this.#work(messages, 1, invocations, INPUTS.syncSeconds.value, host);
  }

  /** The full sweep over so many objects, each of them settled. */
  sweep(objects: number, host: Host): Line[] {
    const messages = (objects * this.#seconds) / this.stack.sweepSeconds;
    const invocations = messages / INPUTS.settledBatch.value;
    return this.#work(messages, INPUTS.sendBatch.value, invocations, INPUTS.settledSeconds.value, host);
  }

  /** Lines of the logs of so many invocations. */
  logs(invocations: number): Line {
    const bytes = invocations * INPUTS.logBytes.value;
    const sum = `${show(invocations)} × ${INPUTS.logBytes.value} bytes = ${show(bytes / GB)} GB; ${this.#at('logsIngestedGb')}`;
    return { what: 'logs', sum, dollars: (bytes / GB) * this.#price('logsIngestedGb') };
  }

  /** What each start of the bridge's Lambda asks of the API server, for so many volumes and as many claims. */
  lists(objects: number): { readonly requests: number; readonly bytes: number; readonly bytesPerMonth: number } {
    const requests = 2 * Math.max(1, Math.ceil(objects / 2 / INPUTS.listPage.value)) + 1;
    const bytes = (objects / 2) * (INPUTS.volumeBytes.value + INPUTS.claimBytes.value);
    return { requests, bytes, bytesPerMonth: bytes * this.starts };
  }

  endpoints(count: number): Line {
    const zones = INPUTS.endpointZones.value;
    const hours = INPUTS.hoursPerMonth.value;
    const sum = `${count} × ${zones} zones × ${hours} h; ${this.#at('interfaceEndpointHour')}`;
    return {
      what: `${count} interface endpoint${count === 1 ? '' : 's'}`,
      sum,
      dollars: count * zones * hours * this.#price('interfaceEndpointHour'),
    };
  }

  key(): Line {
    return { what: 'customer-managed key', sum: `1; ${this.#at('kmsKey')}`, dollars: this.#price('kmsKey') };
  }

  #work(messages: number, perSend: number, invocations: number, seconds: number, host: Host): Line[] {
    const senders = this.bridges(host);
    const requests = (messages * senders) / perSend + 2 * invocations;
    const memory = this.stack.workerMemoryMb / 1024;
    const gbSeconds = invocations * seconds * memory;
    return [
      {
        what: 'SQS',
        sum:
          `${show(messages)} messages × ${show(senders)} bridges / ${perSend} per request + ${show(invocations)} × (receive, delete) = ` +
          `${show(requests)} requests; ${this.#at('sqsFifoMillionRequests')}`,
        dollars: this.#millions(requests, 'sqsFifoMillionRequests'),
      },
      {
        what: 'workers',
        sum: `${show(invocations)} × ${seconds} s × ${memory} GB = ${show(gbSeconds)} GB-s; ${this.#at('lambdaGbSecondArm64')}, and the invocations`,
        dollars: gbSeconds * this.#price('lambdaGbSecondArm64') + this.#millions(invocations, 'lambdaMillionRequests'),
      },
      this.logs(invocations),
    ];
  }

  get #seconds(): number {
    return INPUTS.hoursPerMonth.value * SECONDS_PER_HOUR;
  }

  #price(name: PriceName): number {
    return this.#prices[name].dollars;
  }

  #at(name: PriceName): string {
    const { dollars: price, per } = this.#prices[name];
    return `$${price.toLocaleString('en-US', { maximumFractionDigits: 10 })} per ${per}`;
  }

  #millions(count: number, name: PriceName): number {
    return (count / MILLION) * this.#price(name);
  }
}

export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.dollars, 0);
}
