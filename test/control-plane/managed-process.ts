import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Processes that live at this moment. Should the test runner leave without stopping them, they go with it. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const readyPollMilliseconds = 50;
const tailLines = 20;

/** Where a controller runs, and whom it talks to. */
export interface ControllerPlace {
  readonly binary: string;
  readonly directory: string;
  readonly kubeconfig: string;
  /** Names its log and its own directory: there may be several of a kind. */
  readonly name: string;
}

/** One program of the control plane, running on its own. */
export class ManagedProcess {
  readonly name: string;
  readonly pid: number;
  /** Where standard output and standard error go. */
  readonly logFile: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(name: string, child: ChildProcess, pid: number, logFile: string) {
    this.name = name;
    this.pid = pid;
    this.logFile = logFile;
    this.#child = child;
    this.#exited = once(child, 'exit').finally(() => running.delete(child));
  }

  /** Starts `program` of the control plane's binary; does not wait until it is ready. */
  static async start(options: {
    readonly binary: string;
    readonly program: string;
    readonly args: readonly string[];
    readonly logFile: string;
    /** What the process is called in errors, where that is not the program's name. */
    readonly name?: string;
  }): Promise<ManagedProcess> {
    const log = openSync(options.logFile, 'a');
    try {
      // Standard input is a pipe that nobody writes to: its end tells the program that we died, even by SIGKILL.
      const child = spawn(options.binary, [options.program, ...options.args], {
        stdio: ['pipe', log, log],
        env: { ...process.env, CONTROL_PLANE_DIE_WITH_PARENT: '1' },
      });
      running.add(child);
      child.once('error', () => running.delete(child));
      await once(child, 'spawn');
      return new ManagedProcess(options.name ?? options.program, child, child.pid ?? 0, options.logFile);
    } finally {
      closeSync(log);
    }
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits until `probe` says true; a process that died or takes too long is an error with the end of its log. */
  async untilReady(probe: () => Promise<boolean>, timeoutMilliseconds = 60_000): Promise<this> {
    const deadline = Date.now() + timeoutMilliseconds;
    while (this.isRunning && Date.now() < deadline) {
      // A refused connection is the usual answer of a process that is just starting.
      if (await probe().catch(() => false)) return this;
      await sleep(readyPollMilliseconds);
    }
    const what = this.isRunning ? `was not ready after ${timeoutMilliseconds} ms` : this.#howItEnded();
    await this.stop(0);
    throw new Error(`${this.name} ${what}; the end of ${this.logFile}:\n${await this.logTail()}`);
  }

  /** Sends a signal, for example SIGSTOP to pause it; false when the process is gone already. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): boolean {
    return this.#child.kill(signal);
  }

  /** Asks the process to end, insists after `graceMilliseconds`, and waits until it is gone. */
  async stop(graceMilliseconds = 10_000): Promise<void> {
    if (!this.isRunning) return;
    const insist = setTimeout(() => this.kill('SIGKILL'), graceMilliseconds);
    this.kill('SIGTERM');
    // A paused process would never see the SIGTERM.
    this.kill('SIGCONT');
    await this.#exited;
    clearTimeout(insist);
  }

  /** The last lines that the process wrote. */
  async logTail(lines = tailLines): Promise<string> {
    const text = await readFile(this.logFile, 'utf8');
    return text.trimEnd().split('\n').slice(-lines).join('\n');
  }

  #howItEnded(): string {
    return `ended with ${this.#child.signalCode ?? `exit code ${this.#child.exitCode}`}`;
  }
}
