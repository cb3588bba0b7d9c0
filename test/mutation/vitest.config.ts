import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { type Folder, TESTS } from './folders.ts';

/** These take seconds, the longest last: what a quick one has noticed is not looked for again. */
const SLOW = ['test/fuzz/', 'local/redrive/', 'test/property/', 'lib/bridge/bridge.test.ts'];

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => SLOW.findIndex((slow) => moduleId.includes(slow));
    return [...files].sort((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

/** The tests of the folder that is mutated, as `run.ts` sets it; those of all folders otherwise. */
const folder = process.env['MUTATED_FOLDER'] as Folder | undefined;

export default defineConfig({
  test: {
    include: [...(folder === undefined ? Object.values(TESTS).flat() : TESTS[folder])],
    // Random days of a bridge: half a minute of computing for every mutant that lives.
    exclude: ['lib/bridge/chaos.test.ts'],
    env: { PROPERTY_RUNS: '200', BRIDGE_PAIRS: '10' },
    sequence: { sequencer: QuickFirst },
    // Four times as quick: modules are loaded once for all files, which changes nothing for these.
    isolate: false,
    // Many mutants of the queue leave a promise open for ever, and no test of it takes 3 s.
    testTimeout: folder === 'lib/queue' ? 10_000 : 45_000,
    hookTimeout: 45_000,
  },
});
