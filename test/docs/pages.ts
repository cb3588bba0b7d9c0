/** The pages for people, and what can be read out of them: headings, links, names. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A page by its path in the repository. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** All pages of the repository. */
export function allPages(): Page[] {
  const nested = filesIn(['docs', 'infra', 'test']).filter((name) => name.endsWith('.md'));
  return ['README.md', 'CONTRIBUTING.md', ...nested].map(readPage);
}

/** All files of these folders, sorted, and those that are files themselves; by their paths in the repository. */
export function filesIn(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (statSync(join(root, path)).isFile()) return [path];
    const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
      .sort();
  });
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** What GitHub makes of a page's headings: lower case, without punctuation, spaces as dashes, the second of a kind numbered. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The links of a page that lead nowhere. Links to other hosts are not followed. */
export function brokenLinks({ path, text }: Page): string[] {
  const links = [...withoutCode(text).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(path, text, link));
}

function leadsSomewhere(from: string, text: string, link: string): boolean {
  const [file = '', anchor] = link.split('#', 2);
  const target = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(root, target))) return false;
  if (anchor === undefined) return true;
  return anchorsOf(file === '' ? text : readPage(target).text).has(anchor);
}

/** Without fenced blocks: what looks like a heading there is a comment of a shell. */
function withoutCode(text: string): string {
  return text
    .replace(/^```.*?^```/gms, '')
    .replace(/`[^`\n]*`/g, (code) => (code.includes('](') ? '' : code.slice(1, -1)));
}

/** Where a pattern's first group is found in a page, each once. */
export function found({ text }: Page, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];
}

/** The commands of a page, block by block. */
export function commandsOf({ text }: Page): string[] {
  return [...text.matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(([, block = '']) => block);
}
