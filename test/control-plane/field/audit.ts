/** What the API server was asked, in its own words. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** As much of a request as the scenarios look at. */
export interface AuditEntry {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
  readonly objectRef?: { readonly name?: string };
  readonly requestObject?: { readonly preconditions?: unknown };
}

export interface AuditFiles {
  /** For the API server. */
  readonly args: readonly string[];
  /** All requests so far. */
  entries(): Promise<AuditEntry[]>;
}

/** An audit log of what concerns volumes and claims, with the bodies of what was asked. */
export function auditFiles(): AuditFiles {
  const directory = mkdtempSync('/tmp/pv-field-audit-');
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const [policy, log] = [join(directory, 'policy.json'), join(directory, 'audit.log')];
  const kinds = ['persistentvolumes', 'persistentvolumeclaims'];
  const resources = [{ group: '', resources: kinds.flatMap((kind) => [kind, `${kind}/status`]) }];
  const rules = [{ level: 'Request', resources, omitStages: ['RequestReceived'] }, { level: 'None' }];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  return {
    args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
    entries: async () => {
      const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as AuditEntry);
    },
  };
}
