/** Where field reports happen: an API server with its protection controllers, and this controller running on it. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import type { DiagnosisKinds, Finding, Subject } from '../../lib/diagnosis/finding.ts';
import { claim, volume } from '../e2e/objects.ts';

type More<F extends (name: string, more: never) => unknown> = Parameters<F>[1];

/** Kinds that a report makes objects of; what has a namespace is in `default` unless said otherwise. */
export type Plural = 'events' | 'persistentvolumeclaims' | 'persistentvolumes' | 'pods' | 'storageclasses';

export interface Key {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The few things that depend on the server, and what the reports are told in. */
export abstract class Place {
  /** Waits until the controllers have nothing left to do. */
  abstract settled(): Promise<void>;

  abstract create(plural: Plural, body: object, namespace?: string): Promise<void>;

  /** As a user asks for it: what has finalizers stays. */
  abstract delete(plural: Plural, name: string): Promise<void>;

  /** By force, finalizers or not. */
  abstract remove(plural: Plural, key: Key): Promise<void>;

  /** Changes what is stored of a volume, its status too. */
  abstract edit(name: string, change: (volume: PersistentVolume) => object): Promise<void>;

  /** Makes an object of which the controller knows nothing. */
  abstract serve(kind: 'CSIDriver' | 'VolumeAttachment', object: DiagnosisKinds[typeof kind]): Promise<void>;

  abstract getVolume(name: string): Promise<PersistentVolume | undefined>;

  /** Of namespace `default`. */
  abstract getClaim(name: string): Promise<PersistentVolumeClaim | undefined>;

  abstract explain(subject: Subject): Promise<Finding>;

  /** Runs the text of a cure. @throws Error when it fails. */
  abstract run(command: string): Promise<void>;

  /** Takes everything away. */
  abstract clear(): Promise<void>;

  abstract close(): Promise<void>;

  /** A class; without a provisioner one for volumes that exist. */
  async storageClass(name: string, provisioner = 'kubernetes.io/no-provisioner', more: object = {}): Promise<void> {
    const fields = { provisioner, volumeBindingMode: 'Immediate', ...more };
    await this.create('storageclasses', { metadata: { name }, ...fields });
  }

  async volume(name: string, more: More<typeof volume> = {}): Promise<void> {
    const { spec, ...rest } = volume(name, more);
    const { hostPath, ...source } = spec;
    await this.create('persistentvolumes', { ...rest, spec: more.local === undefined ? spec : source });
  }

  async claim(name: string, more: More<typeof claim> = {}): Promise<void> {
    await this.create('persistentvolumeclaims', claim(name, more));
  }

  /** A volume and a claim that are bound to each other. */
  async pair(volumeName: string, claimName: string, more: More<typeof volume> = {}): Promise<void> {
    await this.volume(volumeName, more);
    await this.settled();
    await this.claim(claimName);
    await this.settled();
  }

  /** A volume whose claim was there and is gone. */
  async released(volumeName: string, claimName: string, more: More<typeof volume> = {}): Promise<void> {
    await this.pair(volumeName, claimName, more);
    await this.delete('persistentvolumeclaims', claimName);
    await this.settled();
  }

  /** `Bound data <-> pv-1 Bound`, as both sides say it. */
  async both(claimName: string, volumeName: string): Promise<string> {
    const [{ spec, status } = {}, bound] = await Promise.all([this.getClaim(claimName), this.getVolume(volumeName)]);
    const back = bound?.spec.claimRef?.name ?? 'nobody';
    return `${status?.phase} ${back} <-> ${spec?.volumeName ?? 'nothing'} ${bound?.status?.phase}`;
  }

  /** `Available, reserved for data, Retain`; `gone`. */
  async state(volumeName: string): Promise<string> {
    const found = await this.getVolume(volumeName);
    if (found === undefined) return 'gone';
    const { claimRef, persistentVolumeReclaimPolicy } = found.spec;
    const whose = claimRef === undefined ? 'free' : `${claimRef.uid ? 'of' : 'reserved for'} ${claimRef.name}`;
    return `${found.status?.phase}, ${whose}, ${persistentVolumeReclaimPolicy}`;
  }
}
