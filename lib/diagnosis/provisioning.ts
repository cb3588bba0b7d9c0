/** A claim whose provisioner was asked for a volume: whether it is there, and what it last said. */
import { annotationOf, PROVISIONED_BY, STORAGE_PROVISIONER } from '../controller/annotations.ts';
import { isObjectName } from '../controller/names.ts';
import { provisionerNameOf } from '../controller/provision.ts';
import type { ClusterEvent, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../controller/types.ts';
import type { VolumeIndex } from '../controller/volume-index.ts';
import { eventsCommand } from './kubectl.ts';
import { ageOf, ageText, ifReadable, type Scene, type Verdict } from './scene.ts';

/** A provisioner that has not answered for so long is told as silent: they retry within minutes. */
export const SILENT_AFTER_MS = 5 * 60_000;

/** Component of the events of this controller, and of the built-in one. */
const CONTROLLER = 'persistentvolume-controller';

export async function diagnoseProvisioning(
  scene: Scene,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): Promise<Verdict> {
  const named = storageClass && provisionerNameOf(storageClass, scene.rules);
  const provisioner = annotationOf(claim, STORAGE_PROVISIONER) ?? named ?? '';
  const asked = `Class ${storageClass?.metadata.name}: provisioner ${provisioner} was asked for a volume.`;
  const spoken = (await eventsAbout(scene, claim)).filter((event) => componentOf(event) !== CONTROLLER);
  const last = spoken.at(-1);
  const cures = [{ does: 'See what the provisioner says', command: eventsCommand(claim) }];
  const failed = spoken.findLast(({ reason }) => reason === 'ProvisioningFailed');
  if (failed !== undefined && failed === spoken.findLast(({ reason }) => reason !== 'Provisioning')) {
    const said = `${provisioner} said ${agoText(timeOf(failed), scene)}: ${failed.message ?? ''}`;
    return { cause: 'provisioning-failed', why: [said, asked], cures };
  }
  if (last === undefined && (await isDriverAbsent(scene, provisioner))) {
    const why = [
      `There is no CSIDriver ${provisioner}, no volume of its making, and no event of it about this claim.`,
      asked,
      `Install the driver ${provisioner}, or ask for a class that another one serves.`,
    ];
    return { cause: 'driver-missing', why, since: claim.metadata.creationTimestamp };
  }
  const since = (last && timeOf(last)) ?? claim.metadata.creationTimestamp;
  const silence = ageOf(since, scene) ?? 0;
  if (silence < SILENT_AFTER_MS) return { cause: 'waits-for-provisioner', why: [asked] };
  const heard =
    last === undefined
      ? `It has said nothing about this claim in ${ageText(silence)}.`
      : `It last spoke of this claim ${ageText(silence)} ago (${last.reason}).`;
  const why = [heard, asked];
  return { cause: 'provisioner-silent', why, cures, since };
}

/**
 * Whether a driver seems not to be there: no CSIDriver, and nothing that it made. A name that no CSIDriver can have
 * (`rancher.io/local-path`) is that of another kind of provisioner, of which nothing tells.
 */
export async function isDriverAbsent(scene: Scene, driver: string): Promise<boolean> {
  if (!isObjectName(driver)) return false;
  const drivers = await ifReadable(scene.reader.list('CSIDriver'));
  if (drivers === undefined || drivers.some(({ metadata }) => metadata.name === driver)) return false;
  return !provisionersIn(scene.volumes).has(driver);
}

/** Events about an object, oldest first; none where they cannot be read. */
export async function eventsAbout(
  { reader }: Scene,
  object: PersistentVolume | PersistentVolumeClaim,
): Promise<ClusterEvent[]> {
  const { namespace = 'default', uid } = object.metadata;
  const fieldSelector = `involvedObject.uid=${uid}`;
  const events = (await ifReadable(reader.list('Event', { namespace, fieldSelector }))) ?? [];
  // A snapshot may not know field selectors.
  const about = events.filter(({ involvedObject }) => involvedObject.uid === uid);
  return about.sort((a, b) => (timeOf(a) ?? '').localeCompare(timeOf(b) ?? ''));
}

export function timeOf(event: ClusterEvent): string | undefined {
  return event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? event.metadata.creationTimestamp;
}

/** `12m ago`, or `at an unknown time`. */
export function agoText(time: string | undefined, scene: Scene): string {
  const age = ageOf(time, scene);
  return age === undefined ? 'at an unknown time' : `${ageText(age)} ago`;
}

function componentOf({ source, reportingComponent }: ClusterEvent): string {
  return source?.component || reportingComponent || '';
}

const provisioners = new WeakMap<VolumeIndex, Set<string>>();

/** Who has made volumes: looked through once for all diagnoses of a snapshot. */
function provisionersIn(volumes: VolumeIndex): Set<string> {
  const known = provisioners.get(volumes);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const volume of volumes.values()) {
    const provisioner = annotationOf(volume, PROVISIONED_BY);
    if (provisioner !== undefined) found.add(provisioner);
  }
  provisioners.set(volumes, found);
  return found;
}
