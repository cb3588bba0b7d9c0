/** The program of the processes, bundled as what is deployed is: each loads its own part of it, and no types. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface Program {
  readonly file: string;
  remove(): Promise<void>;
}

export async function buildProgram(): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), 'pv-bench-program-'));
  const file = join(directory, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./program.ts', import.meta.url))],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    logLevel: 'error',
    // But for the names, which profiles are read by.
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return { file, remove: () => rm(directory, { recursive: true, force: true }) };
}
