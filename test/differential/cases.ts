/** Differences that were found once, cut down to the actions that matter: each is played again by `--cases`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Action } from './action.ts';

export interface Case {
  /** The file's name without `.json`. */
  readonly name: string;
  /** What goes wrong, or went wrong, and by which rule. */
  readonly about: string;
  /** The id of the difference on purpose that it must end in; without one, both must do the same. */
  readonly onPurpose?: string;
  readonly actions: readonly Action[];
}

const DIRECTORY = fileURLToPath(new URL('cases', import.meta.url));

/** All of them, by name. @throws Error naming a file that is no case. */
export async function readCases(directory = DIRECTORY): Promise<Case[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.json')).sort();
  return await Promise.all(
    files.map(async (file) => {
      const content = JSON.parse(await readFile(join(directory, file), 'utf8')) as Omit<Case, 'name'>;
      if (typeof content.about !== 'string' || !Array.isArray(content.actions) || content.actions.length === 0) {
        throw new Error(`${file}: a case has the texts of \`about\`, and at least one of \`actions\``);
      }
      return { name: file.slice(0, -'.json'.length), ...content };
    }),
  );
}
