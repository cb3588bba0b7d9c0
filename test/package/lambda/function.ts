/** A function with as many environments as may be busy at once; each invocation gets a free one. */
import type { LocalHandler } from '../../../local/queue/event-source.ts';
import { type PackagedFunction, type Slot, type SlotOptions, startSlot } from './slot.ts';

export class LambdaFunction {
  readonly name: string;
  readonly #slots: readonly Slot[];
  /** Last in, first out, as Lambda prefers the environment that was used last. */
  readonly #free: Slot[];

  private constructor(name: string, slots: readonly Slot[]) {
    this.name = name;
    this.#slots = slots;
    this.#free = slots.toReversed();
  }

  /** @param options `log`: its environments print to `<log>-1.log` and so on. */
  static async start(
    emulator: string,
    packaged: PackagedFunction,
    options: SlotOptions & { readonly environments: number },
  ): Promise<LambdaFunction> {
    const logs = Array.from({ length: options.environments }, (_, index) => `${options.log}-${index + 1}.log`);
    const started = await Promise.all(logs.map((log) => startSlot(emulator, packaged, { ...options, log })));
    return new LambdaFunction(packaged.name, started);
  }

  /** @returns what the handler returned. @throws Error for what it threw, or when no environment is free. */
  async invoke(event: unknown): Promise<unknown> {
    const slot = this.#free.pop();
    if (slot === undefined) throw new Error(`${this.name}: throttled, all ${this.#slots.length} environments are busy`);
    try {
      return await slot.invoke(event);
    } finally {
      this.#free.push(slot);
    }
  }

  /** For an event source. */
  readonly handler: LocalHandler = async (event) => (await this.invoke(event)) as Awaited<ReturnType<LocalHandler>>;

  get invocations(): number {
    return this.#slots.reduce((sum, { durations }) => sum + durations.length, 0);
  }

  /** Median milliseconds of the first invocations of its environments, and of all later ones. */
  get times(): { readonly cold: number | undefined; readonly warm: number | undefined } {
    return {
      cold: median(this.#slots.flatMap(({ durations }) => durations.slice(0, 1))),
      warm: median(this.#slots.flatMap(({ durations }) => durations.slice(1))),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.stop()));
  }
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
