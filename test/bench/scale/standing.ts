/**
 * Tens of thousands of pairs that were bound long ago. One pair is made through the API server; the others are copies of
 * its bytes in the store with names and uids of the same length, so they are stored as the API server stores them, and
 * 50,000 pairs take seconds instead of the minutes of 200,000 writes.
 */
import { randomUUID } from 'node:crypto';
import type { ControlPlane } from '../../control-plane/harness.ts';
import { floor } from '../contenders/floor.ts';
import { claimDraft, namespace, volumeDraft } from '../driver/drafts.ts';
import type { Driver } from '../driver/driver.ts';
import type { Route } from '../plane/plane.ts';
import { readValue, writeValues } from './etcd.ts';

/** Volume and claim have the same name; all names have one length. */
export function standingName(index: number): string {
  return `standing-${String(index).padStart(6, '0')}`;
}

interface Template {
  readonly volume: Buffer;
  readonly claim: Buffer;
  /** Of the volume and of the claim. */
  readonly uids: readonly [string, string];
}

export class Standing {
  readonly #plane: ControlPlane;
  readonly #template: Template;
  #count = 1;

  private constructor(plane: ControlPlane, template: Template) {
    this.#plane = plane;
    this.#template = template;
  }

  /** Makes the first pair. */
  static async start(plane: ControlPlane, route: Route, driver: Driver): Promise<Standing> {
    const name = standingName(0);
    const bound = driver.observer.when('PersistentVolumeClaim', name, 'Bound');
    const volume = await driver.cluster.create('PersistentVolume', volumeDraft(name));
    const claim = await driver.cluster.create('PersistentVolumeClaim', claimDraft(name));
    const hand = await floor(1).start(plane, route);
    hand.offer?.(volume, claim);
    await driver.observer.all([bound]);
    await hand.settled();
    await hand.stop();
    return new Standing(plane, {
      volume: await readValue(plane.etcdUrl, volumeKey(name)),
      claim: await readValue(plane.etcdUrl, claimKey(name)),
      uids: [volume.metadata.uid ?? '', claim.metadata.uid ?? ''],
    });
  }

  /** Adds copies until there are so many pairs. */
  async grow(count: number): Promise<void> {
    await writeValues(this.#plane.etcdUrl, this.#copies(this.#count, count));
    this.#count = count;
  }

  *#copies(from: number, to: number): Generator<readonly [string, Buffer]> {
    const { volume, claim, uids } = this.#template;
    for (let index = from; index < to; index++) {
      const name = standingName(index);
      const changes = [
        [standingName(0), name],
        [uids[0], randomUUID()],
        [uids[1], randomUUID()],
      ] as const;
      yield [volumeKey(name), replaced(volume, changes)];
      yield [claimKey(name), replaced(claim, changes)];
    }
  }
}

/** A copy of the bytes with each text replaced by one of the same length: lengths that are written in them stay true. */
export function replaced(bytes: Buffer, changes: readonly (readonly [string, string])[]): Buffer {
  // Each byte is one character of latin1, so nothing else is changed.
  let text = bytes.toString('latin1');
  for (const [from, to] of changes) {
    if (from.length !== to.length || from === '') throw new Error(`${from} and ${to} are not of one length`);
    text = text.replaceAll(from, to);
  }
  return Buffer.from(text, 'latin1');
}

function volumeKey(name: string): string {
  return `/registry/persistentvolumes/${name}`;
}

function claimKey(name: string): string {
  return `/registry/persistentvolumeclaims/${namespace}/${name}`;
}
