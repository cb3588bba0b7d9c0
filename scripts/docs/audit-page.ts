/** docs/audit.md: the form of an audit record, and where it goes. */
import type * as z from 'zod';
import { QUERIES } from '../../infra/monitoring/queries.ts';
import { busEntry } from '../../lib/audit/event-bus.ts';
import type { AuditRecord } from '../../lib/audit/record.ts';
import { AUDIT_SCHEMA } from '../../lib/audit/schema.ts';
import { code, generatedFrom, table } from './markdown.ts';

const EXAMPLE: AuditRecord = {
  v: 1,
  time: '2026-05-01T10:00:05.250Z',
  kind: 'PersistentVolume',
  name: 'pv-1',
  uid: '0c1d7c6e-5a0a-4b0e-9d3f-2f1f5a6f7b11',
  volumeUid: '0c1d7c6e-5a0a-4b0e-9d3f-2f1f5a6f7b11',
  of: 'phase',
  from: 'Bound',
  to: 'Released',
  who: 'us',
  how: 'made',
  reason: 'the claim that volume pv-1 is bound to does not exist any more',
  versions: { before: '41377', after: '41390' },
  cause: { reason: 'deleted', uid: '7a3b9f60-6f4e-4c8a-8d39-90d0c6f0a1c2', resourceVersion: '41388' },
  latencyMs: 180,
};

/** For a rule: volumes that somebody else than a controller deleted or unbound. */
export const EXAMPLE_PATTERN = {
  source: [busEntry(EXAMPLE).Source],
  'detail-type': [busEntry(EXAMPLE).DetailType],
  detail: { to: ['deleted', 'none'], who: ['other', 'unknown'] },
};

/** The page's text. */
export function auditPage(): string {
  const { Detail: _detail, ...entry } = busEntry(EXAMPLE);
  const history = QUERIES.find(({ id }) => id === 'VolumeHistoryQuery');
  return `${generatedFrom('lib/audit')}

# Audit trail

Each phase and each binding of a volume or a claim that changes is one record: who changed it, from what to what, why and after
what. It is a log line at INFO whose \`message\` says it in short (\`volume Bound -> Released\`, \`claim bound\`), with the record
in the field \`audit\`, the key that was synced in \`key\` and the volume's uid in \`correlation_id\`.

Workers tell of what they wrote; a bridge that follows changes tells of what others wrote, known by the API server's own
book-keeping (\`metadata.managedFields\`). Two bridges see each change: two records with the same \`uid\`, \`of\` and
\`versions\` are one change. A record says what is known, and leaves out the rest.

## What happened to this volume

The saved query \`${history?.name}\` answers it: put the volume's uid in (\`kubectl get pv NAME -o jsonpath='{.metadata.uid}'\`).

\`\`\`
${history?.commands.join('\n| ')}
\`\`\`

## The record, version 1

${fieldTable()}

Fields may be added to version 1; none is taken away or gets another meaning. Texts that users wrote are cut at 1,000 characters.

\`\`\`json
${JSON.stringify(EXAMPLE, null, 2)}
\`\`\`

## On an EventBridge bus

With \`audit: { bus: NAME }\` in the [stage file](settings.md#the-stage-file) (\`PV_AUDIT_BUS\`) each record is also an event on that bus, with the
record as its \`detail\`. The bus exists already: the stack makes none, and gives both workers and the bridge
\`events:PutEvents\` on it and nothing else. A bus of another account is named by its ARN, and its own policy must allow these roles;
it must be in the stack's region, where a rule may send on to another.

\`\`\`json
${JSON.stringify(entry, null, 2)}
\`\`\`

The pattern of a rule for volumes that were deleted or unbound, and by no controller as far as is known:

\`\`\`json
${jsonText(EXAMPLE_PATTERN)}
\`\`\`

EventBridge charges for each event that is sent. In a VPC without a way out the functions need an interface endpoint of EventBridge, by \`PV_EVENTS_ENDPOINT\` where it has no private
DNS.

**The log is the trail, the bus is a copy at best effort.** A worker sends what it has at the end of each invocation, a
bridge every second and when it ends.

- A record may come twice: an answer that got lost is asked for again, two bridges see each change, and EventBridge itself delivers at
  least once. Records with the same \`uid\`, \`of\` and \`versions\` are one change. The order is not kept: sort by \`time\`.
- A record may be missing. What the bus refuses is sent up to three times within a second, and then given up: no sync waits for
  longer, and none fails for it. After a flush of which nothing was taken, though it might have used its whole second, nothing is sent
  for 30 seconds. An environment that is killed before its flush takes what it has with it.
- What was given up is counted in [\`AuditRecordsLost\`](metrics.md), and told in a warning, \`audit records are not on the bus\`, with EventBridge's
  reason in \`why\`: once for each flush that was tried. The records themselves are in the log as always. An alarm
  watches the count: [audit-records-lost](runbook.md#audit-records-lost).
- **EventBridge accepts events for a bus that does not exist**, says nothing and drops them
  ([aws-sdk#186](https://github.com/aws/aws-sdk/issues/186)). So try a new bus once, with a rule that has a log group as its target.
`;
}

function fieldTable(): string {
  const rows = Object.entries(AUDIT_SCHEMA.shape).map(([name, field]) => {
    const isOptional = field.def.type === 'optional';
    return [code(name), isOptional ? 'where known' : 'always', descriptionOf(field)];
  });
  return table(['Field', 'There', 'Meaning'], rows);
}

function descriptionOf(field: z.ZodType): string {
  const { description } = field;
  if (description === undefined)
    throw new Error('a field of the audit record has no description: add one in lib/audit/schema.ts');
  return description;
}

/** With short lists on one line, as the formatter has it. */
function jsonText(value: unknown): string {
  const inOneLine = (list: string) => list.replace(/\s+/g, ' ').replace('[ ', '[').replace(' ]', ']');
  return JSON.stringify(value, undefined, 2).replace(/\[[^\]]*\]/g, inOneLine);
}
