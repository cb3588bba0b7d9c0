/** A folder for the files of one test, gone after it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** @returns writes a file, over one of that name, and says where it is. */
export function temporaryFiles(): {
  readonly directory: string;
  write(name: string, content: string | Buffer): string;
} {
  const directory = mkdtempSync(join(tmpdir(), 'fuzz-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return {
    directory,
    write: (name, content) => {
      const file = join(directory, name);
      writeFileSync(file, content);
      return file;
    },
  };
}
