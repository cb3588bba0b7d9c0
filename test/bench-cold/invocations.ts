/** How long a function takes under Lambda's emulator: until it is loaded, for its first event, and for later ones. */
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Slot, startSlot } from '../package/lambda/slot.ts';
import type { FunctionKey } from '../package/stack/functions.ts';
import type { UnpackedFunction } from './packaged-stack.ts';
import type { Surroundings } from './surroundings.ts';
import { eventFor, type Work } from './work.ts';

/** One invocation, as `timed.mjs` saw it. */
export interface Invocation {
  readonly elapsedMs: number;
  /** Of the process, meanwhile. */
  readonly cpuMs: number;
  /** The most that the process has had in memory by then. */
  readonly maxRssMb: number;
  /** Gets and lists of the API server. */
  readonly reads: number;
}

/** One environment, from its start. */
export interface ColdStart {
  /** From the start of the process until the handler is loaded: Node's own start, and the import. */
  readonly initMs: number;
  readonly importMs: number;
  /** The handler's time for the first event; of the bridge, until it begins to list. */
  readonly firstMs: number;
}

const POLL_MS = 5;
const READY_MS = 30_000;

/** Starts environments of one function, and invokes it. */
export class FunctionUnderTest {
  readonly #emulator: string;
  readonly #unpacked: UnpackedFunction;
  readonly #surroundings: Surroundings;
  #started = 0;

  constructor(emulator: string, unpacked: UnpackedFunction, surroundings: Surroundings) {
    this.#emulator = emulator;
    this.#unpacked = unpacked;
    this.#surroundings = surroundings;
  }

  get key(): FunctionKey {
    return this.#unpacked.key;
  }

  /** Whether there is work to give it again and again. */
  get isWorker(): boolean {
    return this.key === 'volumeWorker' || this.key === 'claimWorker';
  }

  /** A new environment and its first event. */
  async cold(): Promise<ColdStart> {
    const { slot, log } = await this.#start();
    try {
      const event = await this.#event('change', 1);
      if (this.key === 'bridge') return await this.#untilItLists(slot, event, log);
      const { elapsedMs } = (await slot.invoke(event)) as Invocation;
      const { initMs, importMs } = await initIn(log);
      return { initMs, importMs, firstMs: elapsedMs };
    } finally {
      await slot.stop();
    }
  }

  /** Events for an environment that has had two before: the first connects and lists, the second finds all code compiled once. */
  async warm(work: Work, keys: number, count: number, onRun: () => void = () => {}): Promise<Invocation[]> {
    const { slot } = await this.#start();
    const invocations: Invocation[] = [];
    try {
      for (let index = 0; index < count + 2; index += 1) {
        const event = await this.#event(work, keys);
        const before = this.#surroundings.reads();
        const seen = (await slot.invoke(event)) as Invocation & { answer: unknown };
        const { batchItemFailures = [] } = (seen.answer ?? {}) as { batchItemFailures?: readonly unknown[] };
        if (batchItemFailures.length > 0) throw new Error(`${this.key}: ${batchItemFailures.length} keys failed`);
        if (index < 2) continue;
        invocations.push({ ...seen, reads: this.#surroundings.reads() - before });
        onRun();
      }
      return invocations;
    } finally {
      await slot.stop();
    }
  }

  #event(work: Work, keys: number) {
    return eventFor(this.key, work, keys, this.#surroundings);
  }

  async #start(): Promise<{ slot: Slot; log: string }> {
    const { packaged, file } = this.#unpacked;
    this.#started += 1;
    const log = join(packaged.directory, `${this.#started}.log`);
    await copyFile(join(import.meta.dirname, 'timed.mjs'), join(packaged.directory, 'timed.mjs'));
    const { PersistentVolume, PersistentVolumeClaim } = this.#surroundings.addresses;
    const environment = {
      ...packaged.environment,
      ...this.#surroundings.variables,
      PV_VOLUMES_QUEUE_URL: PersistentVolume.url,
      PV_CLAIMS_QUEUE_URL: PersistentVolumeClaim.url,
      PV_VOLUMES_DEAD_LETTER_URL: PersistentVolume.deadLetterUrl,
      PV_CLAIMS_DEAD_LETTER_URL: PersistentVolumeClaim.deadLetterUrl,
      BENCH_BUNDLE: file,
    };
    const slot = await startSlot(this.#emulator, { ...packaged, environment, handler: 'timed.handler' }, { log });
    return { slot, log };
  }

  /** The bridge answers at the end of its life, which is not waited for. */
  async #untilItLists(slot: Slot, event: unknown, log: string): Promise<ColdStart> {
    slot.invoke(event).catch(() => {});
    const deadline = performance.now() + READY_MS;
    for (;;) {
      const begins = lineWith('"message":"bridge starts"', await readFile(log, 'utf8'));
      if (begins !== undefined) {
        const { at, initMs, importMs } = await initIn(log);
        return { initMs, importMs, firstMs: Date.parse((JSON.parse(begins) as { timestamp: string }).timestamp) - at };
      }
      if (performance.now() > deadline) throw new Error(`the bridge does not begin: see ${log}`);
      await setTimeout(POLL_MS);
    }
  }
}

async function initIn(log: string): Promise<{ initMs: number; importMs: number; at: number }> {
  const line = lineWith('"benchInit"', await readFile(log, 'utf8'));
  if (line === undefined) throw new Error(`the function was not loaded: see ${log}`);
  return (JSON.parse(line) as { benchInit: { initMs: number; importMs: number; at: number } }).benchInit;
}

function lineWith(text: string, log: string): string | undefined {
  return log.split('\n').find((line) => line.includes(text));
}
