/**
 * The disk of the one node, in a temporary folder, and what a recycler pod does to it. A volume's hostPath is a path on
 * this disk, so that the demo can show data that stays and data that is scrubbed.
 */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import type { ApiObject } from '../api-server/server.ts';

export class NodeDisk {
  readonly #root: string;
  readonly #tell: (does: string) => void;

  private constructor(root: string, tell: (does: string) => void) {
    this.#root = root;
    this.#tell = tell;
  }

  /** The folder goes with the process, however that ends. */
  static async create(tell: (does: string) => void): Promise<NodeDisk> {
    const root = await mkdtemp(join(tmpdir(), 'pv-demo-'));
    process.once('exit', () => rmSync(root, { recursive: true, force: true }));
    return new NodeDisk(root, tell);
  }

  async write(path: string, file: string, text: string): Promise<void> {
    await mkdir(this.#folder(path), { recursive: true });
    await writeFile(join(this.#folder(path), file), text);
  }

  async files(path: string): Promise<string[]> {
    return await readdir(this.#folder(path)).catch(() => []);
  }

  /** What the command in a recycler pod does: empties the folder that it mounts. @returns whether it is empty. */
  async scrub(pod: ApiObject): Promise<boolean> {
    const [volume] = (pod.spec?.['volumes'] ?? []) as { hostPath?: { path?: string } }[];
    const path = volume?.hostPath?.path;
    if (path === undefined) return false;
    const files = await this.files(path);
    for (const file of files) await rm(join(this.#folder(path), file), { recursive: true });
    this.#tell(`recycler pod removed ${files.length} file${files.length === 1 ? '' : 's'} below ${path}`);
    return (await this.files(path)).length === 0;
  }

  /** Inside our own folder whatever the path says: `..` ends at its root. */
  #folder(path: string): string {
    return join(this.#root, normalize(`/${path}`));
  }
}
