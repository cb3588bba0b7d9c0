/** The zips of a packaging, for comparing two. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';

/** What is in a zip, and its SHA-256. */
export interface Zip {
  readonly sha256: string;
  readonly files: readonly string[];
}

/** By the function's name. */
export type Zips = Readonly<Record<string, Zip>>;

/** Reads all zips of a folder. */
export async function zipsIn(directory: string): Promise<Zips> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.zip')).sort();
  const zips = names.map(async (name) => {
    const bytes = await readFile(join(directory, name));
    const files = Object.keys(unzipSync(bytes));
    return [name.replace(/\.zip$/, ''), { sha256: createHash('sha256').update(bytes).digest('hex'), files }] as const;
  });
  return Object.fromEntries(await Promise.all(zips));
}
