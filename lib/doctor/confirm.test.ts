import { describe, expect, it } from 'vitest';
import type { Finding, Severity, Subject } from '../diagnosis/finding.ts';
import { confirm } from './confirm.ts';
import { NOW } from './testing/troubled-cluster.ts';

function findingOf(name: string, severity: Severity, ageMs?: number): Finding {
  return {
    subject: { kind: 'PersistentVolumeClaim', namespace: 'a', name },
    uid: name,
    state: 'Bound',
    severity,
    cause: severity === 'ok' ? 'settled' : 'volume-gone',
    why: [],
    next: 'nothing',
    actor: 'user',
    cures: [],
    candidates: [],
    since: ageMs === undefined ? undefined : new Date(NOW - ageMs).toISOString(),
  };
}

const MINUTE = 60_000;

/** Confirms with a cluster in which all is well by now; says what was looked at and what is left. */
async function confirmed(findings: readonly Finding[], diagnose?: (subject: Subject) => Promise<Finding>) {
  const looked: string[] = [];
  const well = async ({ name }: Subject) => findingOf(name, 'ok');
  const result = await confirm(
    { findings, unjudged: [] },
    (subject) => {
      looked.push(subject.name);
      return (diagnose ?? well)(subject);
    },
    NOW,
  );
  return { looked, left: result.findings.map(({ subject, severity }) => `${subject.name} ${severity}`) };
}

describe('a second look', () => {
  it('drops what came about while the lists were read and is well by now', async () => {
    const findings = [findingOf('young', 'broken', MINUTE), findingOf('ageless', 'stuck')];
    expect(await confirmed(findings)).toEqual({ looked: ['young', 'ageless'], left: [] });
  });

  it('is not needed for what has been so for long, or only waits', async () => {
    const findings = [findingOf('old', 'broken', 11 * MINUTE), findingOf('waits', 'waiting', MINUTE)];
    expect(await confirmed(findings)).toEqual({ looked: [], left: ['old broken', 'waits waiting'] });
  });

  it('tells what it sees, in the place of what was seen first', async () => {
    const findings = [findingOf('one', 'broken'), findingOf('two', 'stuck')];
    const { left } = await confirmed(findings, async ({ name }) =>
      findingOf(name, name === 'one' ? 'waiting' : 'stuck'),
    );
    expect(left).toEqual(['one waiting', 'two stuck']);
  });

  it('leaves as it was what cannot be read now', async () => {
    const { left } = await confirmed([findingOf('one', 'broken')], async () => {
      throw new Error('forbidden');
    });
    expect(left).toEqual(['one broken']);
  });

  it('looks at a hundred at most, and tells the others as they were found', async () => {
    const findings = Array.from({ length: 130 }, (_, i) => findingOf(`claim-${i}`, 'broken'));
    const { looked, left } = await confirmed(findings);
    expect(looked).toHaveLength(100);
    expect(left).toHaveLength(30);
  });
});
