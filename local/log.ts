/** Log lines for people: time, what, about which key. Colour only on a terminal, and never with NO_COLOR. */
import { styleText } from 'node:util';

export type Level = 'debug' | 'info' | 'warn' | 'error';
type Style = Parameters<typeof styleText>[0];

const ORDER: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const STYLES: Readonly<Record<Level, Style>> = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' };

/** One line per call; line breaks in the text become spaces. */
export interface Log {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** @param threshold the least level that is shown; `silent` shows nothing. */
export function createLog(threshold: Level | 'silent', stream: NodeJS.WriteStream = process.stdout): Log {
  const write = (level: Level) => (text: string) => {
    if (threshold === 'silent' || ORDER[level] < ORDER[threshold]) return;
    const time = new Date().toISOString().slice(11, 23);
    stream.write(`${time} ${paint(STYLES[level], level.padEnd(5), stream)} ${text.replaceAll('\n', ' ')}\n`);
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** The text in that style where the stream shows it. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY && !process.env['NO_COLOR'] ? styleText(style, text, { validateStream: false }) : text;
}
