/**
 * `npm run build`: bundles the functions and the bridge's container into dist/, the same bytes at every build.
 * `--analyze` also prints what each bundle is made of. docs/decisions/017-bundles.md says what is left out, and why.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { leaveOut, leaveOutOfWorker, versionsOnly, withoutMeanings } from './left-out.ts';

/** One built file. */
export interface Bundle {
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  readonly bytes: number;
  /** Bytes by package, or by folder of this project; the largest first. */
  readonly parts: readonly (readonly [part: string, bytes: number])[];
}

interface Target {
  readonly name: string;
  readonly entry: string;
  readonly file: string;
  /** Most bytes that it may have. */
  readonly limit?: number;
  readonly plugins?: BuildOptions['plugins'];
}

/** Where and what to build. */
export interface BuildAllOptions {
  /** Default: `dist` of the project. What an earlier build left there is removed first. */
  readonly directory?: string;
  /** Which bundles; default: all. */
  readonly names?: readonly string[];
  /** Most bytes of a worker's bundle. */
  readonly workerLimit?: number;
}

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** What the design allows the workers: cold starts are billed (DESIGN section 5). */
const WORKER_LIMIT = 300 * 1024;

function targets(workerLimit: number): readonly Target[] {
  const lambda = (name: string, leave = leaveOut): Target => ({
    name,
    entry: `functions/${name}.ts`,
    file: `${name}/index.mjs`,
    plugins: [leave(), versionsOnly, withoutMeanings],
  });
  return [
    { ...lambda('volume-worker', leaveOutOfWorker), limit: workerLimit },
    { ...lambda('claim-worker', leaveOutOfWorker), limit: workerLimit },
    lambda('bridge'),
    lambda('resync'),
    // Outside of Lambda credentials come from Pod Identity or a web identity: it keeps the whole chain.
    { name: 'bridge-container', entry: 'bridge/main.ts', file: 'bridge-container/main.mjs' },
  ];
}

/**
 * Builds every bundle; esbuild's metafiles go to `<directory>/meta`.
 * @throws Error when one does not build, or a worker's is too large; it names the largest parts then.
 */
export async function buildAll({
  directory = join(ROOT, 'dist'),
  names,
  workerLimit = WORKER_LIMIT,
}: BuildAllOptions = {}): Promise<Bundle[]> {
  const wanted = targets(workerLimit).filter(({ name }) => names?.includes(name) ?? true);
  const stale = [...wanted.map(({ name }) => name), 'meta'].map((name) => join(directory, name));
  await Promise.all(stale.map((folder) => rm(folder, { recursive: true, force: true })));
  await mkdir(join(directory, 'meta'), { recursive: true });
  const bundles = await Promise.all(wanted.map((target) => bundle(target, directory)));
  const tooLarge = bundles.filter(({ bytes }, index) => bytes > (wanted[index]?.limit ?? Number.POSITIVE_INFINITY));
  if (tooLarge.length > 0) throw new Error(tooLarge.map((large) => tooLargeText(large, workerLimit)).join('\n'));
  return bundles;
}

async function bundle({ name, entry, file, plugins = [] }: Target, directory: string): Promise<Bundle> {
  const path = join(directory, file);
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    legalComments: 'none',
    mainFields: ['module', 'main'],
    // Packages in CommonJS ask for Node's modules by `require`, which a module does not have.
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
    metafile: true,
    logLevel: 'error',
    plugins,
  });
  await writeFile(join(directory, 'meta', `${name}.json`), JSON.stringify(metafile));
  const [output] = Object.values(metafile.outputs);
  if (output === undefined) throw new Error(`${entry}: nothing was built`);
  return { name, file: path, bytes: output.bytes, parts: partsOf(output) };
}

function partsOf({ inputs }: Metafile['outputs'][string]): Bundle['parts'] {
  const parts = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const part = partOf(path);
    parts.set(part, (parts.get(part) ?? 0) + bytesInOutput);
  }
  return [...parts].sort(([, one], [, other]) => other - one);
}

/** A package's name, or a folder of this project, two levels deep. */
function partOf(path: string): string {
  const [, inPackage] = /.*node_modules\/(.*)/.exec(path) ?? [];
  const segments = (inPackage ?? path).split('/');
  const depth = inPackage === undefined ? Math.min(2, segments.length - 1) : inPackage.startsWith('@') ? 2 : 1;
  return segments.slice(0, depth).join('/');
}

function tooLargeText({ name, bytes, parts }: Bundle, limit: number): string {
  const largest = parts.slice(0, 8).map(([part, size]) => `${part} ${size}`);
  return `${name} is too large: ${bytes} bytes of at most ${limit}. The largest parts: ${largest.join(', ')}`;
}

function print(bundles: readonly Bundle[], analyze: boolean): void {
  const line = (bytes: number, text: string) => console.log(`${String(bytes).padStart(9)}  ${text}`);
  console.log('    bytes  bundle');
  for (const { name, bytes, parts } of bundles) {
    line(bytes, name);
    if (analyze) for (const [part, size] of parts) line(size, `  ${part}`);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { analyze: { type: 'boolean', default: false } } });
  try {
    print(await buildAll(), values.analyze);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
