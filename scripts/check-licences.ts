/**
 * `npm run licences`: prints the licence of every package that is needed at run time, and which bundles it is in. Fails for
 * a licence that is not on the list below, and for a bundled package that is none of run time.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAll } from './build.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Licences that ask for no more than their text to be passed on, so that what is deployed may be. Another one is a decision:
 * read it, and add it here with the package that made it necessary (docs/decisions/024-supply-chain.md).
 */
const ALLOWED: readonly string[] = ['0BSD', 'Apache-2.0', 'ISC', 'MIT', 'MIT-0', 'PSF-2.0', 'Unlicense'];

/** A package of run time, as it is installed. */
export interface Package {
  /** Where it is, such as `node_modules/zod`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; empty when the package names none. */
  readonly licence: string;
}

/** The packages of the lock file that are installed without `--include=dev`. */
export function runtimePackages(root = ROOT): Package[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
  };
  return Object.entries(packages).flatMap(([path, { dev, optional }]): Package[] => {
    const file = join(root, path, 'package.json');
    // An optional one may be of another platform.
    if (path === '' || dev || (optional && !existsSync(file))) return [];
    const { name, version, license, licenses } = JSON.parse(readFileSync(file, 'utf8'));
    return [{ path, name, version, licence: licenceOf(license ?? licenses) }];
  });
}

/** Also in the two forms that npm gave up: an object, and a list of them, any of which may be chosen. */
function licenceOf(said: unknown): string {
  if (typeof said === 'string') return said;
  if (Array.isArray(said)) return said.map(licenceOf).join(' OR ');
  return (said as { type?: string } | undefined)?.type ?? '';
}

/** Whether an SPDX expression lets one choose allowed licences only. What is not understood is not allowed. */
export function isAllowed(expression: string, allowed: readonly string[] = ALLOWED): boolean {
  const text = expression.trim().replace(/^\((.*)\)$/, '$1');
  if (text.includes(' OR ')) return text.split(' OR ').some((part) => isAllowed(part, allowed));
  if (text.includes(' AND ')) return text.split(' AND ').every((part) => isAllowed(part, allowed));
  return allowed.includes(text);
}

/** The bundles, by the paths of the packages that are in them. @param directory of the build. */
async function bundlesByPackage(directory: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const { name } of await buildAll({ directory })) {
    const metafile = JSON.parse(await readFile(join(directory, 'meta', `${name}.json`), 'utf8')) as {
      outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
    };
    const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
    const paths = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => packagePath(path));
    for (const path of new Set(paths)) if (path !== '') found.set(path, [...(found.get(path) ?? []), name]);
  }
  return found;
}

/** Of a module's path: up to the package's own folder; empty for modules of this project. */
function packagePath(module: string): string {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? '';
}

/** What is wrong, one line for each package. */
export function licenceProblems(packages: readonly Package[], bundled: Iterable<string>): string[] {
  const known = new Set(packages.map(({ path }) => path));
  return [
    ...packages
      .filter(({ licence }) => !isAllowed(licence))
      .map(({ name, version, licence }) => `${name} ${version}: ${licence || 'no licence'} is not allowed`),
    ...[...bundled]
      .filter((path) => !known.has(path))
      .map((path) => `${path} is bundled and not a package of run time`),
  ];
}

/** Prints the table. @returns what is wrong. */
async function check(): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'pv-controller-licences-'));
  try {
    const packages = runtimePackages();
    const bundles = await bundlesByPackage(directory);
    const rows = packages
      .map(({ path, name, version, licence }) => [licence, name, version, (bundles.get(path) ?? []).join(', ')])
      .sort((one, other) => one.join(' ').localeCompare(other.join(' '), 'en'));
    const table = [['licence', 'package', 'version', 'in the bundles'], ...rows];
    const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
    for (const row of table)
      console.log(
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      );
    const problems = licenceProblems(packages, bundles.keys());
    const counts = `${packages.length} packages of run time, ${bundles.size} of them bundled`;
    console.log(`licences: ${counts}, ${problems.length} problems`);
    return problems;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const problems = await check();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
