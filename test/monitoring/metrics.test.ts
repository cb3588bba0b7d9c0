/** The catalogue of metrics is what the code sends, no more and no less: the dashboard and the alarms rest on it. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { METRICS, type Metric, NAMESPACE } from '../../lib/observability/catalogue.ts';
import { type Captured, capture, release } from './captured.ts';
import { driveAll } from './driven.ts';

interface Sent {
  readonly Namespace: string;
  readonly Dimensions: readonly string[][];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}

let captured: Captured;
beforeEach(async () => {
  captured = capture();
  await driveAll(captured);
});
afterEach(release);

/** Every metric directive of every blob. */
function sent(): Sent[] {
  return captured
    .blobs()
    .flatMap((blob) => (blob['_aws'] as { readonly CloudWatchMetrics: readonly Sent[] }).CloudWatchMetrics);
}

test('what the code sends is the catalogue', () => {
  const names = new Set(sent().flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name)));
  expect([...names].sort()).toEqual(Object.keys(METRICS).sort());
});

test('each metric has the unit and the dimensions of the catalogue, in one namespace', () => {
  const seen = sent().flatMap(({ Namespace, Dimensions, Metrics }) =>
    Metrics.map(({ Name, Unit }) => ({ Namespace, Name, Unit, dimensions: Dimensions.map((set) => [...set].sort()) })),
  );
  for (const { Namespace, Name, Unit, dimensions } of seen) {
    const { unit, dimensions: more = [], detail }: Metric = METRICS[Name as keyof typeof METRICS];
    expect(Namespace).toBe(NAMESPACE);
    expect({ Name, Unit }).toEqual({ Name, Unit: unit });
    const allowed = [more, ...(detail === undefined ? [] : [detail])].map((each) => [
      ['service', 'stage', ...each].sort(),
    ]);
    expect({ Name, dimensions: allowed }).toEqual({ Name, dimensions: expect.arrayContaining([dimensions]) });
  }
});

test('what can be split is sent both ways with detail, and always without', () => {
  const ways = (wanted: string) =>
    new Set(
      sent().flatMap(({ Metrics, Dimensions }) =>
        Metrics.some(({ Name }) => Name === wanted) ? [Dimensions[0]?.length] : [],
      ),
    );
  for (const [name, { detail }] of Object.entries<Metric>(METRICS)) {
    // A gauge is split by what there is: the bridge of this test holds nothing that is Bound.
    if (detail !== undefined && !name.includes('_bound_'))
      expect([name, [...ways(name)].sort()]).toEqual([name, [2, 2 + detail.length]]);
  }
});

test('the series of the built-in controller have its names and labels: BEHAVIOUR 11, line by line', () => {
  const text = readFileSync('docs/behaviour.md', 'utf8');
  const section = text.slice(text.indexOf('## 11. Metrics'), text.indexOf('## 12.'));
  // No plugin of a deployment deletes or provisions, so there is nothing that this one could time.
  const isSent = (line: string) => !line.includes('`storage_operation_duration_seconds`');
  const rows = section.split('\n').filter((line) => line.startsWith('| `') && isSent(line));
  const quoted = (cell = '') => Array.from(cell.matchAll(/`(\w+)`/g), ([, name = '']) => name);
  const wanted = rows.flatMap((row) => {
    const [, names, , labels = ''] = row.split('|');
    // Values of a label are in brackets.
    return quoted(names).map((name) => [name, quoted(labels.replaceAll(/\([^)]*\)/g, ''))] as const);
  });
  expect(wanted).toHaveLength(10);
  const ours = Object.entries<Metric>(METRICS).flatMap(([name, { isParity, detail = [] }]) =>
    isParity ? [[name, detail]] : [],
  );
  expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(wanted));
});

test('nothing goes past the catalogue: no other file adds a metric', () => {
  const files = ['lib', 'functions', 'bridge'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const adding = files.filter((file) => /\.addMetric\(/.test(readFileSync(file, 'utf8')));
  expect(adding).toEqual(['lib/observability/catalogue.ts']);
});
