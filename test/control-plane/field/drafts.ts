/** New volumes and claims: the usual ones, and what a scenario says of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll } from 'vitest';
import { claim, volume } from '../objects.ts';

/** Metadata of a new object, and fields of its `spec` on top of the usual ones; an undefined field is left out. */
export interface Draft {
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** hostPath volumes can be deleted below /tmp only, so this is there whatever TMPDIR says. */
const directory = mkdtempSync('/tmp/pv-field-');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A volume on a directory of its own: 1Gi, class empty, Retain, ReadWriteOnce. */
export function volumeDraft(name: string, { spec, ...metadata }: Draft): object {
  return { ...volume(name, { hostPath: { path: `${directory}/${name}` }, ...spec }), metadata: { name, ...metadata } };
}

/** A claim: 1Gi, class empty, ReadWriteOnce. */
export function claimDraft(name: string, { spec, ...metadata }: Draft): object {
  return { ...claim(name, spec), metadata: { name, ...metadata } };
}
