/**
 * Sends what the bridge prints to a CloudWatch log group, as Lambda does for its functions: metrics (CloudWatch reads them
 * from the lines), saved queries and alarms then work in a cluster without a log agent. The bridge never waits for it and
 * never fails by it.
 */
import {
  type CloudWatchLogsClient,
  CreateLogStreamCommand,
  PutLogEventsCommand,
  type PutLogEventsCommandOutput,
} from '@aws-sdk/client-cloudwatch-logs';
import { awsError } from '../lib/aws-error.ts';
import { Backoff, pause, systemClock } from '../lib/bridge/clock.ts';
import { LineBuffer, type LogLine } from './line-buffer.ts';

/** Where lines go. Times are milliseconds. */
export interface LogShipperOptions {
  readonly client: CloudWatchLogsClient;
  readonly group: string;
  /** The stream of this process alone; it is created when it does not exist, the group is not. */
  readonly stream: string;
  /** Says what goes wrong; what it prints must not come back as a line. Must not throw. */
  readonly report: (problem: string, details: Readonly<Record<string, unknown>>) => void;
  /** Between two sendings. */
  readonly periodMs?: number;
  readonly requestTimeoutMs?: number;
  /** Of the lines that wait; the oldest are dropped beyond that. */
  readonly maxBufferBytes?: number;
}

const PERIOD_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_DELAY_MS = 60_000;
const RETRY_AT_STOP_MS = 250;

/**
 * @example
 * const shipper = new LogShipper({ client, group, stream, report });
 * shipper.add('a line');
 * await shipper.stop(5_000);
 */
export class LogShipper {
  readonly #options: LogShipperOptions;
  readonly #buffer: LineBuffer;
  /** Taken out of the buffer and not accepted yet. */
  #pending: LogLine[] = [];
  #hasStream = false;
  readonly #stopping = new AbortController();
  readonly #giveUp = new AbortController();
  readonly #running: Promise<void>;

  /** Starts to send, every `periodMs`. */
  constructor(options: LogShipperOptions) {
    this.#options = options;
    this.#buffer = new LineBuffer(
      (dropped) => JSON.stringify({ level: 'WARN', message: 'log lines were dropped before they were sent', dropped }),
      options.maxBufferBytes,
    );
    this.#running = this.#run();
  }

  /** Takes a line in; it is sent later. */
  add(line: string): void {
    this.#buffer.add(line, Date.now());
  }

  /** Sends what is left, for `timeoutMs` at most, and ends. Never rejects. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.#giveUp.abort(new Error('the process ends')), timeoutMs);
    await this.#running;
    while (!(await this.#sendAll()) && !this.#giveUp.signal.aborted) {
      await pause(systemClock, RETRY_AT_STOP_MS, this.#giveUp.signal);
    }
    clearTimeout(timer);
    const lines = this.#pending.length + this.#buffer.size;
    if (lines > 0) this.#options.report('lines were not sent to CloudWatch', { lines });
  }

  async #run(): Promise<void> {
    const { periodMs = PERIOD_MS } = this.#options;
    const backoff = new Backoff(periodMs, Math.max(periodMs, MAX_DELAY_MS));
    let delay = periodMs;
    while (!this.#stopping.signal.aborted) {
      await pause(systemClock, delay, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      const isSent = await this.#sendAll();
      delay = isSent ? periodMs : backoff.next();
      if (isSent) backoff.reset();
    }
  }

  /** @returns whether nothing is left to send. */
  async #sendAll(): Promise<boolean> {
    while (this.#pending.length > 0 || this.#buffer.size > 0) {
      if (this.#giveUp.signal.aborted) return false;
      if (this.#pending.length === 0) this.#pending = this.#buffer.take();
      try {
        await this.#send(this.#pending);
        this.#pending = [];
      } catch (error) {
        if (this.#giveUp.signal.aborted) return false;
        this.#failed(error);
        return false;
      }
    }
    return true;
  }

  async #send(logEvents: LogLine[]): Promise<void> {
    const { client, group: logGroupName, stream: logStreamName, requestTimeoutMs, report } = this.#options;
    const options = {
      abortSignal: AbortSignal.any([AbortSignal.timeout(requestTimeoutMs ?? REQUEST_TIMEOUT_MS), this.#giveUp.signal]),
    };
    if (!this.#hasStream) {
      await client.send(new CreateLogStreamCommand({ logGroupName, logStreamName }), options).catch((error) => {
        if (nameOf(error) !== 'ResourceAlreadyExistsException') throw error;
      });
      this.#hasStream = true;
    }
    const answer = await client.send(new PutLogEventsCommand({ logGroupName, logStreamName, logEvents }), options);
    const rejected = rejectedOf(answer);
    if (rejected !== undefined) report('CloudWatch refused lines for their time', { rejected });
  }

  #failed(error: unknown): void {
    const { group, stream, report } = this.#options;
    const details = { group, stream, error: awsError(error).message };
    if (nameOf(error) === 'InvalidParameterException') {
      // It would be refused for ever, and everything behind it would wait.
      const lines = this.#pending.length;
      this.#pending = [];
      report('CloudWatch refused lines', { ...details, lines });
      return;
    }
    // The group or the stream was deleted meanwhile, or the group was never there.
    if (nameOf(error) === 'ResourceNotFoundException') this.#hasStream = false;
    report('lines could not be sent to CloudWatch, will be tried again', details);
  }
}

function nameOf(error: unknown): string | undefined {
  return (error as { name?: string } | undefined)?.name;
}

function rejectedOf({ rejectedLogEventsInfo }: PutLogEventsCommandOutput): object | undefined {
  const { tooOldLogEventEndIndex, tooNewLogEventStartIndex, expiredLogEventEndIndex } = rejectedLogEventsInfo ?? {};
  const rejected = { tooOldLogEventEndIndex, tooNewLogEventStartIndex, expiredLogEventEndIndex };
  return Object.values(rejected).some((index) => index !== undefined) ? rejected : undefined;
}
