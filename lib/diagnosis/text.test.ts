import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Finding } from './finding.ts';
import { ago, NOW } from './testing/explain.ts';
import { findingText } from './text.ts';

const finding: Finding = {
  subject: { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one' },
  uid: 'u',
  state: 'Pending',
  severity: 'stuck',
  cause: 'no-static-volume',
  why: [
    'No volume fits: 8Gi, ReadWriteOnce, Filesystem.',
    'Its class is "": such a claim takes a volume that exists and has no class either.',
  ],
  next: 'nothing but the event FailedBinding',
  actor: 'user',
  cures: [{ does: 'Ask again', command: "kubectl create -f - <<'EOF'\n{}\nEOF", danger: 'Only while Pending.' }],
  candidates: [{ volume: 'pv-1', rule: 'too small', detail: 'needs 8Gi, has 5Gi' }],
  since: ago(90),
};

const text = (of: Finding, colours = false) => findingText(of, { width: 80, colours, now: NOW });

describe('a finding as text', () => {
  test('says what, why, what comes next, who acts, and what to run', () => {
    expect(text(finding)).toBe(`pvc/ns/one is Pending, for 90m (since 2026-03-01T10:30:00.000Z)
stuck: no-static-volume
  No volume fits, and nothing provisions one for this claim.

Why
- No volume fits: 8Gi, ReadWriteOnce, Filesystem.
- Its class is "": such a claim takes a volume that exists and has no class
  either.

Volumes that were not chosen, and the first rule that each fails
  pv-1  too small  needs 8Gi, has 5Gi

Next sync  nothing but the event FailedBinding
Who acts   user

# Ask again:
# CAREFUL: Only while Pending.
kubectl create -f - <<'EOF'
{}
EOF
`);
  });

  test('has colours only where they are wanted, and then says the same', () => {
    expect(text(finding, true)).not.toBe(text(finding));
    expect(stripVTControlCharacters(text(finding, true))).toBe(text(finding));
  });

  test('lets nobody steer the terminal', () => {
    const hostile = { ...finding, why: ['\u001b[2Jgone\u0007'], cures: [] };
    expect(text(hostile)).toContain('- ?[2Jgone?');
  });

  test('has comments that do nothing in a shell that takes them for commands, as zsh does', () => {
    const does = 'Have x; touch /tmp/it\'s | sh && `id` $(id) > /tmp/y " \\ !1 delete the storage';
    const shown = text({ ...finding, cures: [{ does, command: 'true', danger: does }] });
    const comments = shown.split('\n').filter((line) => line.startsWith('# '));
    expect(comments.length).toBeGreaterThan(1);
    expect(comments.join('\n')).not.toMatch(/[;'|&`$<>"\\!]/);
  });
});
