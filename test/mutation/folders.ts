/** What is mutated, and by which tests it is held: the fast ones that are about it, and none that starts a process. */

/** Of each folder the tests, as globs. */
export const TESTS = {
  'lib/controller': [
    'lib/controller/**/*.test.ts',
    'test/unit/*.test.ts',
    'test/conformance/*.test.ts',
    'test/property/{best-match,needs-sync,volume-index}.test.ts',
  ],
  'lib/queue': [
    'lib/queue/**/*.test.ts',
    'lib/worker/sync-key.test.ts',
    'test/fuzz/{message,forged-messages}.test.ts',
    'local/redrive/redrive.test.ts',
  ],
  'lib/bridge': ['lib/bridge/**/*.test.ts'],
} as const;

export type Folder = keyof typeof TESTS;

export const FOLDERS = Object.keys(TESTS) as Folder[];

/** Code only: neither tests nor what is made for them. */
export function mutatedIn(folder: Folder): string[] {
  return [`${folder}/**/*.ts`, '!**/*.test.ts', '!**/testing/**', '!lib/queue/test-*.ts'];
}
