/** The report as one page that needs nothing else: no script, no font, no request. */
import { createHash } from 'node:crypto';
import { objectText } from '../terminal.ts';
import { sizeText } from './bytes.ts';
import { html, type Markup, trusted } from './markup.ts';
import type { Report } from './report-schema.ts';
import { type Section, sectionsOf } from './sections.ts';
import { ageTextOf, countedSince } from './since.ts';
import { STYLE } from './style.ts';
import { timeline } from './timeline.ts';
import { bytesIn } from './wasted.ts';

type Group = Report['groups'][number];
type Finding = Group['findings'][number];

/** Rows of a table; a page with all of 50,000 would open in no browser. `-o json` has them all. */
const MAX_ROWS = 200;

/**
 * A whole document. Names, annotations and messages of the cluster are hostile input: all of it is escaped, and the
 * page's policy would run and load nothing even so.
 */
export function reportHtml(report: Report): string {
  const { cluster, takenAt, verdict, groups } = report;
  const now = Date.parse(takenAt);
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  const sections = sectionsOf(report);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Volumes of ${cluster.server}: ${verdict}</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<header>
<h1>Persistent volumes <span class="badge ${verdict}">${verdict}</span></h1>
<p>${cluster.server} · Kubernetes ${cluster.version} · <time datetime="${takenAt}">${takenAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time></p>
</header>
<main>
<section class="tiles">${tiles(report)}</section>
${groups.length === 0 ? html`<p class="fine">Nothing is stuck, nothing waits.</p>` : findingsOf(report, now)}
${sections.map(sectionHtml)}
</main>
<footer><p>Made by <code>pv-controller doctor</code>, which reads and never writes. Look at a command before you run it; <code>pv-controller explain</code> tells more of one object.</p></footer>
</body>
</html>
`.text;
}

function tiles({ volumes, claims, groups, wasted }: Report): Markup[] {
  const count = (severity: Group['severity']) =>
    groups.reduce((sum, group) => sum + (group.severity === severity ? group.findings.length : 0), 0);
  const phases = (census: Report['volumes']) =>
    Object.entries(census.phases)
      .map(([phase, number]) => `${number.toLocaleString('en-US')} ${phase}`)
      .join(', ');
  return [
    tile('Volumes', volumes.total.toLocaleString('en-US'), `${sizeText(volumes.bytes)}. ${phases(volumes)}`),
    tile('Claims', claims.total.toLocaleString('en-US'), `${sizeText(claims.bytes)}. ${phases(claims)}`),
    tile('Broken', count('broken').toLocaleString('en-US'), 'objects that contradict each other', 'broken'),
    tile('Stuck', count('stuck').toLocaleString('en-US'), 'until somebody acts', 'stuck'),
    tile('Waiting', count('waiting').toLocaleString('en-US'), 'for something that is expected', 'waiting'),
    tile('Wasted', sizeText(String(bytesIn(wasted.total))), 'in volumes that no claim has'),
  ];
}

function tile(name: string, value: string, about: string, tone = ''): Markup {
  return html`<div class="tile ${value === '0' ? '' : tone}"><h2>${name}</h2><strong>${value}</strong><p>${about}</p></div>`;
}

function findingsOf(report: Report, now: number): Markup {
  return html`<section><h2>Since when</h2>
${timeline(report)}</section>
${report.groups.map((group) => groupHtml(group, now))}`;
}

function groupHtml({ cause, meaning, severity, oldest, findings }: Group, now: number): Markup {
  return html`<section class="group ${severity}">
<h2>${cause} <span class="badge ${severity}">${severity}</span></h2>
<p>${meaning} <span class="quiet">${countedSince(findings.length, oldest, now)}.</span></p>
<div class="table" tabindex="0"><table class="findings"><thead><tr><th>Object</th><th>State</th><th>For</th><th>Why, and what helps</th></tr></thead><tbody>
${findings.slice(0, MAX_ROWS).map((finding) => findingRow(finding, now))}</tbody></table></div>
${rest(findings.length)}</section>
`;
}

function findingRow({ subject, state, since, why, next, actor, cures }: Finding, now: number): Markup {
  const [first = next, ...others] = why;
  return html`<tr><th scope="row">${objectText(subject)}</th><td>${state}</td><td title="${since ?? ''}">${ageTextOf(since, now)}</td>
<td><details><summary>${first}</summary>${others.map((sentence) => html`<p>${sentence}</p>`)}
<p class="quiet">Next: ${next}. To act: ${actor}.</p>
${cures.map(cureHtml)}</details></td></tr>
`;
}

function cureHtml({ does, command, danger }: Finding['cures'][number]): Markup {
  const warning = danger === undefined ? html`` : html`<p class="danger">Careful: ${danger}</p>`;
  return html`<p>${does}:</p>${warning}<pre>${command}</pre>`;
}

function sectionHtml({ title, about, head, rows }: Section): Markup {
  return html`<section><h2>${title}</h2><p class="quiet">${about}</p>
<div class="table" tabindex="0"><table><thead><tr>${head.map((cell) => html`<th>${sentenceCase(cell)}</th>`)}</tr></thead><tbody>
${rows.slice(0, MAX_ROWS).map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody></table></div>
${rest(rows.length)}</section>
`;
}

function rest(count: number): Markup {
  if (count <= MAX_ROWS) return html``;
  return html`<p class="quiet">And ${(count - MAX_ROWS).toLocaleString('en-US')} more: <code>-o json</code> has them all.</p>`;
}

function sentenceCase(text: string): string {
  return text.charAt(0) + text.slice(1).toLowerCase();
}
