/** Who wrote what, from the API server's own log: the observer asks nobody whom it observes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface AuditedObject {
  readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Of a Status: the object that was deleted. */
  readonly details?: { readonly uid?: string };
}

/** A request that changed something. */
export interface Write {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
  readonly requestObject?: AuditedObject;
  readonly responseObject?: AuditedObject;
  readonly responseStatus?: { readonly code?: number };
}

const VERBS = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const RESOURCES = [
  'persistentvolumes',
  'persistentvolumes/status',
  'persistentvolumeclaims',
  'persistentvolumeclaims/status',
];

export interface AuditLog {
  /** Flags of the API server. */
  readonly args: readonly string[];
  /** Writes that were logged since the last call. */
  next(): Promise<Write[]>;
  remove(): void;
}

/** The log of all writes of volumes and claims, with what was asked and what was answered. */
export function auditLog(): AuditLog {
  const directory = mkdtempSync(join(tmpdir(), 'pv-faults-audit-'));
  const [policy, log] = [join(directory, 'policy.json'), join(directory, 'audit.log')];
  const resources = [{ group: '', resources: RESOURCES }];
  const rules = [
    { level: 'RequestResponse', resources, verbs: VERBS, omitStages: ['RequestReceived'] },
    { level: 'None' },
  ];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  writeFileSync(log, '');
  let offset = 0;
  return {
    args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-maxsize=0'],
    next: async () => {
      const file = await open(log);
      try {
        const { size } = await file.stat();
        const { buffer } = await file.read(Buffer.alloc(size - offset), 0, size - offset, offset);
        // What follows the last line end is a line that is being written.
        const end = buffer.lastIndexOf('\n') + 1;
        offset += end;
        const lines = buffer.subarray(0, end).toString('utf8').split('\n');
        return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Write);
      } finally {
        await file.close();
      }
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/**
 * The version that a write has stored. Undefined where it changed nothing, or took away the last finalizer of what is being
 * deleted: then the answer is what another has written.
 * @param isKnown whether the writer of a version is known already.
 */
export function storedBy(write: Write, isKnown: (version: string) => boolean): string | undefined {
  const { verb, requestObject, responseObject } = write;
  const version = responseObject?.metadata?.resourceVersion;
  if (version === undefined || version === requestObject?.metadata?.resourceVersion) return undefined;
  // Unlike an update these need not say which version they are about.
  return (verb === 'patch' || verb === 'delete') && isKnown(version) ? undefined : version;
}
