/** A program that these tests start: its output goes to a file, and it never outlives them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const readyPollMilliseconds = 20;
const readyTimeoutMilliseconds = 30_000;
const graceMilliseconds = 3_000;

export interface Program {
  readonly pid: number;
  /** Waits until `probe` says true. @throws Error when the program has ended or takes too long. */
  untilReady(probe: () => Promise<boolean>): Promise<void>;
  /** Ends it with all that it has started; resolves when it is gone. */
  stop(): Promise<void>;
}

/** @param options `env` holds all variables: nothing of the runner's own gets in. */
export async function startProgram(
  command: string,
  args: readonly string[],
  options: { readonly env: Readonly<Record<string, string>>; readonly cwd: string; readonly log: string },
): Promise<Program> {
  const { env, cwd, log: file } = options;
  const log = openSync(file, 'a');
  try {
    // A group of its own, since the functions are children of the program.
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', log, log], detached: true });
    const exited = once(child, 'exit');
    exited.catch(() => {}); // told by the next line
    await once(child, 'spawn');
    const { pid = 0 } = child;
    undertaker().write(`add ${pid}\n`);
    return {
      pid,
      untilReady: (probe) => untilReady(child, file, probe),
      async stop() {
        await stop(child, pid, exited);
        undertaker().write(`gone ${pid}\n`);
      },
    };
  } finally {
    closeSync(log);
  }
}

/** Ends the groups that are left when its input ends, which it does however the runner ends. */
const undertaking = `
while read -r what pid; do
  case $what in
    add) pids="$pids $pid " ;;
    gone) pids=$(echo "$pids" | sed "s/ $pid / /") ;;
  esac
done
for pid in $pids; do kill -s KILL -- "-$pid"; done`;

let input: Socket | undefined;

function undertaker(): Socket {
  if (input !== undefined) return input;
  const child = spawn('sh', ['-c', undertaking], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  input = child.stdin as Socket;
  input.unref();
  return input;
}

async function untilReady(child: ChildProcess, log: string, probe: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + readyTimeoutMilliseconds;
  while (!hasEnded(child) && performance.now() < deadline) {
    // A refused connection is the usual answer of a program that is just starting.
    if (await probe().catch(() => false)) return;
    await sleep(readyPollMilliseconds);
  }
  throw new Error(`${child.spawnfile} ${hasEnded(child) ? 'has ended' : 'is not ready'}: see ${log}`);
}

async function stop(child: ChildProcess, pid: number, exited: Promise<unknown>): Promise<void> {
  if (!hasEnded(child)) {
    const insist = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMilliseconds);
    killGroup(pid, 'SIGTERM');
    await exited;
    clearTimeout(insist);
  }
  killGroup(pid, 'SIGKILL');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody of the group is left.
  }
}
