import { describe, expect, test } from 'vitest';
import type { Act, Chapter } from './chapter.ts';
import { that } from './checks.ts';
import { type Narrator, runChapter, type Stage } from './run-chapter.ts';

interface Toy {
  claim: string;
}

const NOTHING = { sent: 0, received: 0, reads: 0, writes: 0, events: 0 };

function act(changes: Partial<Act<Toy>> = {}): Act<Toy> {
  return {
    does: 'You create a claim.',
    cause: 'a claim was created',
    run: async (toy) => {
      toy.claim = 'Bound';
    },
    checks: [that('the claim is Bound', async ({ claim }) => (claim === 'Bound' ? undefined : claim))],
    ...changes,
  };
}

function chapterOf(...acts: Act<Toy>[]): Chapter<Toy> {
  return { name: 'toy', title: 'Toy', story: 'A toy.', acts };
}

/** Counts one write per look at the costs. */
function stageOf(changes: Partial<Stage> = {}): Stage {
  let writes = 0;
  return {
    begin: () => {},
    end: () => ({ transitions: 2, lastMs: 30 }),
    quiet: async () => {},
    waitingFor: 'the moon',
    costs: () => ({ ...NOTHING, writes: writes++ }),
    tidy: async () => {},
    ...changes,
  };
}

async function run(chapter: Chapter<Toy>, stage = stageOf(), signal = new AbortController().signal) {
  const told: string[] = [];
  const narrator: Narrator = {
    chapter: () => {},
    given: (says) => told.push(`given ${says}`),
    act: (does) => told.push(does),
    settled: (ms) => told.push(`settled ${ms}`),
    check: (says, found) => told.push(found === undefined ? `ok: ${says}` : `wrong: ${says}, found ${found}`),
    failed: (why) => told.push(`failed: ${why}`),
  };
  const options = { number: 1, limitMs: 50, signal };
  const result = await runChapter(chapter, { claim: 'none' }, stage, narrator, options);
  return { result, told };
}

describe('runChapter', () => {
  test('a chapter whose checks all pass is right', async () => {
    const { result, told } = await run(chapterOf(act(), act()));
    expect(result).toEqual({
      title: 'Toy',
      transitions: 4,
      settledMs: 30,
      costs: { ...NOTHING, writes: 1 },
      result: 'right',
    });
    expect(told).toEqual([
      ...['You create a claim.', 'settled 30', 'ok: the claim is Bound'],
      ...['You create a claim.', 'settled 30', 'ok: the claim is Bound'],
    ]);
  });

  test('a failing check makes it wrong, says what was found, and the other checks are made all the same', async () => {
    const checks = [that<Toy>('it is Lost', async ({ claim }) => claim), that<Toy>('fine', async () => undefined)];
    const { result, told } = await run(chapterOf(act({ checks }), act()));
    expect(result.result).toBe('wrong');
    expect(told).toContain('wrong: it is Lost, found Bound');
    expect(told).toContain('ok: fine');
    expect(told.at(-1)).toBe('ok: the claim is Bound');
  });

  test('a check that cannot be made is a failing one', async () => {
    const check = that<Toy>('it can be read', () => Promise.reject(new Error('no answer')));
    const { result, told } = await run(chapterOf(act({ checks: [check] })));
    expect(result.result).toBe('wrong');
    expect(told.at(-1)).toBe('wrong: it can be read, found the check failed: no answer');
  });

  test('an act that fails makes it wrong', async () => {
    const { result, told } = await run(chapterOf(act({ run: () => Promise.reject(new Error('409')) }), act()));
    expect(result.result).toBe('wrong');
    expect(told).toEqual(['You create a claim.', 'failed: 409']);
  });

  test.each<[string, Partial<Act<Toy>>, Partial<Stage>]>([
    ['never settles', {}, { quiet: () => new Promise(() => {}) }],
    ['does not get its answer', { run: () => new Promise(() => {}) }, {}],
    ['cannot be tidied up', {}, { tidy: () => new Promise(() => {}) }],
  ])('one that %s is stuck, and says what it waited for', async (_, changes, stage) => {
    const { result, told } = await run(chapterOf(act(changes)), stageOf(stage));
    expect(result.result).toBe('stuck');
    expect(told.at(-1)).toBe('failed: not settled after 0.05 s: still waiting for the moon');
  });

  test('what is given is neither counted nor checked', async () => {
    const given = {
      says: 'a volume',
      run: async (toy: Toy) => {
        toy.claim = 'Pending';
      },
    };
    const { result, told } = await run({ ...chapterOf(act()), given });
    expect(result).toMatchObject({ result: 'right', transitions: 2, costs: { writes: 1 } });
    expect(told[0]).toBe('given a volume');
  });

  test('an abort ends it at once', async () => {
    const stopping = new AbortController();
    const stage = stageOf({ quiet: () => new Promise(() => {}) });
    const running = run(chapterOf(act()), stage, stopping.signal);
    stopping.abort(new Error('SIGINT'));
    await expect(running).rejects.toThrow('SIGINT');
  });
});
