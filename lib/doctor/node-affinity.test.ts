import { describe, expect, it } from 'vitest';
import { affinityText, isReachableFrom } from './node-affinity.ts';
import { nodeOf, onNode, volumeOf } from './testing/troubled-cluster.ts';

const node = { ...nodeOf('node-1') };
node.metadata = { ...node.metadata, labels: { ...node.metadata.labels, generation: '5' } };

function volumeWanting(key: string, operator: string, ...values: string[]) {
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }] };
  return volumeOf('pv-1', { spec: { nodeAffinity: { required } } });
}

describe('a node can reach', () => {
  it('any volume that asks for nothing', () => {
    expect(isReachableFrom(node, volumeOf('pv-1'))).toBe(true);
  });

  it.each([
    ['its own volumes', 'kubernetes.io/hostname', 'In', ['node-1'], true],
    ["no other node's volumes", 'kubernetes.io/hostname', 'In', ['node-2'], false],
    ['volumes that shun another value', 'kubernetes.io/hostname', 'NotIn', ['node-2'], true],
    ['no volumes that shun its own', 'kubernetes.io/hostname', 'NotIn', ['node-1'], false],
    ['volumes that shun a label which it lacks', 'disk', 'NotIn', ['hdd'], true],
    ['volumes that want a label it has', 'generation', 'Exists', [], true],
    ['no volumes that want a label it lacks', 'disk', 'Exists', [], false],
    ['volumes that want a label absent', 'disk', 'DoesNotExist', [], true],
    ['volumes that want a greater number', 'generation', 'Gt', ['4'], true],
    ['no volumes that want a greater number than it has', 'generation', 'Gt', ['5'], false],
    ['volumes that want a smaller number', 'generation', 'Lt', ['6'], true],
    ['no volumes that want a number where it has no such label', 'size', 'Lt', ['6'], false],
    ['volumes with an operator that is newer than this program', 'disk', 'Resembles', ['x'], true],
  ])('%s', (_what, key, operator, values, reachable) => {
    expect(isReachableFrom(node, volumeWanting(key, operator, ...values))).toBe(reachable);
  });

  it('volumes by its name, as a field', () => {
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }];
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchFields }] } };
    expect(isReachableFrom(node, volumeOf('pv-1', { spec: { nodeAffinity } }))).toBe(true);
  });

  it('volumes of which it satisfies one of several terms', () => {
    const terms = ['node-2', 'node-1'].map((name) => onNode(name).nodeAffinity?.required?.nodeSelectorTerms[0] ?? {});
    const volume = volumeOf('pv-1', { spec: { nodeAffinity: { required: { nodeSelectorTerms: terms } } } });
    expect(isReachableFrom(node, volume)).toBe(true);
    expect(affinityText(volume)).toBe('kubernetes.io/hostname in (node-2), or kubernetes.io/hostname in (node-1)');
  });

  it('no volume whose term asks for nothing, as the scheduler has it', () => {
    const volume = volumeOf('pv-1', { spec: { nodeAffinity: { required: { nodeSelectorTerms: [{}] } } } });
    expect(isReachableFrom(node, volume)).toBe(false);
  });
});
