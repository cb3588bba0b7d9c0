/** The survivors that somebody looked at one by one, and why each changes nothing. */

/**
 * What was looked at one by one, by file: lines by a part of them, or, where another mutant of the line does change
 * something, the mutant as `| original -> replacement`.
 */
export type Lines = Readonly<Record<string, readonly string[]>>;

/** The result is the same, as reading the line shows: what it leaves out would find nothing, or be dropped later. */
export const SAME: Lines = {
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
    // No volume has such a name.
    'hold.claim === claim ? name : []',
    "volume.status?.phase === 'Available' && deletionTimestamp",
    'shelves.length === 0',
    'names?.size === 0',
    'last !== undefined',
    'moved !== undefined',
  ],
  // Cut before it is quoted or after: the first hundred characters are the same.
  // And: a text has at least as many bytes as characters, so its length only saves counting them.
  'lib/queue/message.ts': ['value.slice(0, MAX_SHOWN + 1)', '| body.length > MAX_BODY_BYTES -> false'],
  // A timer that is not needed any more finds nothing to send, or sends what is ready.
  // And: a group without entries is found and used again; nothing but its memory would stay.
  'lib/queue/send-lane.ts': ['clearTimeout(this.#linger)', 'else this.#forget(group)'],
  // Nothing to bury or to hand back makes no request; a concurrency that is undefined is as one that is left out.
  'lib/queue/worker.ts': ['poison.length === 0', 'retries.length > 0', 'options.concurrency !== undefined'],
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
    // No volume names a volume.
    "| kind !== 'PersistentVolumeClaim' -> false",
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
  // Whoever is let go looks for room again.
  'lib/bridge/position.ts': ['| !this.#hasRoom() -> false'],
  'lib/bridge/registry.ts': [
    // No claim has that key.
    '| [] -> ["Stryker was here"]',
    // No state of before, or one that is undefined.
    '{ kind, before, after }; | before === undefined -> false',
    '{ kind, before, after }); | before === undefined -> false',
    // Forgotten, and noted again.
    '| before?.spec.volumeName !== claim.spec.volumeName -> true',
    // Nothing is noted of claims that name no volume.
    'claimKeyOf(claim)); | claim.spec.volumeName -> true',
    // A text has no size; and who names a volume is noted as such.
    "| typeof keys === 'object' -> true",
  ],
  'lib/bridge/sweep.ts': [
    // Of no parts, none has its turn: the remainder is no number.
    '| this.#parts === 0 -> false',
    // What has no cause is no newer occasion, whatever its version.
    "| object.metadata.resourceVersion ?? '' -> ",
    '| { version } -> {}',
  ],
  'lib/bridge/unbound-claims.ts': [
    // Without the class there is no claim of it either.
    '| ofClass === undefined -> false',
    // Two claims have two keys, and times that are alike were compared before.
    '| claimKeyOf(a) < claimKeyOf(b) -> claimKeyOf(a) <= claimKeyOf(b)',
    '| createdA < createdB -> createdA <= createdB',
  ],
  'lib/bridge/wake.ts': [
    // No claim has the key that stands for none.
    "gone === undefined ? ''",
    // Only asked whether it is zero.
    '| idle++ -> idle--',
  ],
};

/** Nothing gets there, as the code around it stands. */
export const UNREACHED: Lines = {
  // A group without entries is forgotten before anybody looks.
  'lib/queue/send-lane.ts': ['| first === undefined -> false'],
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
  'lib/bridge/wake.ts': ['volume === undefined || offer === undefined', '| volume === undefined -> false'],
};

/** A cause that is undefined, or none. */
export const CAUSES: Lines = { 'lib/queue/message.ts': ['| cause === undefined -> false'] };

/** What an error says to people, in other forms than one text. */
export const WORDS: Lines = {
  'lib/controller/delete-volume.ts': ['not found`, { code: 404'],
  'lib/controller/label-selector.ts': ["values.join(' ')"],
  'lib/queue/worker.ts': ["super('postponed')"],
};

/** Just at a limit that is chosen with room on both sides. */
export const LIMITS: Lines = {
  'lib/queue/send-lane.ts': ['bytes > MAX_BATCH_BYTES'],
  'lib/controller/quantity.ts': ['MAX_LENGTH', 'MAX_EXPONENT'],
  'lib/bridge/bridge.ts': ['this.#clock.now() < deadline'],
  'lib/bridge/list-watch.ts': ['>= SHORT_WATCH_MS'],
  'lib/bridge/slim.ts': ['-> this.#shared.size > this.#maxShared'],
};
