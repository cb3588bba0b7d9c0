/** Reads what the build left in dist/, for the rules that look into it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bundle, Bundles } from './iam-actions.ts';

const FILES: Readonly<Record<string, string>> = {
  'volume-worker': 'volume-worker/index.mjs',
  'claim-worker': 'claim-worker/index.mjs',
  bridge: 'bridge/index.mjs',
  resync: 'resync/index.mjs',
  'bridge-container': 'bridge-container/main.mjs',
};

const SIGNER = 'lib/cluster/aws-signer.ts';

/** What of esbuild's metafile is used here. */
export interface Metafile {
  readonly inputs: Readonly<Record<string, { readonly imports: readonly { readonly path: string }[] }>>;
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

/** @param directory of the build: bundles, and metafiles in `meta/`. @throws Error when one is missing. */
export async function readBundles(directory: string): Promise<Bundles> {
  const read = Object.entries(FILES).map(async ([name, file]): Promise<[string, Bundle]> => {
    const text = await readFile(join(directory, file), 'utf8');
    const meta = JSON.parse(await readFile(join(directory, 'meta', `${name}.json`), 'utf8')) as Metafile;
    return [name, bundleOf(text, meta)];
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Only files with something left in the output count: a client's index names all of its commands. */
export function bundleOf(text: string, { inputs, outputs }: Metafile): Bundle {
  const sources = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  );
  const signers = sources.filter((path) => inputs[path]?.imports.some((imported) => imported.path === SIGNER));
  return { text, sources, signers };
}
