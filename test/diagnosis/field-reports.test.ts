/** That enough is told, and nothing twice; each is told in the other files of this folder, side by side. */
import { expect, test } from 'vitest';
import { CAUSES } from '../../lib/diagnosis/cause.ts';
import { regretsOf } from '../../lib/diagnosis/testing/harmless.ts';
import { DELETING } from './situations/deleting.ts';
import { MATCHING } from './situations/matching.ts';
import { RELEASING } from './situations/releasing.ts';

const all = [...RELEASING, ...MATCHING, ...DELETING];

test('at least 25 field reports are told, by their numbers', () => {
  const numbers = new Set(all.map(({ title }) => Number.parseInt(title, 10)));
  expect(numbers).not.toContain(Number.NaN);
  expect(numbers.size).toBeGreaterThanOrEqual(25);
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
});

test('whatever is stuck or broken has a cure that was run, but for what somebody else must do', () => {
  const incurable = all.filter(({ cause, cure }) => {
    const { severity, actor } = CAUSES[cause];
    return (severity === 'stuck' || severity === 'broken') && actor === 'user' && cure === undefined;
  });
  expect(incurable.map(({ title }) => title)).toEqual([
    '25: a Released volume stays Released when a claim of the old name is bound elsewhere',
    '24: the only volume that would fit is being deleted',
  ]);
});

test.each([
  ['kubectl delete pvc -n ns one', 'deletes an object, whatever became of it'],
  ['kubectl replace --force -f -', 'forces something'],
  [patch('{"op":"add","path":"/spec/persistentVolumeReclaimPolicy","value":"Delete"}'), 'has data deleted'],
  [patch('{"op":"replace","path":"/status/phase","value":"Released"}'), 'hands a volume to a deleter'],
  [patch('{"op":"remove","path":"/spec/claimRef"}'), 'offers a volume to anybody'],
  ["kubectl patch pv pv -p '{}'", 'patches whatever has that name now'],
])('a cure without a warning would be caught: %s', (command, regret) => {
  expect(regretsOf(command)).toEqual([regret]);
});

function patch(operation: string): string {
  return `kubectl patch pv pv --type=json -p '[{"op":"test","path":"/metadata/uid","value":"u"},${operation}]'`;
}
