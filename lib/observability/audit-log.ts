/** The audit trail as log lines: one at INFO per record, with the record in `audit` (docs/audit.md). */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { AuditRecord, AuditSink } from '../audit/record.ts';
import { keyOf } from '../queue/message.ts';

/**
 * Every line has the key of its sync in `key` and the volume's uid in `correlation_id`, as all lines about a key do.
 * @param besides gets each record after the log has it.
 */
export function auditLog(logger: Logger, besides?: AuditSink): AuditSink {
  return (record, key) => {
    const { kind, name, volumeUid } = record;
    const about = {
      key: key === undefined ? `${kind}/${name}` : keyOf(key),
      ...(volumeUid !== undefined && { correlation_id: volumeUid }),
    };
    logger.info(titleOf(record), { ...about, audit: record });
    besides?.(record, key);
  };
}

/** Without names, so that lines can be counted by it. */
function titleOf({ kind, of, from, to }: AuditRecord): string {
  const what = kind === 'PersistentVolume' ? 'volume' : 'claim';
  if (of === 'phase') return `${what} ${from} -> ${to}`;
  return to === 'none' ? `${what} unbound` : `${what} bound`;
}
