/** Every kind of fault of the API server and of the way to it. */
import type { Call } from './call.ts';
import { type Answer, type Ending, type Fault, page, refusal, type StreamFault } from './fault.ts';
import { chance, pick } from './random.ts';

/** Decides about a call by the seed alone; undefined: it passes. */
export type Kind = (call: Call, seed: number) => Fault | undefined;

/** Longer than any client here waits for an answer. */
export const BEYOND_TIME_OUT_MS = 1_500;

const isWatch = ({ step }: Call) => step.startsWith('watch ');
const isWrite = ({ step }: Call) => /^(create|update|patch|delete) /.test(step);

/** Of the first calls with a signature some, so that it ends by itself. */
function some(fault: Fault, { share = 0.4, first = 5, of = (call: Call) => !isWatch(call) } = {}): Kind {
  return (call, seed) =>
    of(call) && call.nth <= first && chance(seed, call.signature, call.nth) < share ? fault : undefined;
}

const before = (ending: Ending) => some({ before: ending });
const after = (ending: Ending) => some({ after: ending }, { of: (call) => !isWatch(call) });
const slow = { share: 0.2, first: 3 };

/** The first watches of each resource; after four the server is well. */
function watches(stream: StreamFault): Kind {
  return (call) => (isWatch(call) && call.nth <= 4 ? { stream } : undefined);
}

const status = {
  conflict: refusal(409, 'Conflict'),
  tooMany: refusal(429, 'TooManyRequests', { 'retry-after': '1' }),
  internal: refusal(500, 'InternalError'),
  unavailable: refusal(503, 'ServiceUnavailable'),
  expired: refusal(410, 'Expired'),
} satisfies Record<string, Answer>;

const SINGLE: Readonly<Record<string, Kind>> = {
  latency: (call, seed) =>
    isWatch(call) || call.nth > 20 ? undefined : { delayMs: Math.floor(chance(seed, call.signature, call.nth) * 300) },
  '409 Conflict': some({ before: status.conflict }, { of: isWrite }),
  '409 Conflict, and it was done': some({ after: status.conflict }, { of: isWrite }),
  '429 with Retry-After': some({ before: status.tooMany }, { share: 0.2, first: 2 }),
  '500 InternalError': before(status.internal),
  '500 InternalError, and it was done': after(status.internal),
  '503 ServiceUnavailable': before(status.unavailable),
  '503 ServiceUnavailable, and it was done': after(status.unavailable),
  'time-out': some({ before: 'silence' }, slow),
  'time-out, and it was done': some({ after: 'silence' }, slow),
  'time-out, and it is done later': some({ delayMs: BEYOND_TIME_OUT_MS }, slow),
  'connection cut': before('cut'),
  'connection cut, and it was done': after('cut'),
  'cut after the head': after('cut-head'),
  'cut within the body': after('cut-half'),
  '404 page of a proxy': before(page(404)),
  '404 page, and it was done': after(page(404)),
  '502 page of a proxy': before(page(502)),
  '502 page, and it was done': after(page(502)),
  'watch cut': watches('cut'),
  'watch cut within an event': watches('cut-in-frame'),
  'watch stalled silently': watches('stall'),
  '410 in a watch': watches('gone'),
  '410 to a watch': some({ before: status.expired }, { of: isWatch, share: 0.5 }),
  'events late': watches('late'),
  'events twice': watches('twice'),
  'events in another order': watches('shuffled'),
};

/** By name; the last one is any of the others, for each call anew. */
export const API_FAULTS: Readonly<Record<string, Kind>> = {
  ...SINGLE,
  'all of these': (call, seed) => pick(Object.values(SINGLE), seed, 'kind', call.signature, call.nth)(call, seed),
};
