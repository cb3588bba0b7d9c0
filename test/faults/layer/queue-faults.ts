/** Every kind of fault of SQS, of the way to it, and of what it is allowed to do: at-least-once, in its own time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from './api-faults.ts';
import type { Call } from './call.ts';
import { type Answer, type Fault, json, queueError } from './fault.ts';
import { chance, pick } from './random.ts';

const ACTIONS = /^(SendMessageBatch|ReceiveMessage|DeleteMessageBatch|ChangeMessageVisibilityBatch)$/;

/** Of the first calls of an action some. */
function some(
  fault: Fault | ((call: Call) => Fault | undefined),
  { share = 0.4, first = 20, of = ACTIONS } = {},
): Kind {
  return (call, seed) => {
    if (!of.test(call.step) || call.nth > first || chance(seed, call.signature, call.nth) >= share) return undefined;
    return typeof fault === 'function' ? fault(call) : fault;
  };
}

const SEND = /^SendMessageBatch$/;
const RECEIVE = /^ReceiveMessage$/;
/** Shorter than the messages are hidden for. */
const TOGETHER_WITHIN_MS = 1_000;

/** What a queue is like that has an endpoint of its own; kinds that remember something are made for each run. */
export interface QueueTools {
  /** Throws away what is in the queue of this name. */
  purge(name: string): Promise<void>;
}

export function queueFaults({ purge }: QueueTools): Readonly<Record<string, Kind>> {
  const single: Readonly<Record<string, Kind>> = {
    'queue: 500': some({ before: queueError(500, 'InternalFailure') }),
    'queue: 500, and it was done': some({ after: queueError(500, 'InternalFailure') }),
    'queue: throttled': some({ before: queueError(400, 'RequestThrottled') }),
    'queue: connection cut': some({ before: 'cut' }),
    'queue: connection cut, and it was done': some({ after: 'cut' }),
    'queue: time-out': some({ before: 'silence' }, { share: 0.15, first: 6 }),
    'queue: an entry refused, though it was taken': some(
      { after: async (answer) => withOneRefused(answer) },
      { of: SEND },
    ),
    'queue: messages delivered again, later': redelivery(600),
    'queue: messages delivered to a second worker at once': redelivery(0),
    'queue: purged': some(
      ({ name }) => ({
        after: async (answer) => {
          await purge(name);
          return answer;
        },
      }),
      { of: SEND, share: 0.5, first: 8 },
    ),
  };
  return {
    ...single,
    'queue: all of these': (call, seed) =>
      pick(Object.values(single), seed, 'kind', call.signature, call.nth)(call, seed),
  };
}

/** The producer must send the entry again under its id, and the queue must take it for a duplicate. */
function withOneRefused(answer: Answer): Answer {
  const body = JSON.parse(answer.body.toString('utf8')) as { Successful?: { Id: string }[]; Failed?: object[] };
  const [first, ...others] = body.Successful ?? [];
  if (first === undefined) return answer;
  const refused = { Id: first.Id, Code: 'InternalError', SenderFault: false, Message: 'injected' };
  return json(200, { Successful: others, Failed: [...(body.Failed ?? []), refused] });
}

interface Kept {
  readonly name: string;
  readonly answer: Answer;
  readonly due: number;
  readonly taken: PromiseWithResolvers<void>;
}

/**
 * The queue's visibility is over, whatever the first worker does by then: what one receive got, a later one gets too.
 * With 0 the first one gets it no sooner than the second, so that both work on the same keys at the same time.
 */
function redelivery(afterMs: number): Kind {
  const kept: Kept[] = [];
  const again: Kind = (call) => {
    if (!RECEIVE.test(call.step)) return undefined;
    const index = kept.findIndex(({ name, due }) => name === call.name && due <= performance.now());
    const [due] = index < 0 ? [] : kept.splice(index, 1);
    due?.taken.resolve();
    return due === undefined ? undefined : { before: due.answer };
  };
  const keep = some(
    ({ name }) => ({
      after: async (answer) => {
        if (!answer.body.includes('ReceiptHandle')) return undefined;
        const taken = Promise.withResolvers<void>();
        kept.push({ name, answer, due: performance.now() + afterMs, taken });
        if (afterMs === 0) await Promise.race([taken.promise, sleep(TOGETHER_WITHIN_MS)]);
        return undefined;
      },
    }),
    { of: RECEIVE, share: 0.7, first: 500 },
  );
  return (call, seed) => again(call, seed) ?? keep(call, seed);
}
