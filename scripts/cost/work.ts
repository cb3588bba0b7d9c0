/** The arithmetic of work: what events and sweeps use, by the measured figures, and what that costs. */
import { show } from './format.ts';
import { INPUTS } from './inputs.ts';
import type { EventName, Measured } from './measured.ts';
import type { PriceTable } from './prices.ts';
import { bridgesAtWork, type Host, type Line, MONTH_SECONDS, Rates } from './rates.ts';
import type { Stack } from './stack.ts';

/** What work uses, before it is given a price. */
export interface Usage {
  readonly messages: number;
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly lines: readonly Line[];
}

const GB = 1e9;
const COLD_SHARE = INPUTS.coldShare.value;
const SEND_BATCH = INPUTS.sendBatch.value;

/** All work of one stack at one price table. */
export class Work {
  readonly stack: Stack;
  readonly measured: Measured;
  readonly #rates: Rates;

  constructor(stack: Stack, prices: PriceTable, measured: Measured) {
    this.stack = stack;
    this.measured = measured;
    this.#rates = new Rates(prices);
  }

  /**
   * So many events of a kind, on a cluster that does nothing else.
   * @param when `together`: as many beside each other as were measured. `scattered`: each message comes alone, and finds
   *   no environment that is still there, which is the dearest that can be.
   */
  events(event: EventName, times: number, host: Host, when: 'together' | 'scattered' = 'together'): Usage {
    const messages = times * this.measured[`${event}.messages`].value;
    const isScattered = when === 'scattered';
    const invocations = isScattered ? messages : times * this.measured[`${event}.invocations`].value;
    // A single change is sent at once, so it rarely shares a request.
    const sending = { host, perSend: 1 };
    return this.#work(messages, sending, invocations, isScattered ? [0, 1] : [this.changeSeconds, COLD_SHARE]);
  }

  /**
   * What happens to so many volumes in a month: each is created, bound, changed and released, at the rates of the
   * inputs, and scattered over it.
   */
  churn(volumes: number, host: Host): Usage {
    const lives = volumes * INPUTS.livesPerMonth.value;
    const touches = volumes * INPUTS.touchesPerMonth.value;
    return together([
      this.events('available', lives, host, 'scattered'),
      this.events('bound', lives, host, 'scattered'),
      this.events('released', lives, host, 'scattered'),
      this.events('touched', touches, host, 'scattered'),
    ]);
  }

  /** The full sweep over so many objects, each of them settled. */
  sweep(objects: number, host: Host): Usage {
    const messages = (objects * MONTH_SECONDS) / this.stack.sweepSeconds;
    const invocations = messages / this.measured.backlogPerInvocation.value;
    return this.#work(messages, { host, perSend: SEND_BATCH }, invocations, [this.settledSeconds, COLD_SHARE]);
  }

  /** The scheduled resync of so many objects: the same keys, more seldom, and sent by one function. */
  resync(objects: number): Usage {
    const messages = (objects * MONTH_SECONDS) / this.stack.resyncEverySeconds;
    const invocations = messages / this.measured.backlogPerInvocation.value;
    return this.#work(messages, { perSend: SEND_BATCH }, invocations, [this.settledSeconds, COLD_SHARE]);
  }

  /** Seconds of a warm invocation that writes, as Lambda would bill them. */
  get changeSeconds(): number {
    const { changeMs, changeCpuMs } = this.measured;
    return this.#billed(changeMs.value, changeCpuMs.value);
  }

  /** Seconds of an invocation of the sweep. It comes with many others, so the limit on calls may be what it waits for. */
  get settledSeconds(): number {
    const { settledMs, settledCpuMs, settledReads, backlogPerInvocation } = this.measured;
    const calls = backlogPerInvocation.value * settledReads.value;
    return Math.max(this.#billed(settledMs.value, settledCpuMs.value), calls / this.stack.callsPerSecond);
  }

  /** Seconds of a start and its first event, all of it taken for CPU time. */
  get coldSeconds(): number {
    return this.#billed(this.measured.coldMs.value, this.measured.coldMs.value);
  }

  /** What a worker's share of a CPU makes longer is its CPU time, and not the time that it waits. */
  #billed(elapsedMs: number, cpuMs: number): number {
    const times = Math.max(1, INPUTS.wholeCpuMb.value / this.stack.workerMemoryMb);
    return (elapsedMs + cpuMs * (times - 1)) / 1_000;
  }

  /**
   * @param sending messages per request, and the host of the bridges that all send; undefined: one sender.
   * @param time seconds of an invocation, and the share of the invocations that are starts, with their first event.
   */
  #work(
    messages: number,
    { host, perSend }: { readonly host?: Host; readonly perSend: number },
    invocations: number,
    [seconds, cold]: readonly [seconds: number, cold: number],
  ): Usage {
    const senders = host === undefined ? 1 : bridgesAtWork(this.stack, host);
    const requests = (messages * senders) / perSend + 2 * invocations;
    const memory = this.stack.workerMemoryMb / 1024;
    const gbSeconds = invocations * (seconds + cold * this.coldSeconds) * memory;
    const lines = [
      {
        what: 'SQS',
        sum:
          `${show(messages)} messages × ${show(senders)} senders / ${perSend} per request + ${show(invocations)} × (receive, delete) = ` +
          `${show(requests)} requests; ${this.#rates.text('sqsFifoMillionRequests')}`,
        dollars: this.#rates.ofMillions(requests, 'sqsFifoMillionRequests'),
      },
      {
        what: 'workers',
        sum:
          `${show(invocations)} × (${show(seconds)} s + ${cold} × ${show(this.coldSeconds)} s) × ${memory} GB = ` +
          `${show(gbSeconds)} GB-s; ${this.#rates.text('lambdaGbSecondArm64')}, and the invocations`,
        dollars:
          gbSeconds * this.#rates.of('lambdaGbSecondArm64') +
          this.#rates.ofMillions(invocations, 'lambdaMillionRequests'),
      },
      this.#logs(invocations),
    ];
    return { messages, invocations, gbSeconds, lines };
  }

  #logs(invocations: number): Line {
    const bytes = invocations * INPUTS.logBytes.value;
    const sum = `${show(invocations)} × ${INPUTS.logBytes.value} bytes = ${show(bytes / GB)} GB; ${this.#rates.text('logsIngestedGb')}`;
    return { what: 'logs', sum, dollars: (bytes / GB) * this.#rates.of('logsIngestedGb') };
  }
}

/** Several kinds of work as one. */
export function together(usages: readonly Usage[]): Usage {
  const sum = (of: (usage: Usage) => number) => usages.reduce((all, usage) => all + of(usage), 0);
  return {
    messages: sum(({ messages }) => messages),
    invocations: sum(({ invocations }) => invocations),
    gbSeconds: sum(({ gbSeconds }) => gbSeconds),
    lines: usages.flatMap(({ lines }) => lines),
  };
}
