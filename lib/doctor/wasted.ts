/** Storage that is paid for and that no claim has. */
import { storageClassOf } from '../controller/annotations.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { bytesOf } from './bytes.ts';
import type { Report } from './report-schema.ts';

type Waste = Report['wasted']['total'];

const PHASES = { Available: 'available', Released: 'released', Failed: 'failed' } as const;

/** By class, the most bytes first, and in all. Volumes that are being deleted count: their storage is still there. */
export function wastedBy(volumes: readonly PersistentVolume[]): Report['wasted'] {
  const idle = volumes.filter((volume) => wastedAs(volume) !== undefined);
  const classes = [...Map.groupBy(idle, storageClassOf)].map(([storageClass, members]) => ({
    storageClass,
    waste: wasteOf(members),
  }));
  classes.sort((a, b) => descending(bytesIn(a.waste), bytesIn(b.waste)) || (a.storageClass < b.storageClass ? -1 : 1));
  return { total: wasteOf(idle), classes };
}

/** All bytes of it. */
export function bytesIn({ available, released, failed }: Waste): bigint {
  return BigInt(available.bytes) + BigInt(released.bytes) + BigInt(failed.bytes);
}

function wastedAs({ status }: PersistentVolume): keyof Waste | undefined {
  const phase = status?.phase ?? '';
  return Object.hasOwn(PHASES, phase) ? PHASES[phase as keyof typeof PHASES] : undefined;
}

function wasteOf(volumes: readonly PersistentVolume[]): Waste {
  const part = (name: keyof Waste) => {
    const members = volumes.filter((volume) => wastedAs(volume) === name);
    return { volumes: members.length, bytes: String(members.reduce((sum, volume) => sum + bytesOf(volume), 0n)) };
  };
  return { available: part('available'), released: part('released'), failed: part('failed') };
}

function descending(a: bigint, b: bigint): number {
  return a > b ? -1 : a < b ? 1 : 0;
}
