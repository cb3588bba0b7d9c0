/** Why mutants survive: the groups of docs/mutation.md. A survivor belongs to the first group that takes it. */
import { CAUSES, LIMITS, type Lines, SAME, UNREACHED, WORDS } from './looked-at.ts';
import type { Survivor } from './report.ts';

/** One group of survivors. */
export interface Reason {
  readonly name: string;
  readonly why: string;
  readonly takes: (survivor: Survivor) => boolean;
}

const among = (lines: Lines) => (survivor: Survivor) =>
  (lines[survivor.file] ?? []).some((part) => textOf(survivor).includes(part));

function textOf({ code, original, replacement }: Survivor): string {
  return `${code} | ${original} -> ${replacement}`;
}

/** `''`, `[]`, `'0'` … behind `??`, `||` or `=`. */
function isFallback({ original, code, mutator }: Survivor): boolean {
  const isValue = ['StringLiteral', 'ArrayDeclaration', 'ObjectLiteral'].includes(mutator);
  return isValue && ['?? ', '= ', '|| '].some((before) => code.includes(before + original));
}

export const REASONS: readonly Reason[] = [
  {
    name: 'Lines for the log',
    why: 'They are for people; tests hold what is done, not what is noted of it.',
    takes: ({ code, original }) =>
      /\bnote(Gone)?\(|^ctx\.note/.test(code) || /^\{\s*ctx\.note\([^;]*\);\s*\}$/.test(original),
  },
  {
    name: 'What stands for a field that is not there',
    why: 'The types allow that it is left out; objects of the API server and messages of SQS have it. Whatever else stands for it names nothing either.',
    takes: isFallback,
  },
  {
    name: 'A question mark behind what is there',
    why: 'The type says that it may be absent, such as any element of an array; the code before it has seen to that.',
    takes: ({ mutator }) => mutator === 'OptionalChaining',
  },
  {
    name: 'The cause of an error',
    why: 'It is kept for whoever debugs; nothing decides by it where it may be left out.',
    takes: (survivor) =>
      (survivor.mutator === 'ObjectLiteral' && /^\{ cause/.test(survivor.original)) || among(CAUSES)(survivor),
  },
  {
    name: 'Words of an error',
    why: 'Tests hold the kind of an error, and of its text what a user or an operator needs, not every word.',
    takes: (survivor) =>
      (survivor.mutator === 'StringLiteral' && /Error\(|fail\(|refuse\(/.test(survivor.code)) || among(WORDS)(survivor),
  },
  {
    name: 'Listeners that are called once',
    why: 'A signal is aborted once, and the listener is taken off afterwards anyway.',
    takes: ({ code, original }) => code.includes('once: true') && /once|true/.test(original),
  },
  {
    name: 'Rejections that concern somebody else',
    why: 'An empty handler only keeps Node from complaining of a promise that its owner awaits.',
    takes: ({ code }) => code.includes('.catch(() => {})') || code === '() => {},',
  },
  {
    name: 'Another way to the same answer',
    why: 'Looked at one by one: a shortcut that saves work, or a case that the lines after it handle alike.',
    takes: among(SAME),
  },
  {
    name: 'Guards that nothing gets to',
    why: 'Looked at one by one: the types ask for them, or a later change might need them.',
    takes: among(UNREACHED),
  },
  {
    name: 'Just at a limit',
    why: 'Looked at one by one: nothing depends on which side of the limit its exact value is.',
    takes: among(LIMITS),
  },
];

/** Undefined: nobody has explained it. */
export function reasonOf(survivor: Survivor): Reason | undefined {
  return REASONS.find(({ takes }) => takes(survivor));
}
