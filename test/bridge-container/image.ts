/** The image's files in an empty, read-only directory, and its entry point run in there as its own user. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildAll } from '../../scripts/build.ts';
import { type ImagePlan, readDockerfile } from './dockerfile.ts';

/** Root can give the process the image's own user; others run it as themselves, and cannot write to it either. */
const isRoot = process.getuid?.() === 0;

export interface RunningContainer {
  readonly process: ChildProcess;
  /** What was printed so far, line by line. */
  readonly lines: string[];
  /** The exit code. Kills the process after 20 s. */
  ended(): Promise<number | null>;
}

/** An image that was laid out. */
export class Image {
  readonly plan: ImagePlan;
  readonly root: string;
  /** Bytes of what the Dockerfile copies. */
  readonly contentBytes: number;
  readonly #running = new Set<ChildProcess>();

  private constructor(plan: ImagePlan, root: string, contentBytes: number) {
    this.plan = plan;
    this.root = root;
    this.contentBytes = contentBytes;
  }

  /** Builds the bundle, and copies what the Dockerfile copies. */
  static async create(): Promise<Image> {
    const plan = readDockerfile();
    const scratch = mkdtempSync(join(tmpdir(), 'bridge-image-'));
    const root = join(scratch, 'root');
    const bundle = (await buildAll({ directory: join(scratch, 'dist'), workerLimit: Number.POSITIVE_INFINITY })).find(
      ({ name }) => name === 'bridge-container',
    );
    let contentBytes = 0;
    for (const { from, to } of plan.copies) {
      // The bundle of this run, whatever lies in dist.
      const source = from.endsWith('dist/bridge-container/main.mjs') ? (bundle?.file ?? from) : from;
      mkdirSync(dirname(join(root, to)), { recursive: true });
      cpSync(source, join(root, to));
      contentBytes += statSync(source).size;
    }
    // The base's part: Node, at its place.
    const node = join(root, plan.entrypoint[0] ?? '');
    mkdirSync(dirname(node), { recursive: true });
    cpSync(process.execPath, node);
    mkdirSync(join(root, 'tmp'));
    chmodAll(root, 0o555);
    chmodSync(scratch, 0o755);
    return new Image(plan, root, contentBytes);
  }

  /**
   * Starts the entry point, with paths of the image found below its directory.
   * @param environment all that it gets: nothing is inherited.
   * @param nodeOptions for Node, before those of the entry point.
   */
  run(
    environment: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    nodeOptions: readonly string[] = [],
  ): RunningContainer {
    const [node = '', ...rest] = this.plan.entrypoint.map((word) =>
      word.startsWith('/') ? join(this.root, word) : word,
    );
    const { user: uid, group: gid } = this.plan;
    const child = spawn(node, [...nodeOptions, ...rest, ...args], {
      cwd: join(this.root, this.plan.workingDirectory),
      env: { ...this.plan.environment, TMPDIR: join(this.root, 'tmp'), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot && { uid, gid }),
    });
    this.#running.add(child);
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      let partial = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        const parts = (partial + text).split('\n');
        partial = parts.pop() ?? '';
        lines.push(...parts);
      });
    }
    const closed = once(child, 'close').then(([code]) => {
      this.#running.delete(child);
      return code as number | null;
    });
    const ended = () => {
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      return closed.finally(() => clearTimeout(timer));
    };
    return { process: child, lines, ended };
  }

  /** All files of the image, by path. */
  files(): string[] {
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' }).sort();
  }

  /** Ends what still runs, and removes the image. */
  async remove(): Promise<void> {
    await Promise.all(
      [...this.#running].map(async (child) => {
        child.kill('SIGKILL');
        await once(child, 'close');
      }),
    );
    chmodAll(this.root, 0o755);
    rmSync(dirname(this.root), { recursive: true });
  }
}

function chmodAll(directory: string, mode: number): void {
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    chmodSync(join(directory, path), mode);
  chmodSync(directory, mode);
}
