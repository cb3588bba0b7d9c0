/** The report's tables besides the findings, for the terminal and for the page alike. */

import { objectText } from '../terminal.ts';
import { sizeText } from './bytes.ts';
import type { Report } from './report-schema.ts';

export interface Section {
  readonly title: string;
  /** One sentence: what it means, and what to do. */
  readonly about: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Only those that have something to tell. Cells are as the cluster gave them: whoever shows them escapes. */
export function sectionsOf(report: Report): Section[] {
  return [
    wasted(report),
    drift(report),
    misbound(report),
    ...vanished(report),
    unread(report),
    unjudged(report),
  ].filter(({ rows }) => rows.length > 0);
}

function wasted({ wasted: { total, classes } }: Report): Section {
  const cell = ({ volumes, bytes }: typeof total.available) =>
    volumes === 0 ? '-' : `${volumes} (${sizeText(bytes)})`;
  const row = (name: string, { available, released, failed }: typeof total) => [
    name,
    ...[available, released, failed].map(cell),
  ];
  const rows = classes.map(({ storageClass, waste }) => row(storageClass || '(no class)', waste));
  return {
    title: 'Wasted capacity',
    about: 'Volumes that no claim has. Released and Failed ones hold the data of claims that are gone.',
    head: ['CLASS', 'AVAILABLE', 'RELEASED', 'FAILED'],
    rows: classes.length > 1 ? [...rows, row('all', total)] : rows,
  };
}

function drift(report: Report): Section {
  const risks = { data: 'data: the storage goes with the claim', capacity: 'capacity: the storage stays' };
  return {
    title: 'Policy drift',
    about: 'Provisioned volumes whose reclaim policy is not that of their class: one of the two was changed later.',
    head: ['VOLUME', 'POLICY', 'ITS CLASS SAYS', 'AT RISK'],
    rows: report.drift.map(({ volume, policy, classPolicy, storageClass, risk }) => [
      volume,
      policy,
      `${classPolicy} (${storageClass})`,
      risks[risk],
    ]),
  };
}

function misbound(report: Report): Section {
  return {
    title: 'Misbound pairs',
    about: 'A volume and a claim of which one names the other, and the other somebody else.',
    head: ['VOLUME', 'CLAIM', 'WHAT'],
    rows: report.misbound.map(({ volume, claim, what }) => [volume, claim, what]),
  };
}

function vanished({ vanished: { drivers, nodes, attachments } }: Report): Section[] {
  return [
    {
      title: 'Volumes of drivers that are not installed',
      about: 'There is no CSIDriver object of this name: nobody attaches, mounts or deletes these volumes.',
      head: ['DRIVER', 'VOLUMES', 'THE FIRST'],
      rows: drivers.map(({ driver, volumes }) => [driver, String(volumes.length), volumes[0] ?? '']),
    },
    {
      title: 'Volumes that no node can reach',
      about:
        'Their node affinity names nodes or zones that the cluster does not have: pods that use them stay Pending.',
      head: ['VOLUME', 'WANTS'],
      rows: nodes.map(({ volume, wants }) => [volume, wants]),
    },
    {
      title: 'Attached to nodes that are gone',
      about: 'The attachment keeps the volume from being attached elsewhere until the driver has given it up.',
      head: ['VOLUME', 'NODE', 'ATTACHMENT'],
      rows: attachments.map(({ volume, node, attachment }) => [volume, node, attachment]),
    },
  ];
}

function unread({ unread: kinds }: Report): Section {
  return {
    title: 'Not read',
    about: 'The server did not give these kinds: what depends on them is not told.',
    head: ['KIND', 'WHY'],
    rows: kinds.map(({ kind, why }) => [kind, why]),
  };
}

function unjudged({ unjudged: objects }: Report): Section {
  return {
    title: 'Not judged',
    about: 'Nothing can be said of these objects.',
    head: ['OBJECT', 'WHY'],
    rows: objects.map(({ subject, why }) => [objectText(subject), why]),
  };
}
