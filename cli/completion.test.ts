import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMMANDS } from './commands.ts';
import { runProgram } from './program.ts';
import { testIo } from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function scriptFor(shell: string): Promise<string> {
  const io = testIo();
  expect(await runProgram(['completion', shell], COMMANDS, '1', io)).toBe(0);
  return io.printed();
}

/** What bash offers for a line, the last word of which is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${await scriptFor('bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pv_controller; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['-c', script, 'bash', 'pv-controller', ...words], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  });
  return output.split('\n').filter((line) => line !== '');
}

describe('in bash', () => {
  it('commands are completed', async () => {
    expect(await offered('')).toEqual(['explain', 'doctor', 'completion', 'help', '--help', '--version']);
    expect(await offered('do')).toEqual(['doctor']);
  });

  it('options of the command are, and no others', async () => {
    expect(await offered('doctor', '--')).toContain('--fail-on');
    expect(await offered('explain', '--')).not.toContain('--fail-on');
    expect(await offered('doctor', '--ht')).toEqual(['--html']);
  });

  it('values of an option are, after either of its names', async () => {
    expect(await offered('doctor', '-o', '')).toEqual(['table', 'json', 'yaml']);
    expect(await offered('doctor', '--output', 'y')).toEqual(['yaml']);
    expect(await offered('doctor', '--fail-on', 'b')).toEqual(['broken']);
  });

  it('files are where an option takes one, and nothing is where anything may stand', async () => {
    expect(await offered('doctor', '--kubeconfig', 'comm')).toEqual(expect.arrayContaining(['command.ts']));
    expect(await offered('doctor', '--context', '')).toEqual([]);
  });

  it('shells and commands are, as first arguments', async () => {
    expect(await offered('completion', 'z')).toEqual(['zsh']);
    expect(await offered('help', 'd')).toEqual(['doctor']);
  });
});

describe('every script', () => {
  it.each(['bash', 'zsh', 'fish'])('for %s knows all commands, options and values', async (shell) => {
    const script = await scriptFor(shell);
    for (const { name, options } of COMMANDS) {
      expect(script).toContain(name);
      for (const [option, { oneOf = [] }] of Object.entries(options)) {
        expect(script).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`);
        if (oneOf.length > 0) expect(script).toContain(oneOf.join(' '));
      }
    }
  });

  it.each(['bash', 'zsh', 'fish'])('for %s has no syntax error, where that shell is at hand', async (shell) => {
    const file = join(folder, shell);
    writeFileSync(file, await scriptFor(shell));
    const { error, status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
