import { describe, expect, test } from 'vitest';
import { BETA_STORAGE_CLASS, SELECTED_NODE } from '../controller/annotations.ts';
import { claim, volume } from '../controller/testing/objects.ts';
import { askAgain } from './ask-again.ts';
import { explainClaim } from './testing/explain.ts';

/** The claim that a cure creates. */
function madeBy(command: string) {
  return JSON.parse(command.split('\n').at(-2) ?? '');
}

describe('a claim that is made again', () => {
  test('keeps what its user and its owner set, and nothing of what the cluster added', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'u', controller: true }];
    const annotations = { 'example.com/team': 'a', [SELECTED_NODE]: 'worker-1', 'kubectl.kubernetes.io/x': '{}' };
    const one = claim('one', { metadata: { annotations, labels: { app: 'web' }, ownerReferences } });
    const made = madeBy(askAgain(one, { volumeMode: 'Block' }, 'x').command);
    expect(made).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        namespace: 'ns',
        name: 'one',
        labels: { app: 'web' },
        annotations: { 'example.com/team': 'a' },
        ownerReferences,
      },
      spec: { ...one.spec, volumeMode: 'Block' },
    });
  });

  test('has its class in the field, where it had it in the old annotation', () => {
    const one = claim('one', { annotations: { [BETA_STORAGE_CLASS]: 'fast' } });
    expect(madeBy(askAgain(one, {}, 'x').command)).toMatchObject({ spec: { storageClassName: 'fast' } });
  });

  test('is not asked to fit a volume that nobody can have', async () => {
    const one = claim('one', { spec: { storageClassName: '', resources: { requests: { storage: '8Gi' } } } });
    const cures = async (phase: string) => {
      const objects = { PersistentVolumeClaim: [one], PersistentVolume: [volume('pv', { status: { phase } })] };
      return (await explainClaim(objects)).cures.map(({ does }) => does);
    };
    expect(await cures('Available')).toEqual(['Ask for what volume pv has (size)']);
    expect(await cures('Failed')).toEqual([]);
  });
});
