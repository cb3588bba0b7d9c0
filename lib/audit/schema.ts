/** The form of an audit record, version 1, for docs/audit.md and for whoever reads records. Nothing that is deployed loads it. */
import * as z from 'zod';
import type { AuditRecord } from './record.ts';

/** Accepts fields that a later edition of version 1 adds. */
export const AUDIT_SCHEMA = z.object({
  v: z.literal(1).describe('The version of this form.'),
  time: z.iso
    .datetime()
    .describe('When it was known: the server’s answer to a write of ours, or the arrival of an event. RFC 3339, UTC.'),
  kind: z.enum(['PersistentVolume', 'PersistentVolumeClaim']).describe('What changed.'),
  name: z.string().min(1).describe('A volume’s name, or a claim’s `namespace/name`.'),
  uid: z.string().exactOptional().describe('Of the object that changed.'),
  volumeUid: z
    .string()
    .exactOptional()
    .describe('Of the volume that it is about: the same on all records of a volume and its claim.'),
  of: z.enum(['phase', 'binding']).describe('The phase, or the other half that the object is bound to.'),
  from: z
    .string()
    .describe('A phase, or the name of the other half; `none` when there was none, `unknown` when it was not seen.'),
  to: z.string().describe('Likewise; the phase of an object that is gone is `deleted`.'),
  who: z
    .enum(['us', 'built-in', 'other', 'unknown'])
    .describe(
      'This controller; the cluster’s controller manager; anybody else, such as a user, a provisioner or the scheduler; or nobody can tell, as with a delete.',
    ),
  manager: z
    .string()
    .exactOptional()
    .describe('Of a seen change: the field manager that the API server has down for it.'),
  how: z.enum(['made', 'seen']).describe('Written by the worker that tells of it, or seen in a watch.'),
  reason: z.string().exactOptional().describe('What the controller had observed when it wrote.'),
  versions: z
    .object({ before: z.string().exactOptional(), after: z.string().exactOptional() })
    .exactOptional()
    .describe('`before` and `after`: the object’s resourceVersions. Of a delete, `after` is the last one.'),
  cause: z
    .object({
      reason: z.string().exactOptional(),
      uid: z.string().exactOptional(),
      resourceVersion: z.string().exactOptional(),
      messages: z.array(z.string()).exactOptional(),
    })
    .exactOptional()
    .describe(
      'What the sync was started by: `reason`, `uid` and `resourceVersion` of its newest message, and the SQS ids of all its `messages`.',
    ),
  latencyMs: z
    .number()
    .min(0)
    .exactOptional()
    .describe(
      'Of a change of ours: from the oldest message’s entry in the queue to the write. Of a seen one: from the write, which the server dates in whole seconds, to its event.',
    ),
}) satisfies z.ZodType<AuditRecord>;
