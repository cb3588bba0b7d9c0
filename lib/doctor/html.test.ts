import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../diagnosis/finding.ts';
import { reportHtml } from './html.ts';
import { html } from './markup.ts';
import { buildReport } from './report.ts';
import { Snapshot } from './snapshot.ts';
import { NOW, troubledCluster, volumeOf } from './testing/troubled-cluster.ts';
import { binsOf } from './timeline.ts';

const HOSTILE = `"><script>alert('1')</script><img src=x onerror=alert(2)>&amp;`;

function findingOf(name: string, more: Partial<Finding> = {}): Finding {
  return {
    subject: { kind: 'PersistentVolume', name },
    uid: name,
    state: 'Released',
    severity: 'stuck',
    cause: 'retained',
    why: ['Its claim is gone.'],
    next: 'nothing',
    actor: 'user',
    cures: [],
    candidates: [],
    since: '2026-11-20T12:00:00Z',
    ...more,
  };
}

function pageOf(
  findings: readonly Finding[],
  snapshot = troubledCluster(),
  server = 'https://cluster.example',
): string {
  const report = buildReport(snapshot, { findings, unjudged: [] }, { now: NOW, cluster: { server, version: '1.36' } });
  return reportHtml(report);
}

describe('the page', () => {
  it('asks for nothing: no script, no link, no image, no address', () => {
    const page = pageOf([findingOf('pv-1')]);
    expect(page).not.toMatch(/<(script|link|img|iframe|object|form|a)\b/i);
    expect(page).not.toMatch(/\s(src|href|style|on\w+)=/i);
    expect(page).not.toMatch(/@import|url\(/i);
  });

  it('has a policy under which its own style sheet applies, and nothing else', () => {
    const page = pageOf([]);
    const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll('&#39;', "'");
    expect(policy).toBe(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
  });

  it('shows whatever a cluster says as text, wherever it stands', () => {
    const cures = [{ does: HOSTILE, command: HOSTILE, danger: HOSTILE }];
    const finding = findingOf(HOSTILE, {
      state: HOSTILE,
      why: [HOSTILE, HOSTILE],
      next: HOSTILE,
      cures,
      since: HOSTILE,
    });
    const volumes = [
      volumeOf(HOSTILE, {
        phase: HOSTILE,
        spec: { storageClassName: HOSTILE, csi: { driver: HOSTILE, volumeHandle: 'x' } },
      }),
      volumeOf('pv-2', { phase: 'Released', spec: { storageClassName: HOSTILE } }),
    ];
    const page = pageOf([finding], new Snapshot({ PersistentVolume: volumes }), HOSTILE);
    expect(page).not.toMatch(/<script|<img/);
    expect(page.split('&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;').length).toBeGreaterThan(12);
    expect(page).toContain('&amp;amp;');
  });

  it('tells every finding with its reason, its age and its commands', () => {
    const cures = [{ does: 'Free it', command: 'kubectl patch pv pv-1', danger: 'The data goes.' }];
    const page = pageOf([findingOf('pv-1', { cures })]);
    for (const part of [
      'pv/pv-1',
      '>10d<',
      'Its claim is gone.',
      '<pre>kubectl patch pv pv-1</pre>',
      'The data goes.',
    ]) {
      expect(page).toContain(part);
    }
  });

  it('stays small where thousands are stuck, and says where the rest is', () => {
    const page = pageOf(Array.from({ length: 5_000 }, (_, i) => findingOf(`pv-${i}`)));
    expect(page.length).toBeLessThan(300_000);
    expect(page).toContain('And 4,800 more: <code>-o json</code> has them all.');
  });

  it('says so when all is well', () => {
    const page = pageOf([], new Snapshot({}));
    expect(page).toContain('Nothing is stuck, nothing waits.');
    expect(page).not.toContain('<svg');
  });

  it('is drawn for light and dark, and for a telephone', () => {
    const page = pageOf([]);
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page).toContain('width=device-width');
  });
});

describe('a template', () => {
  it('escapes values, and leaves markup of its own alone', () => {
    expect(html`<b title="${'"x"'}">${'<i>'}${html`<i>${1}</i>`}</b>`.text).toBe(
      '<b title="&quot;x&quot;">&lt;i&gt;<i>1</i></b>',
    );
  });
});

describe('the timeline', () => {
  const sinceAgo = (ms: number) => ({ since: new Date(NOW - ms).toISOString() });
  const placeOf = (ms: number) => binsOf([sinceAgo(ms)], NOW).indexOf(1);
  const HOUR = 3_600_000;

  it('has the youngest at the right and the oldest at the left, in equal steps', () => {
    const ages = [0, HOUR / 2, 12 * HOUR, 72 * HOUR, 14 * 24 * HOUR, 90 * 24 * HOUR, 2 * 365 * 24 * HOUR];
    const steps = ages.map((age) => Math.floor(placeOf(age) / 8));
    expect(steps).toEqual([6, 5, 4, 3, 2, 1, 0]);
  });

  it('takes an age from before all time, and one from the future', () => {
    expect(placeOf(100 * 365 * 24 * HOUR)).toBe(0);
    expect(placeOf(-HOUR)).toBe(55);
  });

  it('counts, and leaves out what tells no time', () => {
    const bins = binsOf([sinceAgo(HOUR), sinceAgo(HOUR), {}, { since: 'yesterday' }], NOW);
    expect(bins.filter((count) => count > 0)).toEqual([2]);
  });
});
