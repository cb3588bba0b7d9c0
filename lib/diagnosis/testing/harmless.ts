/** What a command does that somebody may regret, told from its text alone: a check on the cures that carry no warning. */
import type { Finding } from '../finding.ts';

const REGRETTABLE: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'deletes an object, whatever became of it',
    /kubectl delete (?!--raw \S+ -f - <<'EOF' &&\n.*"preconditions":\{"uid":"[^"]+","resourceVersion":"[^"]+"\})/,
  ],
  ['forces something', /--force|--grace-period/],
  ['has data deleted', /"\/spec\/persistentVolumeReclaimPolicy","value":"(?!Retain")/],
  ['hands a volume to a deleter', /"\/status\/phase"/],
  ['offers a volume to anybody', /"op":"remove","path":"\/spec\/claimRef"/],
  [
    'takes a finalizer off that is not the controller’s own',
    /"\/metadata\/finalizers\/\d+","value":"(?!kubernetes\.io\/pv-controller")/,
  ],
  [
    'patches whatever has that name now',
    /kubectl patch (?!.* -p '\[\{"op":"test","path":"\/metadata\/uid","value":"[^"]+"\},)/,
  ],
];

/** @returns what may be regretted; empty for a harmless command. */
export function regretsOf(command: string): string[] {
  return REGRETTABLE.filter(([, pattern]) => pattern.test(command)).map(([what]) => what);
}

/** @throws Error when a cure does what may be regretted and says nothing of it. */
export function assertWarned({ cause, cures }: Finding): void {
  for (const { does, command, danger } of cures) {
    const regrets = danger === undefined ? regretsOf(command) : [];
    if (regrets.length > 0) throw new Error(`${cause}: "${does}" ${regrets.join(', ')}: ${command}`);
  }
}
