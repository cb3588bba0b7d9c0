/** The table of Events is what the code emits, no more and no less. */
import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../lib/observability/events.ts';
import { emittedEvents, eventsIn } from './emitted-events.ts';

test('what the code emits is the table', () => {
  const table = EVENTS.map(({ kind, type, reason }) => `${kind} ${type} ${reason}`);
  expect([...emittedEvents(['lib/controller', 'lib/plugins'])].sort()).toEqual(table.sort());
});

describe('the search', () => {
  test('finds literals, constants, alternatives, and what calls pass for parameters', () => {
    const source = `
      function warn(c, type: T, reason: string, message: string) { c.event({ kind: 'A', type, reason, message }); }
      warn(c, 'Normal', 'One', '');
      warn(c, 'Warning', 'Two', '');
      function f() {
        const reason = 'Three';
        const type = isBad ? 'Warning' : 'Normal';
        c.event({ kind: 'B', type, reason, message: '' });
      }
      failed({ type: 'Warning', reason: 'Four', message: '' });
      throw new E('text', { reason: 'NotFound' });`;
    expect(eventsIn('x.ts', source).sort()).toEqual([
      'A Normal One',
      'A Warning Two',
      'B Normal Three',
      'B Warning Three',
      'PersistentVolume Warning Four',
    ]);
  });

  test('says where it cannot follow', () => {
    const source = "c.event({ kind: 'A', type: 'Normal', reason: reasonOf(c), message: '' });";
    expect(() => eventsIn('x.ts', source)).toThrow('x.ts:1: cannot follow reasonOf(c)');
  });
});
