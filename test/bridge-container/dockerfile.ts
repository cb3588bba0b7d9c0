/** Reads infra/container/Dockerfile as a builder would, for machines that have none. */
import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** What the image is. */
export interface ImagePlan {
  readonly base: string;
  readonly workingDirectory: string;
  /** Absolute sources, and where they go in the image. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: number;
  readonly group: number;
  readonly entrypoint: readonly string[];
}

/** @throws Error for an instruction that this reader does not know, so that none goes untested. */
export function readDockerfile(file = join(ROOT, 'infra/container/Dockerfile')): ImagePlan {
  let base = '';
  let workingDirectory = '/';
  let [user, group] = [0, 0];
  let entrypoint: string[] = [];
  const environment: Record<string, string> = {};
  const copies: { from: string; to: string }[] = [];
  const lines = readFileSync(file, 'utf8').split('\n');
  const argument = lines.find((line) => line.startsWith('ARG BASE='))?.slice('ARG BASE='.length) ?? '';
  for (const line of lines) {
    const [instruction = '', ...words] = line.split(/\s+/);
    if (line === '' || line.startsWith('#') || ['ARG', 'EXPOSE'].includes(instruction)) continue;
    else if (instruction === 'FROM') base = words[0] === '$BASE' ? argument : (words[0] ?? '');
    else if (instruction === 'WORKDIR') workingDirectory = words[0] ?? '';
    else if (instruction === 'ENV') {
      const [name = '', value = ''] = words.join(' ').split('=');
      environment[name] = value;
    } else if (instruction === 'USER') [user = 0, group = 0] = (words[0] ?? '').split(':').map(Number);
    else if (instruction === 'ENTRYPOINT') entrypoint = JSON.parse(words.join(' '));
    else if (instruction === 'COPY') {
      const to = resolve(workingDirectory, words.pop() ?? '');
      copies.push(...words.map((from) => ({ from: join(ROOT, from), to: join(to, basename(from)) })));
    } else throw new Error(`${file}: ${instruction} is not known here`);
  }
  return { base, workingDirectory, copies, environment, user, group, entrypoint };
}
