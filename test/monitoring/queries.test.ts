/** The saved queries speak of fields, messages and texts that the code really prints. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { QUERIES, queryResource } from '../../infra/monitoring/queries.ts';
import { AUDIT_SCHEMA } from '../../lib/audit/schema.ts';
import { type Captured, capture, type Line, release } from './captured.ts';
import { driveAll } from './driven.ts';

let captured: Captured;
let lines: Line[];
beforeEach(async () => {
  captured = capture();
  await driveAll(captured);
  lines = [...captured.logs(), ...captured.blobs()];
});
afterEach(release);

/** Words of the query language, beside its fields: what the queries use of it. */
const LANGUAGE = new Set(
  'fields filter sort stats parse limit asc desc by as in and or count sum latest bin ispresent strlen m h'.split(' '),
);

/** The fields that a query reads: words that are neither the language's, nor in quotes, nor made by the query itself. */
function fieldsOf(commands: readonly string[]): string[] {
  const text = commands
    .join('\n')
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\/.*\//g, '');
  const made = [
    ...Array.from(text.matchAll(/\bas (\w+)/g), ([, name]) => name),
    ...Array.from(commands.join('\n').matchAll(/\(\?<(\w+)>/g), ([, name]) => name),
  ];
  const words = Array.from(text.matchAll(/(?<![@\w.])[A-Za-z_][\w.]*/g), ([word]) => word);
  return [...new Set(words)].filter((word) => !LANGUAGE.has(word) && !made.includes(word));
}

/** As Logs Insights reads a name with dots. */
function fieldOf(line: Line, field: string): unknown {
  return field.split('.').reduce<unknown>((part, name) => (part as Line | undefined)?.[name], line);
}

test.each(QUERIES)('$name: every field is printed by some line', ({ commands }) => {
  const fields = fieldsOf(commands);
  for (const field of fields) {
    expect(lines.filter((line) => fieldOf(line, field) !== undefined).length, `lines with ${field}`).toBeGreaterThan(0);
  }
});

test.each(QUERIES)('$name: every text that a field is compared with is printed there', ({ commands }) => {
  const comparisons = Array.from(commands.join('\n').matchAll(/(\w+) = "([^"]+)"/g), ([, field, text]) => [
    field,
    text,
  ]);
  for (const [field = '', text] of comparisons) {
    if (text?.startsWith('PUT-THE-')) continue;
    expect(lines.map((line) => line[field])).toContain(text);
  }
});

test('each change of a volume is a line of its history, in the form of docs/audit.md, whoever made it', () => {
  const { commands } = QUERIES.find(({ id }) => id === 'VolumeHistoryQuery') ?? { commands: [] };
  const changes = lines.filter((line) => 'audit' in line && line['correlation_id'] === 'uid-of-pv-1');
  expect(changes.map((line) => `${line['message']} by ${fieldOf(line, 'audit.who')}`)).toEqual([
    'volume Bound -> Released by us',
    'volume Bound -> Released by us',
    'volume bound by us',
    'volume unbound by us',
    'volume Released -> deleted by unknown',
    'volume bound by other',
    'volume Available -> Released by built-in',
  ]);
  for (const { audit } of changes) expect(AUDIT_SCHEMA.strict().safeParse(audit).error).toBeUndefined();
  expect(fieldsOf(commands).filter((field) => field.startsWith('audit.'))).toContain('audit.manager');
});

test('all fields of a query are on the same lines', () => {
  const { commands } = QUERIES.find(({ id }) => id === 'SlowestSyncsQuery') ?? { commands: [] };
  const slow = captured.logs().filter(({ message, level }) => message === 'synced' && level === 'INFO');
  expect(slow).toHaveLength(1);
  for (const field of fieldsOf(commands)) expect(Object.keys(slow[0] ?? {})).toContain(field);
});

test('conflicts are counted from the metric, one or several in a blob', () => {
  const { commands } = QUERIES.find(({ id }) => id === 'ConflictsQuery') ?? { commands: [] };
  const [, pattern = ''] = /^parse @message \/(.*)\/$/.exec(commands[0] ?? '') ?? [];
  const conflictsIn = (text: string) => {
    const ones = new RegExp(pattern).exec(text)?.groups?.['ones'];
    return ones === undefined ? 0 : (ones.length + 1) / 2;
  };
  const counts = captured.printed().map(conflictsIn).filter(Boolean);
  expect(counts).toEqual([3]);
  expect(conflictsIn('{"Conflicts":1,"KeysSynced":[1,1]}')).toBe(1);
});

test('a query looks at the log groups of those who print its lines', () => {
  const config = {
    bridge: { host: 'container' },
    monitoring: { oldestMessageMinutes: 1, stuckMinutes: 1, detail: false },
    audit: {},
  } as const;
  const options = { service: 's', stage: 'test', config, bridgeLogGroup: { Ref: 'BridgeLogGroup' } };
  const groups = QUERIES.map((query) => queryResource(query, options).Properties['LogGroupNames']);
  expect(groups[0]).toEqual([
    '/aws/lambda/s-test-volume-worker',
    '/aws/lambda/s-test-claim-worker',
    { Ref: 'BridgeLogGroup' },
  ]);
});
