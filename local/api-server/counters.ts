/** Counts requests by verb and resource, for tests and benchmarks that watch what something costs. */
export class RequestCounters {
  readonly #counts = new Map<string, number>();

  /** @internal */
  add(verb: string, resource: string): void {
    const key = `${verb} ${resource}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /**
   * How many requests there were; without arguments all of them.
   *
   * @example
   * server.requests.count('update', 'persistentvolumes/status');
   * server.requests.count('watch');
   */
  count(verb?: string, resource?: string): number {
    let sum = 0;
    for (const [key, count] of this.#counts) {
      const [itsVerb, itsResource] = key.split(' ');
      if ((verb ?? itsVerb) === itsVerb && (resource ?? itsResource) === itsResource) sum += count;
    }
    return sum;
  }

  /** Writes of any kind: create, update, patch, delete. */
  get writes(): number {
    return ['create', 'update', 'patch', 'delete'].reduce((sum, verb) => sum + this.count(verb), 0);
  }

  /** All counts, by `verb resource`. */
  all(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort());
  }

  reset(): void {
    this.#counts.clear();
  }
}
