/** Completion for zsh. */
import type { Command } from '../command.ts';
import { PROGRAM } from '../help.ts';
import { type Flag, flagsOf, spellings, takesFile } from './candidates.ts';

/** The script: an autoloaded function, that can be sourced as well. */
export function zshScript(commands: readonly Command[]): string {
  return `#compdef ${PROGRAM}
_pv_controller() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments '--help[the help]' '--version[the version]'
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case "$command" in
${commands.map(branchOf).join('\n')}
  esac
}
if [ "$funcstack[1]" = "_pv_controller" ] || [ "$funcstack[1]" = "_${PROGRAM}" ]; then
  _pv_controller "$@"
else
  compdef _pv_controller ${PROGRAM}
fi
`;
}

function branchOf(command: Command): string {
  const argument = command.words === undefined ? [] : [quoted(`1:argument:(${command.words.join(' ')})`)];
  const specs = [...flagsOf(command).flatMap(specsOf), ...argument];
  return `    ${command.name}) _arguments ${specs.join(' ')} ;;`;
}

function specsOf(flag: Flag): string[] {
  const help = flag.help.replaceAll('[', '(').replaceAll(']', ')').replaceAll(':', '\\:');
  const values = flag.oneOf !== undefined ? `(${flag.oneOf.join(' ')})` : takesFile(flag) ? '_files' : ' ';
  const tail = flag.type === 'boolean' ? '' : `:${(flag.value ?? 'value').toLowerCase()}:${values}`;
  return spellings(flag).map((spelling) => quoted(`${spelling}[${help}]${tail}`));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
