/** `pv-controller completion`: scripts by which a shell completes commands, options and their values. */
import type { Command } from './command.ts';
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';
import { PROGRAM } from './help.ts';
import { parseWords, UsageError } from './options.ts';

const SHELLS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** @param others the commands to complete besides this one and `help`. */
export function completionOf(others: readonly Command[]): Command {
  const words = Object.keys(SHELLS);
  const command: Command = {
    name: 'completion',
    summary: 'a completion script for bash, zsh or fish',
    usage: words.join('|'),
    about: `Prints a script that completes commands, options and values of ${PROGRAM} in that
shell. Load it where the shell starts.`,
    examples: [
      `source <(${PROGRAM} completion bash)   # in ~/.bashrc`,
      `${PROGRAM} completion zsh > "\${fpath[1]}/_${PROGRAM}"`,
      `${PROGRAM} completion fish > ~/.config/fish/completions/${PROGRAM}.fish`,
    ],
    options: {},
    words,
    exitCodes: {},
    run: async (argv, io) => {
      const [shell] = parseWords(argv, {}, 1).positionals;
      const script = Object.hasOwn(SHELLS, shell ?? '') ? SHELLS[shell as string] : undefined;
      if (script === undefined) {
        const what = shell === undefined ? 'which shell?' : `unknown shell ${JSON.stringify(shell)}:`;
        throw new UsageError(`${what} Use ${words.join(', ')}`);
      }
      io.out(script([...others, command, helpFor([...others, command])]));
      return 0;
    },
  };
  return command;
}

/** `help` is no module of its own; shells complete it all the same. */
function helpFor(commands: readonly Command[]): Command {
  return {
    name: 'help',
    summary: 'help of a command',
    usage: '[COMMAND]',
    about: '',
    examples: [],
    options: {},
    words: commands.map(({ name }) => name),
    exitCodes: {},
    run: async () => 0,
  };
}
