/** Why mutants survive: the groups of docs/mutation.md. A survivor belongs to the first group that takes it. */
import type { Survivor } from './report.ts';

/** One group of survivors. */
export interface Reason {
  readonly name: string;
  readonly why: string;
  readonly takes: (survivor: Survivor) => boolean;
}

/**
 * What was looked at one by one, by file: lines by a part of them, or, where another mutant of the line does change
 * something, the mutant as `| original -> replacement`.
 */
type Lines = Readonly<Record<string, readonly string[]>>;

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

/** The result is the same, as reading the line shows: what it leaves out would find nothing, or be dropped later. */
const SAME: Lines = {
  'lib/controller/claim-ref.ts': ['uid === undefined', 'resourceVersion === undefined'],
  'lib/controller/claim-phase.ts': ['a === b ||'],
  'lib/controller/default-class.ts': ['a.metadata.name < b.metadata.name'],
  'lib/controller/label-selector.ts': ['selector === null', 'wanted.has(value)'],
  'lib/controller/match.ts': [
    'request.delayedBinding',
    'at < rack.length',
    'step < names.length',
    'volume !== undefined &&',
    'i < text.length',
    'size === 0',
  ],
  'lib/controller/needs-sync.ts': [
    // Only volumes are told apart by their kind.
    "isPossibleKey({ kind: 'PersistentVolumeClaim'",
    // What would throw without it is caught, with that very answer.
    'storageClass === undefined) return false',
    // An absent annotation is what it would be compared with.
    'provisioner !== undefined && askedOf',
  ],
  'lib/controller/quantity.ts': [
    "text === ''",
    'numerator > 0n',
    'quantity.exponent >= 0',
    '.test(suffix)',
    // No digits are zero anyway, but behind a minus, which no server lets a size begin with.
    "whole === ''",
  ],
  // The second: a function that ends returns undefined.
  'lib/controller/recycle-volume.ts': ['users.length === 0', '} catch {'],
  'lib/controller/volume-index.ts': [
    "volume.status?.phase === 'Available' && deletionTimestamp",
    'shelves.length === 0',
    'names?.size === 0',
    'last !== undefined',
    'moved !== undefined',
  ],
  // Cut before it is quoted or after: the first hundred characters are the same.
  'lib/queue/message.ts': ['value.slice(0, MAX_SHOWN + 1)'],
  // Of no receipts no request is made.
  'lib/queue/redrive.ts': ['at < receiptHandles.length'],
  'lib/bridge/bridge.ts': ['kind === undefined', '!signal.aborted'],
  'lib/bridge/dispatcher.ts': [
    'slim: ({ metadata: { name } })',
    'before === undefined) return []',
    // A promise or the promise of it alone; that of none is done too, in a moment.
    '| pending.length === 1 && pending[0] !== undefined -> false',
    '| pending[0] !== undefined -> ',
    'works.filter((work) => work !== undefined)',
    'pending.length === 0',
  ],
  'lib/bridge/evaluator.ts': [
    // The lane of offers is another one than that of looks, whatever its name.
    "name, 'wake')",
    // Nobody reserves a volume for a volume.
    "| kind === 'PersistentVolume' -> false",
  ],
  'lib/bridge/list-watch.ts': [
    // No pause, or one of no time.
    'delay > 0',
    // A source ends with its signal, and an event that it still gives is read again.
    'either.aborted',
    // No namespace, or one that is undefined.
    'namespace === undefined ? {}',
  ],
  // What was not sent had no occasion.
  'lib/bridge/ledger.ts': ['| sent !== undefined -> true'],
  // Numbers of the same length were compared before.
  'lib/bridge/occasion.ts': ['a.length === b.length'],
  // There is no volume without a name.
  'lib/bridge/partners.ts': ['volumeName === undefined'],
  // Every thousandth, also when counted downwards.
  'lib/bridge/pass.ts': ['visited % PIECE'],
  // No claim has the key that stands for none.
  'lib/bridge/wake.ts': ["gone === undefined ? ''"],
};

/** Nothing gets there, as the code around it stands. */
const UNREACHED: Lines = {
  // Only a plugin that can delete is handed on.
  'lib/controller/delete-volume.ts': ["deletable(plugin, '').newDeleter(volume)"],
  // Only a plugin that can provision; and the clean-up never succeeds, a quirk that is upstream's (BEHAVIOUR 8.2).
  'lib/controller/provision-in-tree.ts': ['plugin.newProvisioner === undefined', 'leftover === undefined'],
  'lib/controller/provision.ts': ['error instanceof ProvisioningError'],
  'lib/controller/unbind.ts': ['claimRef === undefined'],
  'lib/queue/redrive-letter.ts': ['error instanceof BadMessageError'],
  // Each attempt replaces it.
  'lib/queue/redrive.ts': ["'SQS said nothing about it'"],
  'lib/bridge/dispatcher.ts': ['before === undefined || after === undefined'],
  // An offer ends with its volume.
  'lib/bridge/wake.ts': ['volume === undefined || offer === undefined'],
};

/** A cause that is undefined, or none. */
const CAUSES: Lines = { 'lib/queue/message.ts': ['| cause === undefined -> false'] };

/** What an error says to people, in other forms than one text. */
const WORDS: Lines = {
  'lib/controller/delete-volume.ts': ['not found`, { code: 404'],
  'lib/controller/label-selector.ts': ["values.join(' ')"],
};

/** Just at a limit that is chosen with room on both sides. */
const LIMITS: Lines = {
  'lib/controller/quantity.ts': ['MAX_LENGTH', 'MAX_EXPONENT'],
  'lib/bridge/bridge.ts': ['this.#clock.now() < deadline'],
  'lib/bridge/list-watch.ts': ['>= SHORT_WATCH_MS'],
};

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
