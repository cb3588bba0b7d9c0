/**
 * The report of `pv-controller doctor -o json`, version 1. Fields may be added to it; one that is renamed, removed or given
 * another meaning makes version 2. `npm run docs` writes docs/doctor-report.schema.json from this.
 */
import { z } from 'zod';

export const REPORT_VERSION = 'pv-controller.serverless/doctor/v1';

const severity = z.enum(['ok', 'waiting', 'stuck', 'broken']);
const bytes = z
  .string()
  .regex(/^\d+$/)
  .describe('Bytes as decimal digits: it may be more than a double holds exactly.');
const time = z.iso.datetime({ offset: true });
const volume = z.string().describe('Name of a PersistentVolume.');
const claim = z.string().describe('namespace/name of a PersistentVolumeClaim.');

const subject = z.object({
  kind: z.enum(['PersistentVolume', 'PersistentVolumeClaim']),
  namespace: z.string().exactOptional(),
  name: z.string(),
});

const cure = z.object({
  does: z.string(),
  command: z.string().describe('Complete, for a POSIX shell.'),
  danger: z.string().exactOptional().describe('What is lost by it. Left out: nothing.'),
});

const finding = z.object({
  subject,
  uid: z.string().exactOptional(),
  state: z.string().describe('The phase, or Terminating.'),
  severity,
  cause: z.string(),
  why: z.array(z.string()),
  next: z.string().describe("What the controller's next sync would write."),
  actor: z.string().describe('Who has to act next.'),
  cures: z.array(cure),
  since: z.string().exactOptional(),
});

const group = z.object({
  cause: z.string(),
  meaning: z.string(),
  severity,
  oldest: z.string().exactOptional().describe('Since when the oldest has been so.'),
  findings: z.array(finding).describe('Oldest first.'),
});

const capacity = z.object({ volumes: z.int(), bytes });
const waste = z.object({ available: capacity, released: capacity, failed: capacity });
const census = z.object({ total: z.int(), phases: z.record(z.string(), z.int()), bytes });

export const ReportSchema = z
  .object({
    schema: z.literal(REPORT_VERSION),
    takenAt: time,
    cluster: z.object({ server: z.string(), version: z.string() }),
    verdict: severity.describe('The worst of all findings.'),
    volumes: census,
    claims: census.describe('Bytes: what they request.'),
    groups: z.array(group).describe('What is not settled, by cause: the worst first, then the oldest.'),
    ages: z
      .array(z.object({ upTo: z.string(), waiting: z.int(), stuck: z.int(), broken: z.int() }))
      .describe('How long it has been so.'),
    wasted: z.object({ total: waste, classes: z.array(z.object({ storageClass: z.string(), waste })) }),
    drift: z
      .array(
        z.object({
          volume,
          storageClass: z.string(),
          policy: z.string(),
          classPolicy: z.string(),
          risk: z.enum(['data', 'capacity']).describe('What is lost when its claim is deleted and nobody looks.'),
        }),
      )
      .describe('Provisioned volumes whose reclaim policy is not that of their class.'),
    misbound: z
      .array(z.object({ volume, claim, what: z.string() }))
      .describe('Volumes and claims that name each other one-sidedly.'),
    vanished: z.object({
      drivers: z.array(z.object({ driver: z.string(), volumes: z.array(volume) })),
      nodes: z.array(z.object({ volume, wants: z.string() })).describe('Volumes that no node can reach.'),
      attachments: z.array(z.object({ attachment: z.string(), node: z.string(), volume: z.string() })),
    }),
    unread: z.array(z.object({ kind: z.string(), why: z.string() })).describe('Kinds that the server did not give.'),
    unjudged: z.array(z.object({ subject, why: z.string() })).describe('Objects that could not be diagnosed.'),
  })
  .describe('What `pv-controller doctor` found in a cluster.');

export type Report = z.infer<typeof ReportSchema>;
