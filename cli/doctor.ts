/** `pv-controller doctor`: the whole cluster at a glance. */
import { EXIT_CODES, THRESHOLDS, type Threshold } from '../lib/doctor/verdict.ts';
import { CLUSTER_OPTIONS } from './cluster-options.ts';
import type { Command } from './command.ts';
import { type Options, parseWords, textOf, UsageError } from './options.ts';
import { type Format, OUTPUT_OPTION } from './output.ts';

const DEFAULT_TOP = '5';

const OPTIONS: Options = {
  ...CLUSTER_OPTIONS,
  output: OUTPUT_OPTION,
  html: { type: 'string', value: 'FILE', help: 'writes the report as one self-contained page, besides' },
  top: { type: 'string', value: 'N', help: `lines of each list in the table; default: ${DEFAULT_TOP}` },
  'fail-on': {
    type: 'string',
    value: 'SEVERITY',
    oneOf: THRESHOLDS,
    help: `exit with 1 from this one on: ${THRESHOLDS.join(', ')}; default: stuck`,
  },
};

const ABOUT = `Looks at every volume and claim of a cluster and says what is stuck, by cause, the
oldest first; what capacity no claim has; where a volume's reclaim policy is not
that of its class; which pairs contradict each other; and which volumes depend on
drivers or nodes that are gone. The rules are those of the controller itself.

It lists volumes, claims, storage classes, pods, nodes, volume attachments, CSI
drivers and events once, page by page, and writes nothing to the cluster. What it may
not list, it names and does without, except for volumes and claims.`;

export const command: Command = {
  name: 'doctor',
  summary: 'the whole cluster: what is stuck, wasted, misbound or orphaned',
  usage: '',
  about: ABOUT,
  examples: [
    'pv-controller doctor',
    'pv-controller doctor --context production --html report.html',
    'pv-controller doctor --fail-on broken -o json > report.json',
  ],
  options: OPTIONS,
  exitCodes: EXIT_CODES,
  run: async (argv, io) => {
    const { values } = parseWords(argv, OPTIONS, 0);
    const order = {
      values,
      format: (textOf(values, 'output') ?? 'table') as Format,
      html: textOf(values, 'html'),
      top: wholeNumber('top', textOf(values, 'top') ?? DEFAULT_TOP),
      failOn: (textOf(values, 'fail-on') ?? 'stuck') as Threshold,
    };
    // Loaded late: --help and completion need none of it.
    const { runDoctor } = await import('./run-doctor.ts');
    return await runDoctor(order, io);
  },
};

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--${name}: ${JSON.stringify(text)} is no whole number`);
}
