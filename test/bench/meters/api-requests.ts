/** Requests that the API server has counted, from its own metrics. */
import type { ApiClient } from '../../control-plane/harness.ts';

/** Verb, resource and, after a slash, subresource: `PUT persistentvolumes/status`. How often. */
export type Requests = ReadonlyMap<string, number>;

/** What the metrics page says at a moment. */
export interface ApiReading {
  readonly requests: Requests;
  /** Bytes of the answers to GET and LIST so far, of volumes and claims. */
  readonly readBytes: number;
  /** Bytes of the events of watches so far, of volumes and claims. */
  readonly watchBytes: number;
}

/** What persistent volume controllers have to do with; the API server asks itself for much else. */
const resources = new Set(['persistentvolumes', 'persistentvolumeclaims', 'storageclasses', 'events', 'pods']);
const bulky = new Set(['persistentvolumes', 'persistentvolumeclaims']);

/** Reads the metrics; it takes the API server some milliseconds of work, so never within a measurement. */
export async function readApi(client: ApiClient): Promise<ApiReading> {
  const { status, body } = await client.request<string>('GET', '/metrics');
  if (status !== 200) throw new Error(`GET /metrics: ${status}`);
  return parseApi(body);
}

/** @param text in the format of Prometheus. */
export function parseApi(text: string): ApiReading {
  const requests = new Map<string, number>();
  let readBytes = 0;
  let watchBytes = 0;
  for (const line of text.split('\n')) {
    const sample = /^(apiserver_(?:request_total|response_sizes_sum|watch_events_sizes_sum))\{(.*)\} (\S+)$/.exec(line);
    if (sample === null) continue;
    const [, metric = '', labels = '', value = ''] = sample;
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const resource = label('resource');
    if (metric === 'apiserver_request_total') {
      if (!resources.has(resource)) continue;
      const subresource = label('subresource');
      const name = `${label('verb')} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
      requests.set(name, (requests.get(name) ?? 0) + Number(value));
    } else if (bulky.has(resource)) {
      if (metric === 'apiserver_response_sizes_sum') readBytes += Number(value);
      else watchBytes += Number(value);
    }
  }
  return { requests, readBytes, watchBytes };
}

/** `after` less `before`, less what is nobody's business; only what is not zero. */
export function difference(after: Requests, before: Requests, others: Requests = new Map()): Map<string, number> {
  const names = new Set([...after.keys(), ...others.keys()]);
  const counts = [...names].map(
    (name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0) - (others.get(name) ?? 0)] as const,
  );
  return new Map(counts.filter(([, count]) => count !== 0));
}

const readVerbs = new Set(['GET', 'LIST']);
const writeVerbs = new Set(['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION']);

/** Reads and writes of objects; writes of events are told apart, and the openings of watches are neither. */
export function sumUp(requests: Requests): { reads: number; writes: number; events: number } {
  const sums = { reads: 0, writes: 0, events: 0 };
  for (const [name, count] of requests) {
    const [verb = '', resource = ''] = name.split(' ');
    if (resource === 'events') sums.events += count;
    else if (readVerbs.has(verb)) sums.reads += count;
    else if (writeVerbs.has(verb)) sums.writes += count;
  }
  return sums;
}
