/** Text in columns, at most 100 wide, with colour or without. */

export const WIDTH = 100;

/** Volumes of a provisioner are named by a uid; its first part is enough to tell them apart. */
export function short(text: string): string {
  return text.replace(/\b(pvc-[0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '$1…');
}

export function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/** Lines of at most `width`; a longer word is cut. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const fitting = cut(word, width);
    if (line === '') line = fitting;
    else if (line.length + 1 + fitting.length <= width) line += ` ${fitting}`;
    else {
      lines.push(line);
      line = fitting;
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** At most `count` lines; where there are more, the last ends in an ellipsis. */
export function wrapUpTo(count: number, text: string, width: number): string[] {
  const lines = wrap(text, width);
  if (lines.length <= count) return lines;
  const last = (lines[count - 1] ?? '').slice(0, width - 2);
  return [...lines.slice(0, count - 1), `${last} …`];
}

/** A table's lines. Its first column is text, the last too, all others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)));
  const isText = (at: number) => at === 0 || at === head.length - 1;
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (isText(at) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)];
}
