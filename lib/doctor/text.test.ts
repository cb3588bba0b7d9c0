import { describe, expect, it } from 'vitest';
import type { Finding } from '../diagnosis/finding.ts';
import { plain, table, wrapped } from '../terminal.ts';
import { sizeText } from './bytes.ts';
import { buildReport } from './report.ts';
import { Snapshot } from './snapshot.ts';
import { driverOf, NOW, troubledCluster, volumeOf } from './testing/troubled-cluster.ts';
import { reportText } from './text.ts';

const OCCASION = { now: NOW, cluster: { server: 'https://cluster.example', version: '1.36' } };
const PLAIN = { width: 80, colours: false, top: 2 };

function released(name: string, more: Partial<Finding> = {}): Finding {
  return {
    subject: { kind: 'PersistentVolume', name },
    uid: name,
    state: 'Released',
    severity: 'stuck',
    cause: 'retained',
    why: [`Claim a/${name} is gone, and nobody has said what is to become of the data that it left on this volume.`],
    next: 'nothing',
    actor: 'user',
    cures: [
      {
        does: 'Free it',
        command: `kubectl patch pv ${name} --type=json -p '[…]' # a comment that makes it long, and it is not to be broken`,
        danger: 'The data goes.',
      },
    ],
    candidates: [],
    since: '2026-11-20T12:00:00Z',
    ...more,
  };
}

const textOf = (findings: Finding[], snapshot = troubledCluster(), options = PLAIN) =>
  reportText(buildReport(snapshot, { findings, unjudged: [] }, OCCASION), options);

describe('the report for a terminal', () => {
  it('says in one line that nothing is wrong', () => {
    const CSIDriver = [driverOf('ebs.csi.aws.com')];
    const PersistentVolume = [volumeOf('pv-1', { phase: 'Bound' })];
    expect(textOf([], new Snapshot({ PersistentVolume, CSIDriver }))).toBe(
      [
        'https://cluster.example, Kubernetes 1.36, 2026-11-30T12:00:00.000Z',
        '1 volume, 10Gi: 1 Bound',
        '0 claims, 0B',
        'Nothing is stuck, nothing waits.',
        '',
      ].join('\n'),
    );
  });

  it('shows as many of a group as --top says, counts the rest, and cures the oldest', () => {
    const text = textOf(['one', 'two', 'three'].map((name) => released(name)));
    expect(text).toContain('STUCK retained: 3 objects, the oldest for 10d');
    expect(text).toContain('    10d  Released  pv/one\n    10d  Released  pv/two\n    and 1 more\n');
    expect(text).not.toContain('pv/three');
    expect(text).toContain('  Free it:\n  Careful: The data goes.\n    kubectl patch pv one');
  });

  it('fits into the width, but for commands, which must be copied whole', () => {
    const lines = textOf([released('one')]).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([
      expect.stringMatching(/^ {4}kubectl patch pv one .*broken$/),
    ]);
  });

  it('leaves a here document as it must stand: its last word alone on a line', () => {
    const cures = [{ does: 'Make it', command: "kubectl create -f - <<'EOF'\n{}\nEOF" }];
    expect(textOf([released('one', { cures })])).toContain("\nkubectl create -f - <<'EOF'\n{}\nEOF\n");
  });

  it('has colours only when they are wanted', () => {
    const ESC = String.fromCharCode(27);
    expect(textOf([released('one')])).not.toContain(ESC);
    expect(textOf([released('one')], undefined, { ...PLAIN, colours: true })).toContain(`${ESC}[33mSTUCK${ESC}[39m`);
  });

  it('tells of the oldest that it is meant, where there are others', () => {
    expect(textOf(['one', 'two'].map((name) => released(name)))).toContain('\n  The oldest: Claim a/one is gone');
    expect(textOf([released('one')])).toContain('\n  Claim a/one is gone');
  });

  it('lets nothing through that would steer the terminal', () => {
    const ESC = String.fromCharCode(27);
    const text = textOf([released('one', { why: [`${ESC}[2J${ESC}]0;pwned\u0007 and a\nforged line`] })]);
    expect(text).not.toContain(ESC);
    expect(text).toContain('?[2J?]0;pwned? and a?forged');
  });

  it('tells wasted capacity, drift, misbound pairs and what has vanished', () => {
    const text = textOf([]);
    for (const part of ['gp3    1 (100Gi)  2 (520Gi)', 'pv-drifted', 'team-b/loser', 'csi.gone.example', 'csi-0123']) {
      expect(text).toContain(part);
    }
  });
});

describe('pieces of text', () => {
  it.each([
    ['0', '0B'],
    ['1023', '1023B'],
    ['1024', '1Ki'],
    ['1610612736', '1.5Gi'],
    ['1048575', '1Mi'],
    [String(3n << 60n), '3Ei'],
    [String(5_000n << 60n), '5000Ei'],
  ])('%s bytes are written %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it('are wrapped between words, and a longer word stands alone', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapped('a extraordinarily b', 6, '  ')).toEqual(['  a', '  extraordinarily', '  b']);
  });

  it('go on below the last column where they are too long for it', () => {
    expect(
      table(
        [
          ['A', 'WHY'],
          ['b', 'a reason of many words that goes on and on'],
        ],
        32,
      ),
    ).toEqual(['  A  WHY', '  b  a reason of many words that', '     goes on and on']);
  });

  it('go on below a cell that is longer than its column has room', () => {
    const rows = [
      ['pv-1', 'too small', 'needs 8Gi, has 5Gi'],
      ['pv-with-a-name-that-leaves-no-room', 'reserved', 'for another claim'],
    ];
    expect(table(rows, 48)).toEqual([
      '  pv-1             too small  needs 8Gi, has 5Gi',
      '  pv-with-a-name-that-leaves-no-room',
      '                   reserved   for another claim',
    ]);
  });

  it('use all of a line before they do', () => {
    expect(table([['a-name-of-twenty-four-cs', 'x', 'y']], 32)).toEqual(['  a-name-of-twenty-four-cs  x  y']);
  });

  it('hold no characters that change the direction of others', () => {
    expect(plain('a\u202eb\u2066c')).toBe('a?b?c');
  });
});
