/** Everything that can go wrong with a request to the API server, and the means to let it happen to chosen requests. */
import type { Fault, InterceptedRequest, LocalApiServer } from '../../local/api-server/server.ts';
import { type FaultProxy, startProxy } from './proxy.ts';
import { startWorld, TEST_TOKEN, type World, type WorldOptions } from './world.ts';

type AnyFault = Fault | 'cut-mid';

const page = (status: number): Fault => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><html><body><h1>Please log in</h1></body></html>',
});

function refusal(status: number, reason: string, more: object = {}, headers: Record<string, string> = {}): Fault {
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: reason,
    reason,
    code: status,
  };
  return { status, headers, body: { ...body, ...more } };
}

/** By what they look like from outside. */
export const FAULTS: Readonly<Record<string, AnyFault>> = {
  'a 404 page of a proxy': page(404),
  'a 404 about another object': refusal(404, 'NotFound', { details: { name: 'another', kind: 'services' } }),
  'a 404 about nothing': refusal(404, 'NotFound', { details: {} }),
  'a 200 page of a proxy': page(200),
  'a 200 with another object': { status: 200, body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'x' } } },
  'a 200 without a body': { status: 200 },
  'a redirect to a login page': { status: 302, headers: { location: 'https://login.example.com/' } },
  '401 Unauthorized': refusal(401, 'Unauthorized'),
  '403 Forbidden': refusal(403, 'Forbidden'),
  '429 with Retry-After': refusal(429, 'TooManyRequests', {}, { 'retry-after': '1' }),
  '500 with a Status': refusal(500, 'InternalError'),
  'a 502 page of a proxy': page(502),
  'a connection cut before anything happened': 'cut',
  'a connection cut after it happened, before the answer': 'cut-after',
  'a connection cut in the middle of the answer': 'cut-mid',
};

/** Such as `update persistentvolumes/status`, `get persistentvolumeclaims`, `list persistentvolumes`. */
type Step = string;

/** Requests that are to fail. */
export interface Failing {
  /** When it happened, in milliseconds. */
  readonly hits: readonly number[];
  /** All is well again. */
  heal(): void;
}

interface Rule {
  readonly step: Step;
  /** Of the object; any when undefined. */
  readonly name: string | undefined;
  readonly fault: AnyFault;
  left: number;
  readonly hits: number[];
}

/** A pipeline whose requests to the API server can be made to fail. */
export interface FaultyWorld extends World {
  readonly proxy: FaultProxy;
  /** Lets the next `times` requests of that step about that object fail: all of them unless given. */
  fail(fault: AnyFault, step: Step, name?: string, times?: number): Failing;
}

export async function startFaultyWorld(options: WorldOptions = {}): Promise<FaultyWorld> {
  let proxy: FaultProxy | undefined;
  const rules: Rule[] = [];
  const toCut: string[] = [];
  const intercept = ({ api, method, path, headers }: InterceptedRequest): Fault | undefined => {
    if (api === undefined || headers.authorization === `Bearer ${TEST_TOKEN}`) return undefined;
    const plural = api.resource.plural + (api.subresource === undefined ? '' : `/${api.subresource}`);
    const step = `${api.verb} ${plural}`;
    const rule = rules.find((r) => r.left > 0 && r.step === step && (r.name === undefined || r.name === api.name));
    if (rule === undefined) return undefined;
    rule.left -= 1;
    rule.hits.push(performance.now());
    if (rule.fault !== 'cut-mid') return rule.fault;
    toCut.push(`${method} ${path}`);
    return undefined;
  };
  const connectTo = async (server: LocalApiServer) => {
    proxy = await startProxy(server.url);
    proxy.fault = ({ method, url }) => {
      const index = toCut.indexOf(`${method} ${url.split('?')[0]}`);
      return index >= 0 && toCut.splice(index, 1) ? 'cut-mid' : undefined;
    };
    return proxy.url;
  };
  const world = await startWorld({ ...options, connectTo });
  world.server.intercept = intercept;
  return {
    ...world,
    proxy: proxy as unknown as FaultProxy,
    fail(fault, step, name, times = Number.POSITIVE_INFINITY) {
      const rule: Rule = { step, name, fault, left: times, hits: [] };
      rules.push(rule);
      const heal = () => {
        rule.left = 0;
      };
      return { hits: rule.hits, heal };
    },
    stop: async () => {
      await world.stop();
      await proxy?.stop();
    },
  };
}
