/** Sync and converge cases of the real controller; the test names are the case ids. */
import { describe, expect, test } from 'vitest';
import { cases } from './data.ts';
import { comparable, Harness } from './harness.ts';

describe.each(['singleSync', 'multiSync', 'controllerRun'] as const)('%s', (mode) => {
  test.each(cases.filter((c) => c.mode === mode))('$key: $description', async (testCase) => {
    const harness = new Harness(testCase);
    const failed = await harness[mode]();

    if (mode === 'singleSync') expect(failed, 'the sync fails').toBe(testCase.expectSyncError);
    // Of many syncs one may fail and be made good by the next; a case that expects a failure must have seen one.
    else if (testCase.expectSyncError) expect(failed, 'a sync fails').toBe(true);
    expect(comparable(harness.cluster.all('PersistentVolume'))).toEqual(comparable(testCase.expectedVolumes));
    expect(comparable(harness.cluster.all('PersistentVolumeClaim'))).toEqual(comparable(testCase.expectedClaims));

    const emitted = harness.cluster.events;
    for (const [i, { type, reason, messagePrefix = '' }] of testCase.expectedEvents.entries()) {
      expect(emitted[i]).toMatchObject({ type, reason });
      expect(emitted[i]?.message.startsWith(messagePrefix)).toBe(true);
    }
    if (mode === 'singleSync') {
      const said = emitted.map(({ kind, object, type, reason, message }) => {
        const { namespace, name } = object.metadata;
        return { object: `${kind} ${namespace ? `${namespace}/` : ''}${name}`, type, reason, message };
      });
      expect(said).toEqual(testCase.observed.events);
    }
  });
});
