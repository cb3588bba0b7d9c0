/** The wake rule on a stage of its own: claims and volumes come as from a watch, and what is woken is written down. */
import * as needsSync from '../../controller/needs-sync.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../controller/types.ts';
import { systemClock } from '../clock.ts';
import { Evaluator } from '../evaluator.ts';
import { Ledger } from '../ledger.ts';
import { Publisher } from '../publisher.ts';
import { Registry } from '../registry.ts';
import { Wake } from '../wake.ts';
import { FakeQueue } from './fake-queue.ts';
import { claim, rules, volume } from './objects.ts';

/** Three claims are woken per volume, each once per second at most. To be made under fake timers. */
export class Waking {
  readonly registry = new Registry();
  readonly queue = new FakeQueue();
  readonly wake: Wake;
  /** Whom the hook told of. */
  readonly told: unknown[][] = [];
  /** The same as `time claim<volume`, the time in milliseconds since the start. */
  readonly log: string[] = [];
  #version = 0;

  constructor() {
    const start = Date.now();
    const woken = (...[key, volumeName, uid]: [{ name: string }, string, string | undefined]) => {
      this.told.push([key, volumeName, uid]);
      this.log.push(`${Date.now() - start} ${key.name}<${volumeName}`);
    };
    const { registry } = this;
    const common = { predicates: needsSync, rules, clock: systemClock, hooks: { woken } };
    const publisherSettings = { maxSending: 100, retryBaseMs: 100, retryMaxMs: 100 };
    const publisher = new Publisher({ sender: this.queue, settings: publisherSettings, ...common });
    const evaluator = new Evaluator({ registry, publisher, ledger: new Ledger(), ...common });
    this.wake = new Wake({ registry, evaluator, settings: { wakeCount: 3, wakeWindowMs: 1_000 }, ...common });
  }

  /** The older the claim, the earlier its name. @returns what the wake rule does for it. */
  putClaim(name: string, spec: Partial<PersistentVolumeClaim['spec']> = {}, isBound = false): Promise<void>[] {
    const object = claim(name, spec, isBound ? 'Bound' : 'Pending');
    Object.assign(object.metadata, { uid: name, creationTimestamp: `2026-${name}`, resourceVersion: this.#next() });
    if (isBound) object.metadata.annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    const change = this.registry.set('PersistentVolumeClaim', object);
    return change === undefined ? [] : this.wake.claimChanged(change);
  }

  removeClaim(name: string): Promise<void>[] {
    const object = claim(name);
    object.metadata.resourceVersion = this.#next();
    const change = this.registry.delete('PersistentVolumeClaim', object);
    return change === undefined ? [] : this.wake.claimChanged(change);
  }

  putVolume(
    name: string,
    spec: Partial<PersistentVolume['spec']> = {},
    phase = 'Available',
    metadata: Partial<PersistentVolume['metadata']> = {},
  ): Promise<void>[] {
    const object = volume(name, spec, phase);
    Object.assign(object.metadata, { uid: name, resourceVersion: this.#next(), ...metadata });
    const change = this.registry.set('PersistentVolume', object);
    return change === undefined ? [] : this.wake.volumeChanged(change);
  }

  #next(): string {
    this.#version++;
    return String(this.#version);
  }
}
