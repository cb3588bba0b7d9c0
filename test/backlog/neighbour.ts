/** Somebody else on the same API server: small reads and writes at a steady pace, while the backlog is drained. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ControlPlane, Identity } from '../control-plane/harness.ts';
import { eventually } from '../control-plane/objects.ts';
import { applyManifest, type Manifest } from '../control-plane/permissions.ts';
import type { Calls, NeighbourSettings } from './neighbour-process.ts';

/** An ordinary user, whose calls are in the priority level `global-default`. */
export const NEIGHBOUR: Identity = { name: 'neighbour', groups: ['neighbours'] };

export interface Neighbour {
  /** What became of its calls since the last time that this was asked. @throws Error when it has ended. */
  take(): Promise<Calls>;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('./neighbour-process.ts', import.meta.url));
const NAMESPACE = 'default';
const COLLECTION = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const OBJECTS = ['one', 'two', 'three', 'four'].map((name) => `neighbours-notes-${name}`);

/** Makes what the neighbour works on, gives it the right to do so, and starts it. */
export async function startNeighbour(plane: ControlPlane): Promise<Neighbour> {
  for (const manifest of [...rights(), ...notes()]) await applyManifest(plane.client(), manifest);
  const own = plane.client(NEIGHBOUR.name);
  const objects = OBJECTS.map((name) => `${COLLECTION}/${name}`);
  await eventually('the rights of the neighbour', async () => {
    const answers = await Promise.all(objects.map((path) => own.request('GET', path)));
    return answers.every(({ status }) => status === 200);
  });
  const settings: NeighbourSettings = {
    url: plane.url,
    caFile: plane.caFile,
    token: plane.token(NEIGHBOUR.name),
    objects,
  };
  const child = fork(PROGRAM, { env: { ...process.env, NEIGHBOUR: JSON.stringify(settings) }, execArgv: [] });
  // A message to a process that has ended; that is told by its exit.
  child.on('error', () => {});
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    take: () =>
      new Promise((resolve, reject) => {
        child.once('message', (calls) => resolve(calls as Calls));
        void ended.then(() => reject(new Error('the neighbour has ended')));
        child.send('take');
      }),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function notes(): Manifest[] {
  return OBJECTS.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE } }));
}

function rights(): Manifest[] {
  const metadata = { name: NEIGHBOUR.name, namespace: NAMESPACE };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const role = { rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch'] }] };
  const binding = {
    subjects: [{ kind: 'Group', apiGroup, name: 'neighbours' }],
    roleRef: { kind: 'Role', apiGroup, name: NEIGHBOUR.name },
  };
  const manifests = [
    { apiVersion, kind: 'Role', metadata, ...role },
    { apiVersion, kind: 'RoleBinding', metadata, ...binding },
  ];
  return manifests;
}
