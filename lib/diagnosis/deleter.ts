/** A volume whose storage somebody outside deletes: whether they are there, and what holds them up. */
import { annotationOf, isInTreeName, MIGRATED_TO, PROVISIONED_BY } from '../controller/annotations.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { softRelease } from './cures.ts';
import type { VolumeAttachment } from './finding.ts';
import { eventsCommand } from './kubectl.ts';
import { agoText, eventsAbout, isDriverAbsent, SILENT_AFTER_MS, timeOf } from './provisioning.ts';
import { ageOf, ageText, ifReadable, type Scene, type Verdict } from './scene.ts';

/** The CSI driver or external provisioner that deletes the storage; undefined for a plugin of the controller's own. */
export function deleterOf(volume: PersistentVolume): string | undefined {
  const migrated = annotationOf(volume, MIGRATED_TO);
  if (migrated) return migrated;
  const provisioner = annotationOf(volume, PROVISIONED_BY);
  if (provisioner) return isInTreeName(provisioner) ? undefined : provisioner;
  return volume.spec.csi?.driver;
}

/** Released with policy Delete, or being deleted after that. */
export async function diagnoseDeleter(scene: Scene, volume: PersistentVolume): Promise<Verdict> {
  const deleter = deleterOf(volume) ?? 'unknown';
  const keep = softRelease(volume, 'Keep the data instead, for the next claim of that name');
  const cures = volume.metadata.deletionTimestamp === undefined ? [keep] : [];
  const waits = `The claim is gone; ${deleter} deletes the storage (policy Delete).`;
  const attached = await attachmentsOf(scene, volume);
  if (attached.length > 0)
    return { cause: 'still-attached', why: [...(await attachmentTexts(scene, attached)), waits], cures };
  if (await isDriverAbsent(scene, deleter)) {
    const why = [
      `Nothing called ${deleter} is installed: no CSIDriver, and no other volume that it provisioned.`,
      waits,
    ];
    return { cause: 'driver-missing', why: [...why, `Install ${deleter} again, and it deletes the storage.`], cures };
  }
  const failed = (await eventsAbout(scene, volume)).findLast(({ reason }) => reason === 'VolumeFailedDelete');
  const look = { does: 'See what the deleter says', command: eventsCommand(volume) };
  if (failed !== undefined) {
    const said = `${deleter} said ${agoText(timeOf(failed), scene)}: ${failed.message ?? ''}`;
    return { cause: 'delete-failed', actor: 'provisioner', why: [said, waits], cures: [look, ...cures] };
  }
  const age = ageOf(volume.status?.lastPhaseTransitionTime, scene) ?? 0;
  if (age < SILENT_AFTER_MS) return { cause: 'waits-for-deleter', why: [waits], cures };
  const why = [`${deleter} has said nothing about the volume in the ${ageText(age)} since it was released.`, waits];
  return { cause: 'deleter-silent', why, cures: [look, ...cures] };
}

/** What attaches the volume to nodes; none where that cannot be read. */
export async function attachmentsOf({ reader }: Scene, volume: PersistentVolume): Promise<VolumeAttachment[]> {
  const all = (await ifReadable(reader.list('VolumeAttachment'))) ?? [];
  const grouped = byVolume.get(all) ?? Map.groupBy(all, ({ spec }) => spec.source.persistentVolumeName);
  byVolume.set(all, grouped);
  return grouped.get(volume.metadata.name) ?? [];
}

/** A snapshot answers with the same list each time: it is sorted once for all diagnoses. */
const byVolume = new WeakMap<VolumeAttachment[], Map<string | undefined, VolumeAttachment[]>>();

export async function attachmentTexts(scene: Scene, attachments: readonly VolumeAttachment[]): Promise<string[]> {
  const nodes = await ifReadable(scene.reader.list('Node'));
  return attachments.map(({ metadata, spec, status }) => {
    const { nodeName, attacher } = spec;
    const isGone = nodes?.every(({ metadata }) => metadata.name !== nodeName);
    const node = isGone ? `node ${nodeName}, which does not exist any more` : `node ${nodeName}`;
    const error = status?.detachError?.message;
    return `Attached to ${node} (VolumeAttachment ${metadata.name}, ${attacher})${error ? `: ${error}` : '.'}`;
  });
}
