/** The built-in controller's queues, from the text of its metrics endpoint. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { figuresOf, type QueueReading, quantile, readQueues, waitsBetween } from './workqueue.ts';

/** As kube-controller-manager serves it, cut to three buckets. */
const TEXT = `# HELP workqueue_depth [ALPHA] Current depth of workqueue
# TYPE workqueue_depth gauge
workqueue_depth{name="claims"} 17
workqueue_depth{name="endpoint"} 4
workqueue_depth{name="volumes"} 0
# TYPE workqueue_queue_duration_seconds histogram
workqueue_queue_duration_seconds_bucket{name="claims",le="0.001"} 60
workqueue_queue_duration_seconds_bucket{name="claims",le="0.1"} 90
workqueue_queue_duration_seconds_bucket{name="claims",le="+Inf"} 100
workqueue_queue_duration_seconds_sum{name="claims"} 2.5e+01
workqueue_queue_duration_seconds_count{name="claims"} 100
workqueue_queue_duration_seconds_bucket{name="endpoint",le="+Inf"} 7
workqueue_adds_total{name="claims"} 100
`;

describe('a reading', () => {
  test('has the depth and the waits of both queues, and of no other', () => {
    expect(readQueues(TEXT)).toEqual({
      claims: {
        depth: 17,
        waits: {
          count: 100,
          sum: 25,
          buckets: [
            { le: 0.001, count: 60 },
            { le: 0.1, count: 90 },
            { le: Number.POSITIVE_INFINITY, count: 100 },
          ],
        },
      },
      volumes: { depth: 0, waits: undefined },
    });
  });

  test('does not depend on the order of labels and lines, on more labels, time stamps or line ends', () => {
    const lines = TEXT.trim().split('\n').reverse().join('\r\n');
    const other = lines.replaceAll(
      /name="(\w+)",le="([^"]*)"}(.*)/g,
      'le="$2", zone="a}b\\"", name="$1", }$3 1700000000000',
    );
    expect(readQueues(other)).toEqual(readQueues(TEXT));
  });

  test.each([
    ['nothing', ''],
    ['a page', '<html><body>Forbidden</body></html>'],
    ['a number that is none', 'workqueue_depth{name="claims"} NaN'],
    ['a hexadecimal number', 'workqueue_depth{name="claims"} 0x10'],
    ['a negative depth', 'workqueue_depth{name="claims"} -1'],
    ['labels that do not end', 'workqueue_depth{name="claims 3'],
    ['a line that is too long', `workqueue_depth{name="claims",x="${'x'.repeat(2_000)}"} 3`],
    ['buckets that fall', TEXT.replace('le="0.1"} 90', 'le="0.1"} 9').replaceAll(/^workqueue_depth.*$/gm, '')],
  ])('of %s knows nothing', (_, text) => {
    const nothing: QueueReading = { depth: undefined, waits: undefined };
    expect(readQueues(text)).toEqual({ claims: nothing, volumes: nothing });
  });
});

describe('waits', () => {
  const { claims } = readQueues(TEXT);

  test('between two readings are their difference', () => {
    const later = readQueues(
      TEXT.replace('0.001"} 60', '0.001"} 61')
        .replace('0.1"} 90', '0.1"} 95')
        .replaceAll(/} 100$/gm, '} 110')
        .replace('2.5e+01', '26'),
    ).claims;
    const buckets = [
      { le: 0.001, count: 1 },
      { le: 0.1, count: 5 },
      { le: Number.POSITIVE_INFINITY, count: 10 },
    ];
    expect(waitsBetween(claims, later)).toEqual({ count: 10, sum: 1, buckets });
    expect(waitsBetween(later, claims)).toBeUndefined();
    expect(waitsBetween(claims, claims)).toBeUndefined();
  });

  test('are compared by depth and two quantiles, since the first reading or the process’s beginning', () => {
    const first = readQueues(TEXT);
    const last = readQueues(TEXT.replaceAll(/} 100$/gm, '} 110').replace('} 17', '} 3'));
    expect(figuresOf(first.claims, first.claims)).toEqual({ depth: 17, p50: expect.closeTo(0.00083), p99: 0.1 });
    // All ten came in the last bucket.
    expect(figuresOf(first.claims, last.claims)).toEqual({ depth: 3, p50: 0.1, p99: 0.1 });
    expect(figuresOf(first.volumes, last.volumes)).toEqual({ depth: 0, p50: undefined, p99: undefined });
  });

  test('have quantiles, spread evenly within a bucket', () => {
    const waits = claims.waits ?? { count: 0, sum: 0, buckets: [] };
    expect(quantile(waits, 0.3)).toBeCloseTo(0.0005);
    expect(quantile(waits, 0.75)).toBeCloseTo(0.0505);
    // Beyond the last bound nobody knows how far.
    expect(quantile(waits, 0.99)).toBe(0.1);
    expect(quantile({ count: 0, sum: 0, buckets: [] }, 0.5)).toBeUndefined();
  });
});

test('any text is read without an error, in time, and gives numbers only', () => {
  const anyLine = fc.oneof(
    fc.string(),
    fc.constantFrom(...TEXT.split('\n')),
    fc.tuple(fc.constantFrom(...TEXT.split('\n')), fc.nat(60), fc.string({ maxLength: 3 })).map(([line, at, text]) => {
      return line.slice(0, at) + text + line.slice(at + text.length);
    }),
  );
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 30 }), (lines) => {
      for (const { depth, waits } of Object.values(readQueues(lines.join('\n')))) {
        expect(depth ?? 0).toBeGreaterThanOrEqual(0);
        if (waits === undefined) continue;
        for (const share of [0, 0.5, 0.99, 1]) expect(quantile(waits, share) ?? 0).toBeGreaterThanOrEqual(0);
        const counts = waits.buckets.map(({ count }) => count);
        expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 2_000 },
  );
  const start = performance.now();
  readQueues(`workqueue_depth{${'a="\\'.repeat(300_000)}`);
  readQueues(`workqueue_depth{${'a="b",'.repeat(150)}\n`.repeat(2_000));
  expect(performance.now() - start).toBeLessThan(2_000);
});
