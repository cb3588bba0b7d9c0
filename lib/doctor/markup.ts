/** HTML that cannot be broken out of: whatever is put into a template is escaped, unless it is markup itself. */
import { plain } from '../terminal.ts';

/** Text that is HTML already. Made by `html` only, and by `trusted` for texts of this program. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Markup[];

/** A template whose values are escaped, for content and for quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.reduce((text, string, i) => text + partText(parts[i - 1] ?? '') + string));
}

/** A constant of this program, such as its style sheet. Never anything that a cluster said. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

function partText(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text
    .split('\n')
    .map(plain)
    .join('\n')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
