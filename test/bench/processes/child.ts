/** One process of ours, as the driver sees it. */
import { type ChildProcess, fork } from 'node:child_process';
import type { ProcessSettings, Question } from './settings.ts';

interface Answer {
  readonly id?: number;
  readonly ready?: unknown;
  readonly value?: unknown;
  readonly error?: string;
}

export interface ChildOptions {
  readonly file: string;
  readonly settings: ProcessSettings;
  /** More options of Node. */
  readonly nodeOptions?: readonly string[];
}

export class Child {
  readonly pid: number;
  /** What it said when it was ready. */
  readonly ready: Promise<unknown>;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #questions = 0;

  constructor({ file, settings, nodeOptions = [] }: ChildOptions) {
    const env = { ...process.env, BENCH_PROCESS: JSON.stringify(settings) };
    this.#process = fork(file, { env, execArgv: ['--expose-gc', ...nodeOptions] });
    this.pid = this.#process.pid ?? 0;
    const ready = Promise.withResolvers<unknown>();
    const ended = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.#ended = ended.promise;
    this.ready.catch(() => {});
    this.#process.on('message', ({ id = 0, ready: said, value, error }: Answer) => {
      if (said !== undefined) return ready.resolve(said);
      if (error === undefined) this.#waiting.get(id)?.resolve(value);
      else this.#waiting.get(id)?.reject(new Error(error));
      this.#waiting.delete(id);
    });
    this.#process.once('exit', (code, signal) => {
      const error = new Error(`the ${settings.role} process has ended with ${signal ?? code}`);
      ready.reject(error);
      for (const { reject } of this.#waiting.values()) reject(error);
      ended.resolve();
    });
  }

  async ask<T>(question: Question): Promise<T> {
    const answer = Promise.withResolvers<unknown>();
    const id = ++this.#questions;
    this.#waiting.set(id, answer);
    this.#process.send({ id, question });
    return (await answer.promise) as T;
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Lets it finish what it does; resolves when it is gone. */
  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await this.ask('stop').catch(() => {});
    await this.#ended;
  }
}
