import { describe, expect, it } from 'vitest';
import { ConnectionError } from '../lib/cluster/errors.ts';
import { ClusterError } from '../lib/controller/errors.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { UsageError } from './options.ts';
import { runProgram } from './program.ts';
import { testIo } from './testing.ts';

function commandThat(run: Command['run']): Command {
  return {
    name: 'try',
    summary: 'tries',
    usage: 'THING',
    about: 'Tries a thing.',
    examples: ['pv-controller try it'],
    options: { hard: { type: 'boolean', help: 'try hard' } },
    exitCodes: { 1: 'it did not work' },
    run,
  };
}

async function run(argv: string[], commands: readonly Command[] = COMMANDS) {
  const io = testIo();
  const code = await runProgram(argv, commands, '1.2.3', io);
  return { code, printed: io.printed(), complained: io.complained() };
}

const failing = (error: unknown) => [
  commandThat(async () => {
    throw error;
  }),
];

describe('help', () => {
  it.each([[['--help']], [['-h']], [['help']]])('of the program is printed for %j', async (argv) => {
    const { code, printed } = await run(argv);
    expect(code).toBe(0);
    expect(printed).toContain('Usage: pv-controller COMMAND [options]');
    for (const { name, summary } of COMMANDS) expect(printed).toMatch(new RegExp(`${name} +${summary}`));
  });

  it.each(COMMANDS.map(({ name }) => name))('of %s is the same by either way, and fits 80 columns', async (name) => {
    const { code, printed } = await run([name, '--help']);
    expect(code).toBe(0);
    expect(printed).toBe((await run(['help', name])).printed);
    expect(printed).toContain('Exit codes:');
    expect(printed.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('is given although the other words are wrong', async () => {
    expect((await run(['doctor', '--no-such-option', '--help'])).code).toBe(0);
  });

  it('tells arguments, options, examples and exit codes of a command', async () => {
    const { printed } = await run(['try', '-h'], failing(new Error('not run')));
    expect(printed).toContain('Usage: pv-controller try THING [options]');
    expect(printed).toContain('--hard      try hard\n  -h, --help  this text');
    expect(printed).toContain('pv-controller try it');
    expect(printed).toMatch(/1 +it did not work/);
  });

  it('goes to standard error, as an error, where no command is given', async () => {
    expect(await run([])).toMatchObject({ code: 2, printed: '', complained: expect.stringContaining('Usage:') });
  });
});

describe('wrong words', () => {
  it.each([
    [['doctr'], 'unknown command "doctr": use explain, doctor, completion, help'],
    [['--verbose'], 'unknown option "--verbose"'],
    [['help', 'doctr'], 'unknown command "doctr"'],
    [['help', 'doctor', 'more'], 'unexpected argument "more"'],
    [['doctor', '--top', 'many'], '--top: "many" is no whole number'],
    [['doctor', '-o', 'xml'], '--output: "xml" is none of table, json, yaml'],
    [['doctor', '--fail-on', 'always'], 'none of waiting, stuck, broken, never'],
    [['doctor', 'pv/one'], /pv\/one/],
    [['completion'], 'which shell? Use bash, zsh, fish'],
    [['completion', 'tcsh'], 'unknown shell "tcsh"'],
  ])('%j end with 2, and say what would be right', async (argv, message) => {
    const { code, printed, complained } = await run(argv);
    expect(code).toBe(2);
    expect(printed).toBe('');
    expect(complained).toMatch(message);
    expect(complained).toMatch(/Try pv-controller .*--help/);
  });
});

describe('a command that fails', () => {
  it.each([
    ['wrong words', new UsageError('no'), 2],
    ['a bad kubeconfig', new ConnectionError('kubeconfig x does not exist'), 4],
    ['a cluster that refuses', new ClusterError('forbidden', { code: 403 }), 4],
    ['such an error below another', new Error('outer', { cause: new ClusterError('inner') }), 4],
    ['a bug', new TypeError('undefined is no function'), 3],
    ['something thrown that is no error', 'text', 3],
  ])('by %s has an exit code that tells', async (_what, error, code) => {
    const result = await run(['try'], failing(error));
    expect(result.code).toBe(code);
    expect(result.complained).toContain(error instanceof Error ? error.message : error);
  });

  it('because it was stopped says that alone', async () => {
    const io = testIo({ signal: AbortSignal.abort() });
    expect(await runProgram(['try'], failing(new ClusterError('aborted')), '1', io)).toBe(130);
    expect(io.complained()).toBe('error: stopped\n');
  });
});

it('the version is printed', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, printed: '1.2.3\n', complained: '' });
});
