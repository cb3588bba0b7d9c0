/** The stage on which chapters are played: the running system, and a screen that shows what happens on it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Costs } from './chapter.ts';
import type { Transition } from './observer.ts';
import type { Stage } from './run-chapter.ts';
import type { Screen } from './screen.ts';
import type { Listener, World } from './world.ts';

/** For so long nothing must have happened; `settled` looks at the queues for about as long. */
const QUIET_MS = 100;
const CHECK_MS = 20;

/** Listens while an act is played; what happens outside of acts is not told. */
export class LiveStage implements Stage, Listener {
  readonly #screen: Screen;
  #world: World | undefined;
  #act: { readonly cause: string; readonly startedAt: number; transitions: number; lastMs: number } | undefined;
  #lastAt = 0;
  waitingFor = 'the system to start';

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Its listener is needed to build the world, so the world comes later. */
  enter(world: World): void {
    this.#world = world;
  }

  readonly transition = (transition: Transition): void => {
    this.#lastAt = performance.now();
    if (this.#act === undefined) return;
    this.#act.transitions++;
    this.#act.lastMs = this.#lastAt - this.#act.startedAt;
    this.#screen.transition(this.#act.lastMs, transition, this.#causeOf(transition));
  };

  readonly deed = (who: string, does: string): void => {
    this.#lastAt = performance.now();
    if (this.#act !== undefined) this.#screen.deed(this.#lastAt - this.#act.startedAt, who, does);
  };

  /** Always told. */
  readonly trouble = (text: string): void => this.#screen.trouble(text);

  begin(cause: string): void {
    this.waitingFor = `the API server to answer what "${cause}" asks of it`;
    this.#current.causes.clear();
    this.#act = { cause, startedAt: performance.now(), transitions: 0, lastMs: 0 };
  }

  end(): { transitions: number; lastMs: number } {
    const { transitions = 0, lastMs = 0 } = this.#act ?? {};
    this.#act = undefined;
    return { transitions, lastMs };
  }

  /** The queues are quiet while a recycler pod runs or the provisioner works, so these come first. */
  async quiet(signal: AbortSignal): Promise<void> {
    const { system } = this.#current;
    for (;;) {
      signal.throwIfAborted();
      const busy = this.#busy();
      this.waitingFor = busy ?? 'the queues to be empty and the bridge to be idle';
      if (busy === undefined) {
        await system.settled();
        if (this.#busy() === undefined && performance.now() - this.#lastAt >= QUIET_MS) return;
      }
      await sleep(CHECK_MS);
    }
  }

  costs(): Costs {
    return this.#current.costs();
  }

  /** A free volume or a waiting claim that one chapter left would spoil the next: they would be bound. */
  async tidy(): Promise<void> {
    this.waitingFor = 'the volumes and claims that were left over to be deleted';
    if (await this.#current.deleteUnbound()) await this.#current.system.settled();
  }

  get #current(): World {
    if (this.#world === undefined) throw new Error('the stage is empty');
    return this.#world;
  }

  /** What others are still at. */
  #busy(): string | undefined {
    const { observer, provisioner } = this.#current;
    if (observer.pod !== undefined) return `pod ${observer.pod} to end and be deleted`;
    return provisioner.job === undefined ? undefined : `the provisioner to finish with ${provisioner.job}`;
  }

  /** The controller's own words where it has any, else what was done. */
  #causeOf({ subject, phase }: Transition): string {
    const noted = phase === undefined ? undefined : this.#current.causes.of(subject, phase);
    return noted ?? `because ${this.#act?.cause}`;
  }
}
