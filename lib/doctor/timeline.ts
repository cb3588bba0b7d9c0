/** Since when findings have been so, drawn: a strip for each cause, the oldest at the left. */

import { counted } from '../terminal.ts';
import { ageOf, STEPS } from './ages.ts';
import { html, type Markup } from './markup.ts';
import type { Report } from './report-schema.ts';
import { countedSince } from './since.ts';

type Group = Report['groups'][number];

const BINS_OF_STEP = 8;
const BINS = STEPS.length * BINS_OF_STEP;
const BIN_WIDTH = 10;
const HEIGHT = 36;
/** A single object must be seen beside thousands. */
const MIN_BAR = 14;
/** The last step has no end; what is older than this is drawn at the edge. */
const OLDEST_MS = 10 * 365 * 24 * 3_600_000;

/** One strip for each group, above a scale that they share. */
export function timeline({ groups, takenAt }: Report): Markup {
  const now = Date.parse(takenAt);
  return html`<div class="timeline">
${groups.map((group) => strip(group, now))}
<div class="lane scale"><span></span><span class="steps">${STEPS.map(([name]) => html`<i>${name}</i>`).reverse()}<b>now</b></span></div>
</div>`;
}

function strip({ cause, severity, findings, oldest }: Group, now: number): Markup {
  const bins = binsOf(findings, now);
  const most = Math.max(1, ...bins);
  const bars = bins.flatMap((count, bin) => {
    if (count === 0) return [];
    const height = MIN_BAR + (HEIGHT - MIN_BAR) * (Math.log(count) / Math.max(1, Math.log(most)));
    const x = bin * BIN_WIDTH;
    return html`<rect x="${x + 1}" y="${(HEIGHT - height).toFixed(1)}" width="${BIN_WIDTH - 2}" height="${height.toFixed(1)}"><title>${counted(count, 'object')}</title></rect>`;
  });
  const rules = STEPS.slice(1).map(
    (_, i) =>
      html`<line x1="${(i + 1) * BINS_OF_STEP * BIN_WIDTH}" x2="${(i + 1) * BINS_OF_STEP * BIN_WIDTH}" y1="0" y2="${HEIGHT}"/>`,
  );
  const undated = bins.every((count) => count === 0) ? html` <small>of unknown age</small>` : html``;
  const label = `${cause}: ${countedSince(findings.length, oldest, now)}`;
  return html`<div class="lane ${severity}"><span class="cause">${cause} <b>${findings.length.toLocaleString('en-US')}</b>${undated}</span>
<svg viewBox="0 0 ${BINS * BIN_WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${rules}${bars}</svg></div>
`;
}

/** Counts from the oldest to the youngest; findings that tell no time are left out. */
export function binsOf(findings: readonly { readonly since?: string | undefined }[], now: number): number[] {
  const bins = new Array<number>(BINS).fill(0);
  for (const finding of findings) {
    const age = ageOf({ since: finding.since }, now);
    if (age === undefined) continue;
    const bin = BINS - 1 - Math.min(BINS - 1, Math.floor(positionOf(age) * BINS));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}

/** 0 for now, 1 for the oldest: each step is equally wide, and logarithmic within. */
function positionOf(age: number): number {
  const at = STEPS.findIndex(([, upTo]) => age <= upTo);
  const from = STEPS[at - 1]?.[1] ?? 0;
  const to = Math.min(STEPS[at]?.[1] ?? OLDEST_MS, OLDEST_MS);
  const within = from === 0 ? age / to : Math.log(Math.min(age, to) / from) / Math.log(to / from);
  return (at + within) / STEPS.length;
}
