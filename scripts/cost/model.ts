/** The arithmetic of what is charged by time: the bridge, empty queues, monitoring, the network. Each result carries its sum. */
import { show } from './format.ts';
import { INPUTS } from './inputs.ts';
import type { Measured } from './measured.ts';
import type { PriceTable } from './prices.ts';
import { bridgesAtWork, type Line, MONTH_SECONDS, Rates } from './rates.ts';
import type { Stack } from './stack.ts';

/** All fixed costs of one stack at one price table. */
export class Costs {
  readonly stack: Stack;
  readonly #rates: Rates;

  constructor(stack: Stack, prices: PriceTable) {
    this.stack = stack;
    this.#rates = new Rates(prices);
  }

  /** Starts of the bridge's Lambda in a month. */
  get starts(): number {
    return MONTH_SECONDS / this.stack.bridgeEverySeconds;
  }

  /** GB-seconds of a month. */
  bridgeGbSeconds(memoryMb: number): number {
    return bridgesAtWork(this.stack, 'lambda') * (memoryMb / 1024) * MONTH_SECONDS;
  }

  bridgeLambda(memoryMb = this.stack.bridgeMemoryMb): Line {
    const running = bridgesAtWork(this.stack, 'lambda');
    const gbSeconds = this.bridgeGbSeconds(memoryMb);
    const { starts } = this;
    const sum =
      `${show(running)} running × ${memoryMb / 1024} GB × ${show(MONTH_SECONDS)} s = ${show(gbSeconds)} GB-s; ` +
      `${this.#rates.text('lambdaGbSecondArm64')}, and ${show(starts)} starts`;
    const cost =
      gbSeconds * this.#rates.of('lambdaGbSecondArm64') + this.#rates.ofMillions(starts, 'lambdaMillionRequests');
    return { what: `bridge as a Lambda of ${memoryMb} MB`, sum, dollars: cost };
  }

  /** The share of a node that the pods reserve, by what is scarcer of CPU and memory. */
  bridgeContainer(): Line {
    const { replicas, podCpu, podGib } = this.stack;
    const node = { cpu: INPUTS.nodeCpus.value, gib: INPUTS.nodeGib.value };
    const share = replicas * Math.max(podCpu / node.cpu, podGib / node.gib);
    const sum =
      `${replicas} pods × the larger of ${podCpu} of ${node.cpu} CPUs and ${podGib} of ${node.gib} GiB = ` +
      `${show(share * 100)} % of a node; ${this.#rates.text('nodeHour')}`;
    return {
      what: 'bridge as a container',
      sum,
      dollars: share * INPUTS.hoursPerMonth.value * this.#rates.of('nodeHour'),
    };
  }

  idlePolling(): Line {
    const { queues } = this.stack;
    const { pollersPerQueue, longPollSeconds } = INPUTS;
    const requests = (queues * pollersPerQueue.value * MONTH_SECONDS) / longPollSeconds.value;
    const sum =
      `${queues} queues × ${pollersPerQueue.value} polls × ${show(MONTH_SECONDS)} s / ${longPollSeconds.value} s = ` +
      `${show(requests)} requests; ${this.#rates.text('sqsFifoMillionRequests')}`;
    return {
      what: 'Lambda asks the empty queues',
      sum,
      dollars: this.#rates.ofMillions(requests, 'sqsFifoMillionRequests'),
    };
  }

  monitoring(): Line[] {
    const { metrics, functions, alarms } = this.stack;
    const counted = metrics + functions;
    return [
      {
        what: 'metrics',
        sum: `${metrics} of docs/metrics.md and ${functions} cold starts (one per function) = ${counted}; ${this.#rates.text('cloudWatchMetric')}`,
        dollars: counted * this.#rates.of('cloudWatchMetric'),
      },
      {
        what: 'alarms',
        sum: `${alarms}; ${this.#rates.text('cloudWatchAlarm')}`,
        dollars: alarms * this.#rates.of('cloudWatchAlarm'),
      },
      {
        what: 'dashboard',
        sum: `1; ${this.#rates.text('cloudWatchDashboard')}`,
        dollars: this.#rates.of('cloudWatchDashboard'),
      },
    ];
  }

  /** What each start of the bridge's Lambda asks of the API server, for so many volumes and as many claims. */
  lists(
    objects: number,
    { volumeBytes, claimBytes }: Measured,
  ): { readonly requests: number; readonly bytes: number; readonly bytesPerMonth: number } {
    const requests = 2 * Math.max(1, Math.ceil(objects / 2 / INPUTS.listPage.value)) + 1;
    const bytes = (objects / 2) * (volumeBytes.value + claimBytes.value);
    return { requests, bytes, bytesPerMonth: bytes * this.starts };
  }

  endpoints(count: number): Line {
    const zones = INPUTS.endpointZones.value;
    const hours = INPUTS.hoursPerMonth.value;
    const sum = `${count} × ${zones} zones × ${hours} h; ${this.#rates.text('interfaceEndpointHour')}`;
    return {
      what: `${count} interface endpoint${count === 1 ? '' : 's'}`,
      sum,
      dollars: count * zones * hours * this.#rates.of('interfaceEndpointHour'),
    };
  }

  key(): Line {
    return { what: 'customer-managed key', sum: `1; ${this.#rates.text('kmsKey')}`, dollars: this.#rates.of('kmsKey') };
  }
}
