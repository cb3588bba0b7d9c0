/** Completion for bash 3.2 and newer: needs no bash-completion package. */
import type { Command } from '../command.ts';
import { PROGRAM } from '../help.ts';
import { flagsOf, spellings, takesFile } from './candidates.ts';

/** The script. Names of commands and options are words of [a-z-], so nothing needs quoting. */
export function bashScript(commands: readonly Command[]): string {
  return `# bash completion for ${PROGRAM}
_pv_controller() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "$command" in
${commands.map(branchOf).join('\n')}
  esac
}
complete -o bashdefault -F _pv_controller ${PROGRAM}
`;
}

function branchOf(command: Command): string {
  const flags = flagsOf(command);
  const values = flags.flatMap((flag) => {
    const reply = flag.oneOf !== undefined ? `-W "${flag.oneOf.join(' ')}"` : takesFile(flag) ? '-f' : undefined;
    if (flag.type === 'boolean') return [];
    const action = reply === undefined ? 'return' : `COMPREPLY=($(compgen ${reply} -- "$word")); return`;
    return [`        ${spellings(flag).join('|')}) ${action} ;;`];
  });
  const cases = values.length === 0 ? [] : ['      case "$before" in', ...values, '      esac'];
  const words = [...(command.words ?? []), ...flags.flatMap(spellings)].join(' ');
  return [`    ${command.name})`, ...cases, `      COMPREPLY=($(compgen -W "${words}" -- "$word"))`, '      ;;'].join(
    '\n',
  );
}
