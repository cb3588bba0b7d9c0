/** Text for a terminal: colours where they are wanted, lines that fit, nothing that would steer the terminal. */
import { styleText } from 'node:util';
import type { SyncKey } from './controller/types.ts';

/** For the last column, however long the ones before it are: one word a line could not be read. */
const MIN_ROOM = 24;
const MIN_COLUMN = 8;
const GAP = '  ';

export type Tone = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';
export type Paint = (tone: Tone, text: string) => string;

/** @param colours false: text stays as it is. */
export function painter(colours: boolean): Paint {
  return colours ? (tone, text) => styleText(tone, text, { validateStream: false }) : (_tone, text) => text;
}

/** Without control characters: messages quote what users wrote, and an escape sequence could forge a line. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
}

/** Words in lines of at most `width` characters, each after the indent; a longer word has its own line. */
export function wrapped(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((part) => part !== '')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, indent + line];
}

/**
 * Columns, as wide as their cells need and the line has room for. After a cell that is longer than its column, the row goes on
 * below; so does what the last column has too much.
 */
export function table(rows: readonly (readonly string[])[], width: number, indent = '  '): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const last = Math.min(MIN_ROOM, widths.at(-1) ?? 0);
  const room = width - indent.length - last - GAP.length * (widths.length - 1);
  const fitted = shrunk(widths.slice(0, -1), room);
  return rows.flatMap((row) => {
    const lines = [indent];
    let column = indent.length;
    for (const [at, cell] of row.slice(0, -1).entries()) {
      lines.push((lines.pop() ?? '').padEnd(column) + cell);
      column += (fitted[at] ?? 0) + GAP.length;
      if (cell.length > (fitted[at] ?? 0)) lines.push('');
    }
    const [first = '', ...others] = wrapped(row.at(-1) ?? '', Math.max(MIN_ROOM, width - column));
    lines.push((lines.pop() ?? '').padEnd(column) + first);
    return [...lines, ...others.map((line) => ' '.repeat(column) + line)].map((line) => line.trimEnd());
  });
}

/** Takes what is too much from the widest. */
function shrunk(widths: readonly number[], room: number): readonly number[] {
  const excess = widths.reduce((sum, each) => sum + each, 0) - room;
  const widest = Math.max(...widths);
  if (excess <= 0 || widest <= MIN_COLUMN) return widths;
  const narrower = Math.max(MIN_COLUMN, widest - excess);
  return shrunk(widths.with(widths.indexOf(widest), narrower), room);
}

/** `1 volume`, `1,234 volumes`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `pv/NAME` or `pvc/NAMESPACE/NAME`: as `pv-controller explain` takes it. */
export function objectText({ kind, namespace, name }: SyncKey): string {
  return kind === 'PersistentVolume' ? `pv/${name}` : `pvc/${namespace}/${name}`;
}
