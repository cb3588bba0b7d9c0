/** Printed lines that wait for CloudWatch: bounded, and given out in batches that PutLogEvents takes. */

/** One line, as PutLogEvents takes it. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly message: string;
}

/** The limits of one PutLogEvents: UTF-8 bytes with 26 more for each line, lines, and hours between first and last. */
const MAX_BATCH_BYTES = 1_048_576;
const OVERHEAD_BYTES = 26;
const MAX_BATCH_LINES = 10_000;
const MAX_SPAN_MS = 24 * 3_600_000;
/** CloudWatch takes 1 MiB of a line today, 256 KiB in older partitions; no line of ours comes near. */
const MAX_LINE_BYTES = 256 * 1024 - OVERHEAD_BYTES;

/** About what a cluster of 50,000 volumes and claims prints in its first minute at level DEBUG. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Keeps lines until they are sent, and the newest of them when there are too many. */
export class LineBuffer {
  readonly #maxBytes: number;
  readonly #tellDropped: (count: number) => string;
  #lines: LogLine[] = [];
  #bytes = 0;
  #dropped = 0;

  /**
   * @param tellDropped the line that takes the place of so many that were dropped.
   * @param maxBytes of what waits; the oldest lines are dropped beyond that.
   */
  constructor(tellDropped: (count: number) => string, maxBytes = MAX_BYTES) {
    this.#tellDropped = tellDropped;
    this.#maxBytes = maxBytes;
  }

  /** Lines that wait. */
  get size(): number {
    return this.#lines.length;
  }

  /** @param timestamp milliseconds since the epoch. A blank line is left out, since CloudWatch refuses it. */
  add(message: string, timestamp: number): void {
    if (message.trim() === '') return;
    const line = { message: cut(message), timestamp };
    this.#lines.push(line);
    this.#bytes += sizeOf(line);
    if (this.#bytes <= this.#maxBytes) return;
    // A tenth at once: one by one, each would move all the others.
    let index = 0;
    for (; this.#bytes > this.#maxBytes * 0.9 && index < this.#lines.length - 1; index++) {
      this.#bytes -= sizeOf(this.#lines[index] as LogLine);
    }
    this.#lines.splice(0, index);
    this.#dropped += index;
  }

  /** Takes the next batch out of the buffer, in the order of time; empty when nothing waits. */
  take(): LogLine[] {
    const [oldest] = this.#lines;
    if (oldest === undefined) return [];
    const batch: LogLine[] = [];
    if (this.#dropped > 0) batch.push({ message: this.#tellDropped(this.#dropped), timestamp: oldest.timestamp });
    this.#dropped = 0;
    let bytes = batch.reduce((sum, line) => sum + sizeOf(line), 0);
    let [first, last] = [oldest.timestamp, oldest.timestamp];
    let taken = 0;
    for (const line of this.#lines) {
      first = Math.min(first, line.timestamp);
      last = Math.max(last, line.timestamp);
      bytes += sizeOf(line);
      if (bytes > MAX_BATCH_BYTES || batch.length >= MAX_BATCH_LINES || last - first >= MAX_SPAN_MS) break;
      batch.push(line);
      this.#bytes -= sizeOf(line);
      taken++;
    }
    this.#lines.splice(0, taken);
    // The clock can be set back between two lines.
    return batch.sort((a, b) => a.timestamp - b.timestamp);
  }
}

function sizeOf({ message }: LogLine): number {
  return Buffer.byteLength(message) + OVERHEAD_BYTES;
}

function cut(message: string): string {
  if (Buffer.byteLength(message) <= MAX_LINE_BYTES) return message;
  // Four bytes are the most that a character takes; the ellipsis takes three.
  return `${Buffer.from(message)
    .subarray(0, MAX_LINE_BYTES - 7)
    .toString('utf8')
    .replace(/\uFFFD$/, '')}…`;
}
