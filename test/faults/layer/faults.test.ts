/** What is injected is decided by the seed and the request alone, hits some and not all, and ends by itself. */
import { describe, expect, test } from 'vitest';
import { API_FAULTS, type Kind } from './api-faults.ts';
import type { Call } from './call.ts';
import { queueFaults } from './queue-faults.ts';

const STEPS = [
  ...['get', 'update', 'delete', 'list', 'watch'].map((verb) => `${verb} persistentvolumes`),
  ...['SendMessageBatch', 'ReceiveMessage', 'DeleteMessageBatch'],
];

/** Each step about ten objects, this often. */
function calls(first: number, last: number): Call[] {
  const all: Call[] = [];
  for (const step of STEPS) {
    for (let object = 0; object < 10; object++) {
      for (let nth = first; nth <= last; nth++) {
        const name = `object-${object}`;
        all.push({ step, name, signature: `${step} ${name}`, nth, ordinal: all.length + 1 });
      }
    }
  }
  return all;
}

const hitBy = (kind: Kind, seed: number, of = calls(1, 6)) => of.map((call) => kind(call, seed) !== undefined);

const tools = { purge: async () => {} };
const kinds = [...Object.keys(API_FAULTS), ...Object.keys(queueFaults(tools))];
/** Made anew, as for each round. */
const kindOf = (name: string): Kind => ({ ...API_FAULTS, ...queueFaults(tools) })[name] as Kind;

describe.each(kinds)('%s', (name) => {
  test('hits some requests, the same ones in each run of a seed', () => {
    const hits = hitBy(kindOf(name), 1);

    expect(hits).toContain(true);
    expect(hits).toContain(false);
    expect(hitBy(kindOf(name), 1)).toEqual(hits);
  });

  test('ends by itself', () => {
    expect(hitBy(kindOf(name), 1, calls(501, 510))).not.toContain(true);
  });
});

test.each(['500 InternalError', 'connection cut', 'queue: 500'])('%s hits other requests with another seed', (name) => {
  expect(hitBy(kindOf(name), 2)).not.toEqual(hitBy(kindOf(name), 1));
});
