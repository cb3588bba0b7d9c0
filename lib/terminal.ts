/** Text for a terminal: colours where they are wanted, lines that fit, nothing that would steer the terminal. */
import { styleText } from 'node:util';
import type { SyncKey } from './controller/types.ts';

/** However long the columns before it are: one word a line could not be read. */
const MIN_ROOM = 24;

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

/** Columns, as wide as their cells need; what the last one has too much goes on below it. */
export function table(rows: readonly (readonly string[])[], width: number, indent = '  '): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.flatMap((row) => {
    const cells = row.slice(0, -1).map((cell, column) => `${cell.padEnd(widths[column] ?? 0)}  `);
    const before = indent + cells.join('');
    const room = Math.max(MIN_ROOM, width - before.length);
    const [first = '', ...others] = wrapped(row.at(-1) ?? '', room);
    return [`${before}${first}`.trimEnd(), ...others.map((line) => ' '.repeat(before.length) + line)];
  });
}

/** `1 volume`, `1,234 volumes`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `pv/NAME` or `pvc/NAMESPACE/NAME`: as `pv-controller explain` takes it. */
export function objectText({ kind, namespace, name }: SyncKey): string {
  return kind === 'PersistentVolume' ? `pv/${name}` : `pvc/${namespace}/${name}`;
}
