/** Pairs that name each other, claims for a provisioner, and claims that wait. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startProvisioner } from '../../control-plane/provisioner.ts';
import { claimDraft, classDraft, namespace, volumeDraft } from '../driver/drafts.ts';
import { driverLanes } from '../driver/driver.ts';
import { inLanes } from '../driver/lanes.ts';
import { provisionerIdentity } from '../plane/plane.ts';
import { bindAll, courseOf, nameOf, type Stage } from './stage.ts';

/** N volumes with a claimRef, each followed by the claim that names it → all Bound. */
export async function prebound(stage: Stage): Promise<void> {
  const makeVolume = (name: string) =>
    stage.driver.cluster.create(
      'PersistentVolume',
      volumeDraft(name, { claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name } }),
    );
  await stage.measure('prebound', stage.objects, () =>
    bindAll(stage, (name) => claimDraft(name, { volumeName: name }), { before: makeVolume }),
  );
}

const provisionerName = 'bench.example.com';

/** N claims of a class whose provisioner is the library of the CSI drivers → all Bound. Its requests are counted too. */
export async function dynamic(stage: Stage): Promise<void> {
  const { route, driver, prefix, objects } = stage;
  const provisioner = await startProvisioner(route.place('provisioner', provisionerIdentity), {
    name: provisionerName,
    finalizer: false,
    extraArgs: ['--workers=16'],
  });
  try {
    await driver.cluster.create('StorageClass', classDraft(prefix, provisionerName));
    await stage.measure('dynamic', objects, () =>
      bindAll(stage, (name) => claimDraft(name, { storageClassName: prefix })),
    );
  } finally {
    await provisioner.stop();
  }
}

/** The built-in controller's resync period: volumes come evenly spread over one, as chance would have it. */
const spreadMs = 15_000;
const mostWaiting = 50;

/** A Pending claim → Bound after a volume appears that fits it and no other; there are many of them at a time. */
export async function waiting(stage: Stage): Promise<void> {
  const { driver, contender } = stage;
  const objects = Math.min(stage.objects, mostWaiting);
  const labelled = (name: string) => ({ 'bench/for': name });
  await inLanes(objects, driverLanes, (index) => {
    const name = nameOf(stage, index);
    return driver.cluster.create(
      'PersistentVolumeClaim',
      claimDraft(name, { selector: { matchLabels: labelled(name) } }),
    );
  });
  await contender.settled();
  await stage.measure('waiting', objects, async () => {
    const bound = Array.from({ length: objects }, (_, index) =>
      driver.observer.when('PersistentVolumeClaim', nameOf(stage, index), 'Bound'),
    );
    const began: number[] = [];
    const startedAt = performance.now();
    for (let index = 0; index < objects; index++) {
      await sleep(Math.max(0, startedAt + (index * spreadMs) / objects - performance.now()));
      const name = nameOf(stage, index);
      const { metadata, ...rest } = volumeDraft(name);
      began[index] = performance.now();
      await driver.cluster.create('PersistentVolume', { metadata: { ...metadata, labels: labelled(name) }, ...rest });
    }
    return courseOf(startedAt, began, await driver.observer.all(bound));
  });
}
