/** cfn-lint over compiled templates, and proof that it looks: templates that it must refuse. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Template } from './template.ts';

/** W3005 is about osls's own DependsOn, which a reference makes needless. */
const IGNORED = ['W3005'];

/**
 * @param bin folder of the program. @param directory where the template is put for it.
 * @returns its findings, one a line.
 * @throws Error when it does not run.
 */
export async function cfnLint(bin: string, directory: string, name: string, template: string): Promise<string[]> {
  const file = join(directory, `${name}.json`);
  await writeFile(file, template);
  const args = ['--format', 'parseable', '--ignore-checks', ...IGNORED, '--', file];
  return new Promise((settle, fail) => {
    execFile(join(bin, 'cfn-lint'), args, (error, stdout, stderr) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      if (error && lines.length === 0) fail(new Error(`cfn-lint failed: ${stderr || error.message}`));
      else settle(lines.map((line) => line.replace(`${file}:`, 'cfn-lint: line ')));
    });
  });
}

/** One way to break a template, and what cfn-lint must say of it. */
interface Proof {
  readonly name: string;
  readonly resource: string;
  readonly broken: Readonly<Record<string, unknown>>;
  readonly expected: RegExp;
}

const PROOFS: readonly Proof[] = [
  {
    name: 'an unknown property',
    resource: 'VolumesQueue',
    broken: { VisibilityTimeOut: 180 },
    expected: /VisibilityTimeOut/,
  },
  {
    name: 'a runtime that is not',
    resource: 'ResyncLambdaFunction',
    broken: { Runtime: 'nodejs1.x' },
    expected: /nodejs1\.x/,
  },
  {
    name: 'an access entry to no cluster',
    resource: 'ResyncAccess',
    broken: { ClusterName: undefined },
    expected: /'ClusterName' is a required property/,
  },
  {
    name: 'dead letters in a queue that is not FIFO',
    resource: 'ClaimsDeadLetterQueue',
    broken: { FifoQueue: false, QueueName: 'claims-dead-letters' },
    expected: /FIFO|Fifo|fifo/,
  },
];

/** @returns what cfn-lint let pass of what it must refuse: nothing, as long as it works. */
export async function blindSpots(bin: string, directory: string, good: Template): Promise<string[]> {
  const missed = PROOFS.map(async ({ name, resource, broken, expected }, index) => {
    const template = structuredClone(good);
    Object.assign(template.Resources[resource]?.Properties ?? {}, broken);
    const said = await cfnLint(bin, directory, `broken-${index}`, JSON.stringify(template));
    return said.some((line) => expected.test(line)) ? [] : [`cfn-lint: lets ${name} pass (${resource})`];
  });
  return (await Promise.all(missed)).flat();
}
