/** What a bad controller does, under the names and with the rights of ours: the observer must see all of it. */
import type { Claim, Volume } from './observer/state.ts';
import { Scene } from './scenarios/scene.ts';
import type { Stage } from './stage.ts';

/** @returns the run that it was done in. */
export async function misbehave(stage: Stage): Promise<string> {
  const run = await stage.newRun();
  const { plane } = stage;
  const scene = new Scene(plane.client(), stage.observer, run, 'planted');
  const ask = async (who: 'volume-worker' | 'claim-worker', method: string, path: string, body?: object) => {
    const answer = await plane.client(who).request(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const pathOf = ({ metadata }: Volume | Claim) =>
    metadata.namespace === undefined
      ? `/api/v1/persistentvolumes/${metadata.name}`
      : `/api/v1/namespaces/${metadata.namespace}/persistentvolumeclaims/${metadata.name}`;
  const putVolume = async (name: string, change: (volume: Volume) => object, part = '') => {
    const { body } = await plane.client().request<Volume>('GET', `/api/v1/persistentvolumes/${scene.prefix}${name}`);
    await ask('volume-worker', 'PUT', pathOf(body) + part, change(body));
  };
  const putClaim = async (claim: Claim, change: (claim: Claim) => object, part = '') => {
    const { body } = await plane.client().request<Claim>('GET', pathOf(claim));
    // Without a version: whatever was written meanwhile would be lost.
    const { resourceVersion: _, ...metadata } = body.metadata;
    await ask('claim-worker', 'PUT', pathOf(claim) + part, { ...change(body), metadata });
  };
  const bind = async (claim: Claim) => {
    await putClaim(claim, ({ spec, ...rest }) => ({ ...rest, spec: { ...spec, volumeName: `${scene.prefix}bound` } }));
    await putClaim(claim, (each) => ({ ...each, status: { phase: 'Bound' } }), '/status');
  };

  await scene.createVolume('bound', { labels: { team: 'a' } });
  const [one, two] = [await scene.createClaim('one'), await scene.createClaim('two')];
  const { namespace, name, uid } = one.metadata;
  const csi = { driver: 'away.example.com', volumeHandle: 'disk' };
  await scene.createVolume('disk', { spec: { hostPath: undefined, csi, persistentVolumeReclaimPolicy: 'Delete' } });
  // The protection controllers write once; after that nobody else does.
  await scene.until('finalizers', () => {
    const all = [scene.volume('bound'), scene.volume('disk'), scene.claim('one'), scene.claim('two')];
    return all.every((each) => (each?.metadata.finalizers ?? []).length > 0);
  });

  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
  await putVolume('bound', (volume) => ({ ...volume, spec: { ...volume.spec, claimRef } }));
  await bind(one);
  await bind(two);
  await putVolume('bound', (volume) => ({ ...volume, metadata: { ...volume.metadata, labels: {} } }));
  await putVolume('bound', (volume) => ({ ...volume, status: { phase: 'Released' } }), '/status');
  await ask('volume-worker', 'DELETE', `/api/v1/persistentvolumes/${scene.prefix}bound`);
  await putVolume('disk', (volume) => ({ ...volume, status: { phase: 'Failed' } }), '/status');
  await scene.until('the end of both', () => {
    return scene.volume('bound') === undefined && scene.volume('disk')?.status?.phase === 'Failed';
  });
  return run;
}
