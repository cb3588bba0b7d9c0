/** A terminal for tests: what a command printed, and a clock that stands. */
import type { Io } from './command.ts';

export interface TestIo extends Io {
  /** All that went to standard output. */
  readonly printed: () => string;
  /** All that went to standard error. */
  readonly complained: () => string;
}

export function testIo(more: Partial<Io> = {}): TestIo {
  const out: string[] = [];
  const err: string[] = [];
  return {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    colours: false,
    width: 80,
    env: {},
    now: () => Date.parse('2026-11-30T12:00:00Z'),
    signal: new AbortController().signal,
    ...more,
    printed: () => out.join(''),
    complained: () => err.join(''),
  };
}
