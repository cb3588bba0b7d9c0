/**
 * Every rule of `npm run lint:stack`, proven on the real stack: a good template, broken in one place, is refused with a
 * message that names the resource.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBundles } from '../../infra/lint/bundles.ts';
import { compileStack } from '../../infra/lint/compile.ts';
import { lint, rulesFor } from '../../infra/lint/index.ts';
import type { Rule, Template } from '../../infra/lint/template.ts';
import { VARIANTS } from '../../infra/lint/variants.ts';
import { buildAll } from '../../scripts/build.ts';
import { ACCESS } from './broken/access.ts';
import { type Case, type Loose, queuesOf } from './broken/case.ts';
import { FUNCTIONS } from './broken/functions.ts';
import { MONITORING } from './broken/monitoring.ts';
import { QUEUE_ACCESS } from './broken/queue-access.ts';
import { QUEUES } from './broken/queues.ts';
import { TRUST } from './broken/trust.ts';

/** The bridge as a function, a VPC, a key, an operator, tracing: what there is to break. */
const VARIANT = 'customer-key';

let good: Template;
let rules: readonly Rule[];
let dist: string;

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'pv-controller-dist-'));
  const [compiled] = await Promise.all([compileStack(VARIANT, VARIANTS[VARIANT] ?? ''), buildAll({ directory: dist })]);
  good = compiled.template;
  rules = rulesFor({ bundles: await readBundles(dist), runbook: await readFile('docs/runbook.md', 'utf8') });
}, 120_000);
afterAll(() => rm(dist, { recursive: true, force: true }));

const CASES: readonly Case[] = [...QUEUES, ...QUEUE_ACCESS, ...FUNCTIONS, ...ACCESS, ...TRUST, ...MONITORING];

function findings(change?: (template: Loose) => void): string[] {
  const template = structuredClone(good);
  change?.(template);
  return lint(template, rules).map(({ rule, resource, says }) => `${rule}: ${resource} ${says}`);
}

it('finds nothing in the good template', () => {
  expect(findings()).toEqual([]);
});

it.each(CASES)('%s: %s %s', (rule, resource, message, change) => {
  const found = findings((template) => change(template.Resources[resource]?.Properties, template));
  const ofIt = found.filter((line) => line.startsWith(`${rule}: ${resource} `));
  expect(ofIt.join('\n'), found.join('\n')).toContain(message);
});

it('breaks every rule at least once', () => {
  expect(new Set(CASES.map(([rule]) => rule))).toEqual(new Set(rules.map(({ name }) => name)));
});

it('notices every action that a role lacks, and one that it has too many', () => {
  const owners = ['VolumeWorker', 'ClaimWorker', 'Bridge', 'Resync'];
  const expected: string[] = [];
  const missed: string[] = [];
  for (const owner of owners) {
    const paths = policiesOf(good, owner).flatMap((policy, at) =>
      policy.map((one, index) => ({
        at,
        index,
        actions: [one.Action].flat() as string[],
        isAllowed: one.Effect === 'Allow',
      })),
    );
    for (const { at, index, actions, isAllowed } of paths) {
      if (!isAllowed) continue;
      for (const action of actions) {
        expected.push(`${owner} ${action}`);
        const without = findings((template) => {
          policiesOf(template, owner)[at]?.splice(index, 1, {
            Effect: 'Allow',
            Action: actions.filter((one) => one !== action),
          });
        });
        // Sending and receiving each need Decrypt; the other rules look at resources.
        if (!without.includes(`IAM actions: ${owner}Role is not allowed ${action}, which ${bundleOf(owner)} needs`)) {
          missed.push(`${owner} ${action}`);
        }
      }
    }
    const more = findings((template) =>
      policiesOf(template, owner)[0]?.push({ Effect: 'Allow', Action: 'sqs:DeleteQueue' }),
    );
    expect(more).toContain(`IAM actions: ${owner}Role is allowed sqs:DeleteQueue, which ${bundleOf(owner)} never uses`);
  }
  expect(missed).toEqual([]);
  expect(expected.length).toBeGreaterThan(4 * 13);
});

/** Lists of statements: those inside the role, and the one apart. */
function policiesOf(template: Loose, owner: string): Loose[][] {
  const inside = template.Resources[`${owner}Role`].Properties.Policies.map(
    (policy: Loose) => policy.PolicyDocument.Statement,
  );
  return [...inside, queuesOf(template, owner)];
}

function bundleOf(owner: string): string {
  return owner.replace(/(?!^)[A-Z]/, '-$&').toLowerCase();
}
