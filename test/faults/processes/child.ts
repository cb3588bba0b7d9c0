/** One process of ours, from its start to its end by SIGKILL. */
import { type ChildProcess, fork } from 'node:child_process';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { SyncKey } from '../../../lib/controller/types.ts';
import type { ProcessAnswer, ProcessSettings } from './program.ts';

export class Child {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<SQSBatchResponse>>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #ready = Promise.withResolvers<void>();
  #calls = 0;
  #isReady = false;
  #isKilled = false;

  /**
   * @param file of the program.
   * @param onCrash called when it ends otherwise than by `kill`.
   */
  constructor(file: string, settings: ProcessSettings, onCrash: (error: Error) => void) {
    const env = { ...process.env, FAULTS_PROCESS: JSON.stringify(settings) };
    this.#process = fork(file, { env, execArgv: [] });
    this.#ready.promise.catch(() => {});
    // A message to a process that was just killed; its end is told below.
    this.#process.on('error', () => {});
    this.#process.on('message', (message: 'ready' | ProcessAnswer) => {
      if (message === 'ready') {
        this.#isReady = true;
        return this.#ready.resolve();
      }
      const { id, response, error } = message;
      if (response === undefined) this.#waiting.get(id)?.reject(new Error(`the function has thrown ${error}`));
      else this.#waiting.get(id)?.resolve(response);
      this.#waiting.delete(message.id);
    });
    this.#process.once('exit', (code, signal) => {
      this.#ended.resolve();
      const when = this.#isReady ? '' : ' while it started';
      const error = new Error(`the ${settings.role} process has ended with ${signal ?? code}${when}`);
      this.#ready.reject(error);
      for (const { reject } of this.#waiting.values()) reject(error);
      if (!this.#isKilled) onCrash(error);
    });
  }

  /** Resolves when it works. @throws Error when it has ended before. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Lets the function of that kind handle the event. @throws Error when the process ends meanwhile. */
  async invoke(kind: SyncKey['kind'], event: SQSEvent): Promise<SQSBatchResponse> {
    await this.ready;
    if (!this.isRunning) throw new Error('the process has ended');
    const answer = Promise.withResolvers<SQSBatchResponse>();
    const id = ++this.#calls;
    this.#waiting.set(id, answer);
    this.#process.send({ id, kind, event });
    return await answer.promise;
  }

  /** At once; resolves when it is gone. May be called twice. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#process.kill('SIGKILL');
    await this.#ended.promise;
  }
}
