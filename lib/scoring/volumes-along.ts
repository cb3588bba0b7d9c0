/** The pool of volumes that a scoring decides with: kept by the very events that are scored, so neither is ahead. */
import type { VolumePool } from '../controller/ports.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { VolumeIndex } from '../controller/volume-index.ts';
import type { ObservedEvent } from './observer.ts';

/** What is believed to be written must not enter it, and nobody fights for a volume. */
export class VolumesAlong implements VolumePool {
  readonly #index = new VolumeIndex();

  /** Passes the events on, each once it is known here. */
  async *follow(events: AsyncIterable<ObservedEvent>): AsyncGenerator<ObservedEvent> {
    for await (const event of events) {
      if (event.kind === 'PersistentVolume') this.#take(event.type, event.object as PersistentVolume);
      yield event;
    }
  }

  volumes(): VolumeIndex {
    return this.#index;
  }

  drop(): void {}

  hold(): () => void {
    return () => {};
  }

  store(): void {}

  #take(type: ObservedEvent['type'], volume: PersistentVolume): void {
    if (type === 'DELETED') this.#index.delete(volume.metadata.name);
    else this.#index.set(volume);
  }
}
