/** Says now and then how far a longer run has come. */

const PERIOD_MS = 2_000;

/** Silent for a run that is over within two seconds. */
export class Progress {
  #line = '';
  readonly #timer: NodeJS.Timeout;

  constructor(tell: (line: string) => void) {
    this.#timer = setInterval(() => {
      if (this.#line !== '') tell(this.#line);
    }, PERIOD_MS);
  }

  /** What is told next, if it takes that long. */
  set(line: string): void {
    this.#line = line;
  }

  /** To be called in every case. */
  stop(): void {
    clearInterval(this.#timer);
  }
}
