/** docs/cli.md: the help pages, exit codes, causes and rights of `pv-controller`. */
import { COMMANDS } from '../../cli/commands.ts';
import { commandHelp, EXIT_CODES, programHelp } from '../../cli/help.ts';
import { CAUSES } from '../../lib/diagnosis/cause.ts';
import { code, generatedFrom, table } from './markdown.ts';

/** The page's text. */
export function cliPage(): string {
  return `${generatedFrom('cli/', 'lib/diagnosis/cause.ts')}

# The command line

\`pv-controller\` says what the PersistentVolumes and claims of a cluster are waiting for: [\`explain\`](#explain) of one,
[\`doctor\`](#doctor) of all. It runs the very rules by which the controller decides, over a recording of the cluster, and
writes nothing. The controller itself need not be deployed.

In a clone of this repository, after \`npm ci\`:

\`\`\`sh
npx pv-controller doctor
\`\`\`

It needs Node 24, which \`npm ci\` brings along and \`npx\` finds. The cluster is found as kubectl finds it: \`--kubeconfig\`,
\`KUBECONFIG\`, \`~/.kube/config\`, or the service account of the pod that it runs in.

\`\`\`text
${programHelp(COMMANDS)}\`\`\`

${COMMANDS.map(commandSection).join('\n')}
## Exit codes

${table(['Code', 'Of every command'], Object.entries(EXIT_CODES))}

${table(['Command', 'Code', 'Meaning'], ownExitCodes())}

So a pipeline can wait for a healthy cluster, or stop at one that is not: \`doctor --fail-on broken\`.

## Causes

Every finding has one of these causes. _Waiting_ goes on by itself, _stuck_ needs somebody, _broken_ means that objects
contradict each other.

${table(
  ['Cause', 'Severity', 'Who acts', 'Meaning'],
  Object.entries(CAUSES).map(([name, { severity, actor, meaning }]) => [code(name), severity, actor, meaning]),
)}

## What it reads

It lists and gets, and never watches or writes. Without volumes and claims it says nothing; without one of the others it
says what it could not read, and \`doctor\` promises no health then (exit code 4).

\`\`\`yaml
${CLUSTER_ROLE}\`\`\`

No secret is read. What users wrote (names, annotations, messages of events) is shown without control characters; the page
of \`--html\` escapes all of it, has no script, and its content security policy would load none.
`;
}

const EXTRAS: Readonly<Record<string, string>> = {
  doctor: `\`--html FILE\` writes one page that needs nothing else and can be mailed or kept as an artefact of a build:

![The page of doctor: figures, a timeline for each cause, and the stuck objects with the commands that help](images/doctor-light.png)

It is [dark](images/doctor-dark.png) where the reader's system is, and fits a telephone, [light](images/doctor-light-narrow.png)
or [dark](images/doctor-dark-narrow.png).

\`-o json\` and \`-o yaml\` have every object. Their fields are described by
[doctor-report.schema.json](doctor-report.schema.json), version 1: fields may be added; what is renamed, removed or given
another meaning makes version 2, and another value of the field \`schema\`.

It takes seconds for 50,000 volumes and 50,000 claims, besides the time that the server needs to list them.
`,
};

function commandSection(command: (typeof COMMANDS)[number]): string {
  const extra = EXTRAS[command.name];
  return `## ${command.name}

\`\`\`text
${commandHelp(command)}\`\`\`
${extra === undefined ? '' : `\n${extra}`}`;
}

function ownExitCodes(): string[][] {
  return COMMANDS.flatMap(({ name, exitCodes }) =>
    Object.entries(exitCodes).map(([number, meaning]) => [code(name), number, meaning]),
  );
}

const CLUSTER_ROLE = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: pv-controller-diagnosis
rules:
  - apiGroups: [""]
    resources: [persistentvolumes, persistentvolumeclaims, pods, nodes, events]
    verbs: [get, list]
  - apiGroups: [storage.k8s.io]
    resources: [storageclasses, volumeattachments, csidrivers]
    verbs: [get, list]
`;
