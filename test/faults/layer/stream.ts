/** The frames of a watch on their way: passed on late, twice, in another order, or no more at all. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamFault } from './fault.ts';

/** How long a frame is kept so that the next one overtakes it. */
const OVERTAKING_MS = 150;

const gone = JSON.stringify({
  type: 'ERROR',
  object: { kind: 'Status', status: 'Failure', message: 'too old resource version', reason: 'Expired', code: 410 },
});

/**
 * Passes a watch on until it ends or its reader goes away.
 * @param frames how many frames come through before anything happens to them.
 * @param onHit called when something happens to a frame.
 */
export async function passOn(
  answer: IncomingMessage,
  response: ServerResponse,
  { fault, frames, onHit }: { fault: StreamFault; frames: number; onHit: () => void },
): Promise<void> {
  const write = (frame: string) => void response.write(`${frame}\n`);
  const reorder = new Reorder(write);
  let seen = 0;
  for await (const frame of createInterface({ input: answer })) {
    if (response.destroyed) return;
    seen += 1;
    if (seen <= frames) {
      write(frame);
      continue;
    }
    onHit();
    if (fault === 'stall') return;
    if (fault === 'cut' || fault === 'cut-in-frame') {
      if (fault === 'cut-in-frame') response.write(frame.slice(0, frame.length / 2));
      // What was written must be on its way before the connection breaks.
      await sleep(5);
      return void response.destroy();
    }
    if (fault === 'gone') return void response.end(`${gone}\n`);
    if (fault === 'late') await sleep(40 * ((seen % 5) + 1));
    if (fault === 'shuffled') reorder.take(frame);
    else write(frame);
    if (fault === 'twice') write(frame);
  }
  // A server that ends a watch has sent all that came before.
  reorder.flush();
  response.end();
}

/** Lets each second frame overtake the one before it. */
class Reorder {
  readonly #write: (frame: string) => void;
  #kept: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (frame: string) => void) {
    this.#write = write;
  }

  take(frame: string): void {
    if (this.#kept === undefined) {
      this.#kept = frame;
      this.#timer = setTimeout(() => this.flush(), OVERTAKING_MS);
    } else {
      this.#write(frame);
      this.flush();
    }
  }

  flush(): void {
    clearTimeout(this.#timer);
    if (this.#kept !== undefined) this.#write(this.#kept);
    this.#kept = undefined;
  }
}
