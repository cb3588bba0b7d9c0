/**
 * A Chromium without a window, for pictures of pages. It is spoken to in its DevTools protocol over two pipes: the options
 * of its command line know no colour scheme, and no width below 500.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** There is none on this machine; the message says what to do. */
export class NoChromiumError extends Error {
  override readonly name = 'NoChromiumError';
}

/** How a page is looked at. */
export interface View {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const ANSWER_MS = 30_000;

/** The program: CHROMIUM, or the first of its usual names on PATH. @throws NoChromiumError */
export function findChromium(environment: Readonly<Record<string, string | undefined>>): string {
  const given = environment['CHROMIUM'];
  if (given) {
    if (isProgram(given)) return given;
    throw new NoChromiumError(`CHROMIUM: ${given} is no program`);
  }
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
  if (found !== undefined) return found;
  throw new NoChromiumError(
    `no Chromium on PATH (${NAMES.join(', ')}). Install one (Debian: apt-get install chromium; Fedora: dnf install chromium; ` +
      'macOS: brew install --cask chromium), or name its program in CHROMIUM.',
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** One running browser. `stop` ends it. */
export class Chromium {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  #last = 0;

  private constructor(program: string, profile: string) {
    this.#profile = profile;
    const options = [
      '--headless=new',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--hide-scrollbars',
      '--force-color-profile=srgb',
      '--font-render-hinting=none',
      // It refuses to work as root with its sandbox, as in a container. The page is ours and has no script.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ];
    // What it leaves behind goes with the profile.
    const env = { ...process.env, TMPDIR: profile };
    this.#process = spawn(program, options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env });
    this.#process.on('error', (error) => this.#end(error));
    this.#process.on('exit', (code) => this.#end(new Error(`Chromium ended with code ${code}`)));
    const answers = this.#process.stdio[4] as Readable;
    let text = '';
    answers.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (text + chunk).split('\0');
      text = parts.pop() ?? '';
      for (const part of parts) this.#take(JSON.parse(part));
    });
    for (const pipe of [answers, this.#commands]) pipe.on('error', () => {});
  }

  static async start(program: string): Promise<Chromium> {
    return new Chromium(program, await mkdtemp(join(tmpdir(), 'chromium-')));
  }

  /** A page's picture. @returns a PNG. @throws Error when the browser does not answer, or ends. */
  async shoot(html: string, { width, height, scheme }: View): Promise<Buffer> {
    const { targetId } = await this.#ask<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.#ask<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
    const ask = <T>(method: string, parameters: object) => this.#ask<T>(method, parameters, sessionId);
    await ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await ask('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    const { frameTree } = await ask<{ frameTree: { frame: { id: string } } }>('Page.getFrameTree', {});
    await ask('Page.setDocumentContent', { frameId: frameTree.frame.id, html });
    const { data } = await ask<{ data: string }>('Page.captureScreenshot', { format: 'png' });
    await this.#ask('Target.closeTarget', { targetId });
    return Buffer.from(data, 'base64');
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    if (this.#process.exitCode === null && this.#process.kill()) await ended;
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  get #commands(): Writable {
    return this.#process.stdio[3] as Writable;
  }

  #ask<T>(method: string, parameters: object, sessionId?: string): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`Chromium does not answer ${method}`)), ANSWER_MS);
      const settle =
        <V>(how: (value: V) => void) =>
        (value: V) => {
          clearTimeout(late);
          how(value);
        };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#commands.write(`${JSON.stringify({ id, method, params: parameters, sessionId })}\0`);
    });
  }

  /** Events have no id, and are not waited for. */
  #take({ id, result, error }: { id?: number; result?: unknown; error?: { message: string } }): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    if (error === undefined) waiting.resolve(result as never);
    else waiting.reject(new Error(`Chromium: ${error.message}`));
  }

  #end(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
