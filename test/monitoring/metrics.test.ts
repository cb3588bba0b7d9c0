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
    const { unit, dimensions: more = [] }: Metric = METRICS[Name as keyof typeof METRICS];
    expect(Namespace).toBe(NAMESPACE);
    expect({ Name, Unit }).toEqual({ Name, Unit: unit });
    expect({ Name, dimensions }).toEqual({
      Name,
      dimensions: [['service', 'stage', ...more].sort()],
    });
  }
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
