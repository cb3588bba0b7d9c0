/** A watch's stream without a server: bytes in chunks, cut wherever the test says. */
import type { Transport } from '../../lib/cluster/transport.ts';
import { type WatchEvent, watch } from '../../lib/cluster/watch.ts';

/** The bytes in pieces that end at these places, in any order. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places, bytes.length].sort((one, other) => one - other);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

export async function* each(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

/** What a watch of volumes gives for an answer, and the error that it ends with, if it does. */
export async function watched(
  chunks: readonly Buffer[],
  status = 200,
): Promise<{ events: WatchEvent<'PersistentVolume'>[]; error?: unknown; closed: boolean }> {
  let closed = false;
  const response = {
    status,
    headers: {},
    chunks: each(chunks),
    redact: (text: string) => text,
    close: () => {
      closed = true;
    },
  };
  const transport = { stream: async () => response } as unknown as Transport;
  const { signal } = new AbortController();
  const events: WatchEvent<'PersistentVolume'>[] = [];
  try {
    for await (const event of watch(transport, 'PersistentVolume', { resourceVersion: '1', signal }))
      events.push(event);
    return { events, closed };
  } catch (error) {
    return { events, error, closed };
  }
}
