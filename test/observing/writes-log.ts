/** Who asked the API server for what, from its own audit log: all that ours ask, and what the others write. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Line {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

/** Requests by user and `verb resource`. */
export type Asked = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface WritesLog {
  /** Flags of the API server. */
  readonly args: readonly string[];
  asked(): Promise<Asked>;
  remove(): void;
}

export const WRITE_VERBS: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** @param watched users of whom reads are logged too. */
export function writesLog(watched: readonly string[]): WritesLog {
  const directory = mkdtempSync(join(tmpdir(), 'pv-observing-audit-'));
  const [policy, log] = [join(directory, 'policy.json'), join(directory, 'audit.log')];
  const omitStages = ['RequestReceived'];
  const rules = [
    { level: 'Metadata', users: watched, omitStages },
    { level: 'Metadata', verbs: WRITE_VERBS, omitStages },
    { level: 'None' },
  ];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  writeFileSync(log, '');
  return {
    args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-maxsize=0'],
    asked: async () => {
      const all = new Map<string, Map<string, number>>();
      for (const text of (await readFile(log, 'utf8')).split('\n')) {
        if (text === '') continue;
        const { verb, user, objectRef = {} } = JSON.parse(text) as Line;
        const { resource = 'no resource', subresource } = objectRef;
        const what = `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
        const ofUser = all.get(user.username) ?? new Map<string, number>();
        all.set(user.username, ofUser.set(what, (ofUser.get(what) ?? 0) + 1));
      }
      return all;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
