import { describe, expect, test } from 'vitest';
import { podsUsingClaim } from './pods.ts';
import type { SyncContext } from './ports.ts';
import { podUsing } from './testing/objects.ts';
import type { Pod } from './types.ts';

/** Whether that pod counts as one that uses the claim. */
async function uses(pod: Pod, name = 'data'): Promise<boolean> {
  const asked: unknown[] = [];
  const list = async (...question: unknown[]) => {
    asked.push(question);
    return [pod];
  };
  const found = await podsUsingClaim({ cluster: { list } } as unknown as SyncContext, {
    namespace: 'ns',
    name,
  });
  expect(asked).toEqual([['Pod', { namespace: 'ns' }]]);
  return found.length === 1;
}

const named = (...volumes: object[]) =>
  podUsing('other', 'pod', { spec: { containers: [], volumes } as NonNullable<Pod['spec']> });
const deleted = { namespace: 'ns', name: 'pod', deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('a pod uses a claim', () => {
  test('that one of its volumes names', async () => {
    expect(await uses(podUsing('data', 'pod'))).toBe(true);
    expect(await uses(podUsing('other', 'pod'))).toBe(false);
    const first = { name: 'a', persistentVolumeClaim: { claimName: 'other' } };
    expect(await uses(named(first, { name: 'b', persistentVolumeClaim: { claimName: 'data' } }))).toBe(true);
  });

  test('that was made for one of its ephemeral volumes, and no other of that name', async () => {
    const pod = (volume: object) => ({
      ...named({ name: 'data', ...volume }),
      metadata: { namespace: 'ns', name: 'a' },
    });
    expect(await uses(pod({ ephemeral: {} }), 'a-data')).toBe(true);
    expect(await uses(pod({ ephemeral: {} }), 'b-data')).toBe(false);
    expect(await uses(pod({ emptyDir: {} }), 'a-data')).toBe(false);
  });

  test('not without any volume', async () => {
    const { spec: _, ...bare } = podUsing('data', 'pod');
    expect(await uses(bare as Pod)).toBe(false);
    expect(await uses(podUsing('data', 'pod', { spec: { containers: [] } }))).toBe(false);
  });

  test.each(['Failed', 'Succeeded'])('not once it is %s', async (phase) => {
    expect(await uses(podUsing('data', 'pod', { status: { phase } }))).toBe(false);
  });

  test.each<[string, object, boolean]>([
    ['a container runs', { containerStatuses: [{ state: { running: {} } }] }, true],
    ['nothing is said of a container', { containerStatuses: [{}] }, true],
    ['an init container runs', { initContainerStatuses: [{ state: { running: {} } }] }, true],
    ['one of two containers runs', { containerStatuses: [{ state: { waiting: {} } }, { state: {} }] }, true],
    ['an ephemeral container runs', { ephemeralContainerStatuses: [{ state: {} }] }, true],
    [
      'all containers have ended or wait',
      { containerStatuses: [{ state: { terminated: {} } }, { state: { waiting: {} } }] },
      false,
    ],
    ['there is no container', {}, false],
  ])('while it is being deleted and %s', async (_, status, expected) => {
    const pod = podUsing('data', 'pod', {
      metadata: deleted,
      status: { phase: 'Running', ...status } as NonNullable<Pod['status']>,
    });
    expect(await uses(pod)).toBe(expected);
  });
});
