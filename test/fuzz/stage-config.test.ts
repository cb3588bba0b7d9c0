/** Stage files: every problem is told, in a text that a terminal can show, and never in another way than by its error. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseStageConfig, readStageConfig, type StageConfig, StageConfigError } from '../../infra/stage-config.ts';
import { stageFields } from '../../infra/stage-fields.ts';
import { anyText, damaged, HOSTILE_NAMES, KIBIBYTE, mutationsOf } from './hostile.ts';
import { messageIn, outcomeOf, valueIn } from './outcome.ts';
import { inTime, runs } from './runs.ts';
import { leaksIn, SECRET } from './secrets.ts';

const TEXT = readFileSync(new URL('../../config/example.yml', import.meta.url), 'utf8');
const VALID = parse(TEXT);
const KEYS = stageFields().flatMap(({ path }) => path.split('.'));
const read = (text: string) => outcomeOf(() => parseStageConfig(text, 'config/x.yml', 'x'), StageConfigError);

function assertRead(text: string): void {
  const outcome = read(text);
  const config = valueIn(outcome);
  if (config === undefined) expect(messageIn(outcome)).toMatch(/^config\/x\.yml/);
  else assertWhole(config);
}

/** What was read is a stage file itself, and means the same. */
function assertWhole(config: StageConfig): void {
  expect(parseStageConfig(stringify(config, { aliasDuplicateObjects: false }), 'again.yml', 'x')).toEqual(config);
}

test('the example is read, and what was read can be written and read again', () => {
  assertRead(TEXT);
  expect(valueIn(read(TEXT))?.cluster.name).toBe(VALID.cluster.name);
});

test('with parts replaced', () => {
  fc.assert(
    fc.property(mutationsOf(VALID, KEYS), (document) => assertRead(stringify(document))),
    {
      ...runs(4),
      examples: [
        [{ ...VALID, vpc: { subnetIds: { length: { toString: null } }, securityGroupIds: [] } }],
        [{ ...VALID, settings: { PV_MAX_SOCKETS: { toString: 1 } } }],
        [null],
        ['text'],
        [[VALID]],
      ],
    },
  );
});

test('cut or overwritten anywhere', () => {
  fc.assert(fc.property(damaged(TEXT), assertRead), { ...runs(4), examples: [['a: *nothing'], ['a: &a [*a]']] });
});

test('of any text', () => {
  fc.assert(fc.property(anyText, assertRead), runs());
});

test('a stage’s name leads to no file but its own', () => {
  for (const name of [...HOSTILE_NAMES, 'a'.repeat(21)]) {
    const said = /^[a-z0-9-]{1,20}$/.test(name) ? `none/${name}.yml does not exist` : 'a stage’s name must be';
    expect(() => readStageConfig(name, 'none'), name).toThrow(said);
  }
});

test.each([
  ['a key', `${'P'.repeat(300 * KIBIBYTE)}: 1`],
  ['a setting’s name', `settings: { ${'P'.repeat(300 * KIBIBYTE)}: 1 }`],
  ['a value', `region: ${'x'.repeat(300 * KIBIBYTE)}`],
  ['a certificate', `cluster: { name: c, certificateAuthority: ${'A'.repeat(300 * KIBIBYTE)} }`],
])('%s of 300 KiB takes no time, and is not quoted', async (_, text) => {
  const outcome = await inTime(() => read(text));
  expect(messageIn(outcome).length).toBeGreaterThan(0);
  expect(messageIn(outcome).length).toBeLessThan(3_000);
});

test.each([
  [
    'aliases that multiply',
    `x0: &x0 x\n${Array.from({ length: 8 }, (_, i) => `x${i + 1}: &x${i + 1} [${Array(10).fill(`*x${i}`)}]`).join('\n')}`,
  ],
  ['many keys', Array.from({ length: 500 }, (_, index) => `key${index}: 1`).join('\n')],
  ['deep nesting', '['.repeat(5 * KIBIBYTE)],
])('%s end in the documented error in no time', async (_, text) => {
  await inTime(() => expect(() => parseStageConfig(text, 'config/x.yml', 'x')).toThrow(StageConfigError));
});

test.each([
  ['the endpoint', { ...VALID, cluster: { name: 'c', endpoint: `http://me:${SECRET.password}@api.example` } }],
  ['a setting', { ...VALID, settings: { PV_SQS_ENDPOINT: `https:me:${SECRET.password}@sqs.example` } }],
])('a password in the URL of %s is not quoted', (_, document) => {
  const outcome = read(stringify(document));
  expect(messageIn(outcome)).toMatch(/problem/);
  expect(leaksIn(messageIn(outcome))).toEqual([]);
});
