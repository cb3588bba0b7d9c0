import { describe, expect, test } from 'vitest';
import { InMemoryCluster } from '../cluster/in-memory.ts';
import { storageClass } from '../controller/testing/objects.ts';
import { ClassModes } from './class-modes.ts';
import { MODE_ANNOTATION, MODES, maxModeOf, modeFor, stronger, weaker } from './mode.ts';

describe('the mode of an object', () => {
  test.each([
    ['enforce', 'enforce', undefined, undefined, 'enforce'],
    ['enforce', 'enforce', undefined, 'observe', 'observe'],
    ['enforce', 'enforce', undefined, 'assist', 'assist'],
    ['enforce', 'enforce', 'observe', 'enforce', 'observe'],
    ['enforce', 'enforce', 'enforce', 'observe', 'enforce'],
    ['assist', 'assist', 'enforce', undefined, 'assist'],
    ['observe', 'observe', 'enforce', 'assist', 'observe'],
    ['observe', 'enforce', 'enforce', undefined, 'enforce'],
    ['observe', 'assist', 'enforce', undefined, 'assist'],
    ['observe', 'enforce', undefined, undefined, 'observe'],
    // A limit below the deployment's own mode limits nothing.
    ['enforce', 'observe', 'enforce', undefined, 'enforce'],
  ] as const)('deployment %s (at most %s), volume %s, class %s: %s', (mode, max, volume, ofClass, expected) => {
    expect(modeFor({ mode, max }, volume, ofClass)).toEqual({ mode: expected });
  });

  test.each(['', 'Enforce', 'enforce ', 'off', 'true'])('an annotation "%s" is no mode: observe, and told', (value) => {
    expect(modeFor({ mode: 'enforce', max: 'enforce' }, undefined, value)).toEqual({ mode: 'observe', unknown: value });
  });

  test('an empty annotation of the volume is not passed over for that of its class', () => {
    expect(modeFor({ mode: 'enforce', max: 'enforce' }, '', 'enforce').mode).toBe('observe');
  });
});

test('modes are ordered by what they may do', () => {
  for (const [index, mode] of MODES.entries()) {
    for (const other of MODES.slice(index)) {
      expect([weaker(mode, other), weaker(other, mode)]).toEqual([mode, mode]);
      expect([stronger(mode, other), stronger(other, mode)]).toEqual([other, other]);
    }
  }
});

test.each([
  ['observe', 'mode', 'observe'],
  ['observe', 'assist', 'assist'],
  ['enforce', 'assist', 'enforce'],
] as const)('a deployment in %s with the limit %s may do at most %s', (mode, maxMode, most) => {
  expect(maxModeOf({ mode, maxMode })).toBe(most);
});

describe('the modes of classes', () => {
  function setup() {
    const clock = { now: 0 };
    const cluster = new InMemoryCluster();
    let reads = 0;
    cluster.before = () => {
      reads += 1;
    };
    return { clock, cluster, classes: new ClassModes(() => clock.now), reads: () => reads };
  }

  test('are read once in half a minute, also of a class that is not there', async () => {
    const { clock, cluster, classes, reads } = setup();
    cluster.put(
      'StorageClass',
      storageClass('fast', { metadata: { name: 'fast', annotations: { [MODE_ANNOTATION]: 'assist' } } }),
    );
    for (let time = 0; time < 3; time++) {
      expect(await classes.annotationOf('fast', cluster)).toBe('assist');
      expect(await classes.annotationOf('missing', cluster)).toBeUndefined();
    }
    expect(reads()).toBe(2);
    cluster.put('StorageClass', storageClass('fast'));
    clock.now += 29_999;
    expect(await classes.annotationOf('fast', cluster)).toBe('assist');
    clock.now += 1;
    expect(await classes.annotationOf('fast', cluster)).toBeUndefined();
  });

  test('are not asked for where there is no class', async () => {
    const { cluster, classes, reads } = setup();
    expect(await classes.annotationOf('', cluster)).toBeUndefined();
    expect(reads()).toBe(0);
  });

  test('that cannot be read are an error, and are asked for again', async () => {
    const { cluster, classes } = setup();
    cluster.before = () => {
      throw new Error('forbidden');
    };
    await expect(classes.annotationOf('fast', cluster)).rejects.toThrow('forbidden');
    cluster.before = () => {};
    expect(await classes.annotationOf('fast', cluster)).toBeUndefined();
  });
});
