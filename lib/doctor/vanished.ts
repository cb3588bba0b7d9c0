/** Volumes that depend on something that is not in the cluster any more: a driver, a node. */
import { annotationOf, MIGRATED_TO } from '../controller/annotations.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { affinityText, isReachableFrom } from './node-affinity.ts';
import type { Report } from './report-schema.ts';
import type { Snapshot } from './snapshot.ts';

type Vanished = Report['vanished'];

/** Only what was read counts: without the list of nodes, no node is missing. */
export function vanishedFrom(snapshot: Snapshot): Vanished {
  return {
    drivers: snapshot.has('CSIDriver') ? missingDrivers(snapshot) : [],
    nodes: snapshot.has('Node') ? unreachable(snapshot) : [],
    attachments: snapshot.has('Node') && snapshot.has('VolumeAttachment') ? strayAttachments(snapshot) : [],
  };
}

/** Drivers without a CSIDriver object, which every driver's installation brings and takes away. */
function missingDrivers({ objects }: Snapshot): Vanished['drivers'] {
  const installed = new Set(objects.CSIDriver.map(({ metadata }) => metadata.name));
  const orphans = Map.groupBy(objects.PersistentVolume, (volume) => {
    const driver = driverOf(volume);
    return driver === undefined || installed.has(driver) ? undefined : driver;
  });
  return [...orphans].flatMap(([driver, volumes]) =>
    driver === undefined ? [] : [{ driver, volumes: volumes.map(({ metadata }) => metadata.name) }],
  );
}

function driverOf(volume: PersistentVolume): string | undefined {
  return volume.spec.csi?.driver ?? annotationOf(volume, MIGRATED_TO);
}

function unreachable({ objects }: Snapshot): Vanished['nodes'] {
  // Thousands of volumes ask for the same few zones or nodes.
  const verdicts = new Map<string, boolean>();
  const isReachable = (volume: PersistentVolume) => {
    const key = JSON.stringify(volume.spec.nodeAffinity?.required ?? null);
    const verdict = verdicts.get(key) ?? objects.Node.some((node) => isReachableFrom(node, volume));
    verdicts.set(key, verdict);
    return verdict;
  };
  return objects.PersistentVolume.filter(({ spec }) => spec.nodeAffinity?.required !== undefined)
    .filter((volume) => !isReachable(volume))
    .map((volume) => ({ volume: volume.metadata.name, wants: affinityText(volume) }));
}

function strayAttachments({ objects }: Snapshot): Vanished['attachments'] {
  const nodes = new Set(objects.Node.map(({ metadata }) => metadata.name));
  return objects.VolumeAttachment.filter(({ spec }) => !nodes.has(spec.nodeName)).map(({ metadata, spec }) => ({
    attachment: metadata.name,
    node: spec.nodeName,
    volume: spec.source.persistentVolumeName ?? '',
  }));
}
