/** The contenders by their names on the command line. */
import { UsageError } from '../../../local/command-line.ts';
import { builtInAsItComes, builtInUnlimited } from './built-in.ts';
import type { Contender } from './contender.ts';
import { floor } from './floor.ts';
import { type OursProgram, ours } from './ours.ts';

/** What is measured unless the command line says otherwise. */
export const usualContenders =
  'built-in,built-in-unlimited,ours-5,ours-10,ours-20,ours-deployed-10,ours-local-4,floor-1,floor-16';

/** @param names with commas between them, such as `built-in,ours-10,floor-16`. @throws UsageError for an unknown one. */
export function contendersOf(names: string, program: OursProgram): Contender[] {
  return names.split(',').map((name) => contenderOf(name, program));
}

function contenderOf(name: string, program: OursProgram): Contender {
  if (name === builtInAsItComes.name) return builtInAsItComes;
  if (name === builtInUnlimited.name) return builtInUnlimited;
  const [, kind, number] = /^(floor|ours|ours-deployed|ours-local)-([1-9]\d{0,2})$/.exec(name) ?? [];
  const count = Number(number);
  if (kind === 'floor') return floor(count);
  if (kind === 'ours') return ours(program, { concurrency: count, as: 'unlimited' });
  if (kind === 'ours-deployed') return ours(program, { concurrency: count, as: 'deployed' });
  if (kind === 'ours-local') return ours(program, { concurrency: count, as: 'local' });
  throw new UsageError(
    `no contender is called ${JSON.stringify(name)}; there are ${usualContenders}, with other numbers too`,
  );
}
