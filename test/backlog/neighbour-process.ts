/** The neighbour's own process: its latencies are not to hold what our event loop is late. Asked by a message, it answers what it saw. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { apiClient } from '../control-plane/api-client.ts';

/** What the parent sets in the variable `NEIGHBOUR`, as JSON. */
export interface NeighbourSettings {
  readonly url: string;
  readonly caFile: string;
  readonly token: string;
  /** Paths of the objects that it works on, one for each lane. */
  readonly objects: readonly string[];
}

/** What became of its calls, since it was asked last. */
export interface Calls {
  /** Milliseconds of each. */
  readonly latencies: number[];
  /** How many by status, 2xx aside; 0 is a connection that broke. */
  readonly refused: Record<number, number>;
}

const PAUSE_MS = 50;

const { url, caFile, token, objects } = JSON.parse(process.env['NEIGHBOUR'] ?? '') as NeighbourSettings;
const client = apiClient(url, readFileSync(caFile, 'utf8'), token);
let calls = noCalls();

process.on('message', () => {
  process.send?.(calls);
  calls = noCalls();
});
process.once('disconnect', () => process.exit());
await Promise.all(objects.map(live));

/** Reads and writes in turn. */
async function live(path: string): Promise<never> {
  for (;;) {
    await call('GET', path);
    await call('PATCH', path, { data: { at: String(performance.now()) } });
    await setTimeout(PAUSE_MS);
  }
}

async function call(method: string, path: string, body?: object): Promise<void> {
  const began = performance.now();
  const { status } = await client.request(method, path, body).catch(() => ({ status: 0 }));
  calls.latencies.push(performance.now() - began);
  if (status < 200 || status > 299) calls.refused[status] = (calls.refused[status] ?? 0) + 1;
}

function noCalls(): Calls {
  return { latencies: [], refused: {} };
}
