/** Numbers and lists on the command line. */
import { UsageError, type Values } from '../../local/command-line.ts';

/** @throws UsageError for what is no whole number of at least `least`. */
export function wholeOf(values: Values, name: string, preset: number, least: number): number {
  return toWhole(name, String(values[name] ?? preset), least);
}

/** Numbers with commas between them. @throws UsageError as `wholeOf`. */
export function wholesOf(values: Values, name: string, preset: readonly number[], least: number): number[] {
  const text = values[name] ?? preset.join(',');
  return String(text)
    .split(',')
    .map((each) => toWhole(name, each, least));
}

/** A text, where one was given. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

function toWhole(name: string, text: string, least: number): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isInteger(number) || number < least) {
    throw new UsageError(`--${name}: ${JSON.stringify(text)} is no whole number from ${least} on`);
  }
  return number;
}
