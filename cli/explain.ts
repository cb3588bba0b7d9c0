/** `pv-controller explain`: one volume or claim, and why it is as it is. */
import { isPossibleKey } from '../lib/controller/names.ts';
import type { Subject } from '../lib/diagnosis/finding.ts';
import { CLUSTER_OPTIONS } from './cluster-options.ts';
import type { Command } from './command.ts';
import { type Options, parseWords, textOf, UsageError } from './options.ts';
import { type Format, OUTPUT_OPTION } from './output.ts';

const OPTIONS: Options = { ...CLUSTER_OPTIONS, output: OUTPUT_OPTION };

const ABOUT = `Says what state a volume or a claim is in, why, what the controller's next sync
would do, who must act, and which commands move it on. For a Pending claim it names
the volumes that were not chosen, each with the first rule that it fails.

It runs the controller's own sync and writes nothing to the cluster. Nothing of what
it proposes loses data without saying so. It reads volumes, claims and storage
classes, and as far as it may pods, nodes, events, volume attachments and drivers.`;

const NAMES = /^(pv|persistentvolumes?|pvc|persistentvolumeclaims?)$/;

export const command: Command = {
  name: 'explain',
  summary: 'why a volume or a claim is as it is, and what moves it on',
  usage: 'pv/NAME | pvc/NAMESPACE/NAME',
  about: ABOUT,
  examples: [
    'pv-controller explain pvc/default/data',
    'pv-controller explain pv/pvc-7d1f0f5e --context production',
    'pv-controller explain pvc/default/data -o json',
  ],
  options: OPTIONS,
  words: ['pv/', 'pvc/'],
  exitCodes: { 0: 'explained', 1: 'there is no such object' },
  run: async (argv, io) => {
    const { values, positionals } = parseWords(argv, OPTIONS, 1);
    const subject = subjectOf(positionals[0]);
    const format = (textOf(values, 'output') ?? 'table') as Format;
    // Loaded late: --help and completion need none of it.
    const { runExplain } = await import('./run-explain.ts');
    return await runExplain({ subject, values, format }, io);
  },
};

/**
 * The object that a word names, as `doctor` writes it.
 * @throws UsageError for anything that cannot be the name of a volume or a claim.
 */
export function subjectOf(word: string | undefined): Subject {
  if (word === undefined) throw new UsageError('which object? Use pv/NAME or pvc/NAMESPACE/NAME');
  const [type = '', ...rest] = word.split('/');
  const shown = JSON.stringify(word);
  if (!NAMES.test(type)) throw new UsageError(`${shown} is no volume or claim: use pv/NAME or pvc/NAMESPACE/NAME`);
  const isVolume = !type.startsWith('pvc') && !type.startsWith('persistentvolumeclaim');
  const [namespace = '', name] = rest;
  if (rest.length !== (isVolume ? 1 : 2))
    throw new UsageError(`${shown}: use ${isVolume ? 'pv/NAME' : 'pvc/NAMESPACE/NAME'}`);
  const subject: Subject = isVolume
    ? { kind: 'PersistentVolume', name: namespace }
    : { kind: 'PersistentVolumeClaim', namespace, name: name ?? '' };
  if (!isPossibleKey(subject)) throw new UsageError(`${shown} is no name that an object can have`);
  return subject;
}
