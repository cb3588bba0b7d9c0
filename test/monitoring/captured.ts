/** A real logger and real metrics, whose lines are taken down as CloudWatch would get them. */
import { vi } from 'vitest';
import { createObservability, type Observability } from '../../functions/environment.ts';

export type Line = Readonly<Record<string, unknown>>;

/** Where hooks write, and what came out. */
export interface Captured extends Observability {
  /** The log lines, parsed. */
  logs(): Line[];
  /** The metric blobs (EMF), parsed. */
  blobs(): Line[];
  /** Everything as it was printed. */
  printed(): string[];
}

/**
 * Takes down what is printed until `release`. Powertools holds consoles of its own over the process's streams.
 * @param logLevel DEBUG unless given.
 */
export function capture(logLevel: 'DEBUG' | 'INFO' = 'DEBUG'): Captured {
  const printed: string[] = [];
  const take = (text: string | Uint8Array) => printed.push(...String(text).split('\n').filter(Boolean)) > 0;
  // As Lambda sets it; without it Powertools counts no cold start.
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand');
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
  const parsed = () => printed.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
  return {
    ...createObservability({ logLevel, stage: 'test' }),
    logs: () => parsed().filter((line) => 'level' in line),
    blobs: () => parsed().filter((line) => '_aws' in line),
    printed: () => printed,
  };
}

/** Lets the process print again. */
export function release(): void {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
}
