/**
 * What the functions print, and what they fail with, when everything around them answers with the secrets that it was
 * given: an API server, or a proxy before it, that sends back the token; an SQS that quotes the signed request.
 */
import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createObservability } from '../../functions/environment.ts';
import { createResyncFunction } from '../../functions/resync.ts';
import { createWorkerFunction } from '../../functions/worker.ts';
import { type TestServer, testServer } from '../../lib/cluster/testing/http-server.ts';
import { readConfig } from '../../lib/config.ts';
import { orphan, volume } from '../../lib/controller/testing/objects.ts';
import { bridgeHooks } from '../../lib/observability/bridge-hooks.ts';
import { formatMessage } from '../../lib/queue/message.ts';
import { createBridge } from '../../lib/worker/create-bridge.ts';
import { Runtime } from '../../lib/worker/runtime.ts';
import { createContext } from '../../local/queue/lambda-event.ts';
import { eventOf } from '../e2e/stoppable-worker.ts';
import { runs } from './runs.ts';
import { leaksIn, SECRET, textOf } from './secrets.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

let api: TestServer;
let sqs: TestServer;
let apiAnswer: Answer;
let sqsAnswer: Answer;
/** Requests that the API server answers well before it begins to misbehave. */
let goodAnswers = 0;

const volumes = [volume('pv-1', { status: { phase: 'Pending' } }), orphan('pv-2')];

beforeAll(async () => {
  api = await testServer(({ url, headers }, response) => {
    const token = headers.authorization?.replace('Bearer ', '') ?? 'none';
    const { status, body } = goodAnswers-- > 0 ? good(url) : apiAnswer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body.replaceAll('ECHO', escaped(token)));
  });
  sqs = await testServer(({ headers }, response) => {
    const said = sqsAnswer.body
      .replaceAll('SESSION', String(headers['x-amz-security-token']))
      .replaceAll('AUTHORIZATION', String(headers.authorization));
    response.writeHead(sqsAnswer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(said);
  });
});
afterAll(() => Promise.all([api.close(), sqs.close()]));

const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/** What is there: two volumes, and nothing else. */
function good(url: string): Answer {
  const [, plural = '', name] =
    /\/(persistentvolumes|persistentvolumeclaims|storageclasses)(?:\/([^/?]+))?/.exec(url) ?? [];
  const kind =
    { persistentvolumes: 'PersistentVolume', persistentvolumeclaims: 'PersistentVolumeClaim' }[plural] ??
    'StorageClass';
  const apiVersion = kind === 'StorageClass' ? 'storage.k8s.io/v1' : 'v1';
  const items = kind === 'PersistentVolume' ? volumes : [];
  const list = { kind: `${kind}List`, apiVersion, metadata: { resourceVersion: '1' }, items };
  const named = volumes.find(({ metadata }) => metadata.name === name);
  return { status: 200, body: JSON.stringify(url === '/version' ? { major: '1', minor: '36' } : (named ?? list)) };
}

/** How a Status, a page or a frame may hold the token that came with the request. */
const echo = fc.constantFrom('Bearer ECHO', 'bearer  ECHO', 'ECHO', '?token=ECHO', '{"Authorization":"Bearer ECHO"}');
const apiAnswers: fc.Arbitrary<Answer> = fc
  .record({
    status: fc.constantFrom(200, 400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504),
    said: echo,
    form: fc.constantFrom('status', 'reason', 'page', 'slashes', 'frame', 'object'),
  })
  .map(({ status, said, form }) => {
    const body = { kind: 'Status', apiVersion: 'v1', code: status, reason: 'X', message: `no: ${said}, go away` };
    const bodies: Readonly<Record<string, string>> = {
      status: JSON.stringify(body),
      reason: JSON.stringify({ ...body, reason: said, message: '' }),
      page: `<html>${said}</html>`,
      slashes: JSON.stringify(body).replaceAll('/', '\\/'),
      frame: `${JSON.stringify({ type: 'ERROR', object: body })}\n`,
      object: JSON.stringify({ ...volumes[0], kind: said, metadata: { name: said } }),
    };
    return { status, body: bodies[form] ?? '' };
  });

/** As AWS words it: the request that was signed stands in the lines after the first. */
const canonical = 'POST\n/\n\nhost:sqs\nx-amz-security-token:SESSION\n\nhost;x-amz-security-token\nabc';
const sqsAnswers: fc.Arbitrary<Answer> = fc
  .record({
    status: fc.constantFrom(400, 403),
    type: fc.constantFrom('SignatureDoesNotMatch', 'InvalidSignature', 'AccessDenied', 'InvalidClientTokenId'),
    field: fc.constantFrom('message', 'Message'),
  })
  .map(({ status, type, field }) => ({
    status,
    body: JSON.stringify({
      __type: `com.amazonaws.sqs#${type}`,
      [field]: `The signature does not match.\n\nThe Canonical String should have been\n'${canonical}'\nAuthorization: AUTHORIZATION`,
    }),
  }));

/** Both services read `message`, and each passes over the other's fields. */
const refusalWith = (text: string): Answer => {
  const body = { kind: 'Status', apiVersion: 'v1', code: 403, reason: 'Forbidden', message: `no\n${text}` };
  return { status: 403, body: JSON.stringify({ ...body, __type: 'com.amazonaws.sqs#SignatureDoesNotMatch' }) };
};

function runtime(): Runtime {
  const { accessKeyId, secretAccessKey, sessionToken } = SECRET.aws;
  const queue = { url: `${sqs.url}/1/q.fifo`, deadLetterUrl: `${sqs.url}/1/d.fifo` };
  return new Runtime({
    connection: { server: api.url, token: async () => SECRET.oddToken },
    config: readConfig({ PV_MODE: 'enforce', PV_REQUEST_TIMEOUT_MS: '1000', PV_CREATE_VOLUME_INTERVAL_MS: '0' }),
    sqs: new SQSClient({
      region: 'eu-central-1',
      endpoint: sqs.url,
      credentials: { accessKeyId, secretAccessKey, sessionToken },
      maxAttempts: 1,
    }),
    queues: { PersistentVolume: queue, PersistentVolumeClaim: queue },
  });
}

vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'true');
const observability = createObservability({ logLevel: 'DEBUG' });
const schedule = { id: 'one', source: 'aws.scheduler' } as never;

/** All that a run of a function prints, and what Lambda prints of the error that it ends with. */
async function printedBy(run: (runtime: Runtime) => Promise<unknown>): Promise<string> {
  const printed: string[] = [];
  const keep = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(keep));
  const environment = runtime();
  try {
    await run(environment);
  } catch (error) {
    printed.push(textOf(error), (error as Error).stack ?? '');
  } finally {
    environment.close();
    for (const spy of spies) spy.mockRestore();
  }
  return printed.join('\n');
}

describe('no secret is printed by', () => {
  const poison = {
    ...eventOf({ v: 1, kind: 'PersistentVolume', name: 'pv-1', reason: 'modified' }).Records[0],
    body: 'no JSON',
  };
  const event = {
    Records: [
      ...['pv-1', 'pv-2'].map((name, index) => ({
        ...eventOf({ v: 1, kind: 'PersistentVolume', name, reason: 'modified' }).Records[0],
        messageId: `m-${index}`,
      })),
      {
        ...poison,
        messageId: 'm-3',
        body: formatMessage({ v: 1, kind: 'PersistentVolume', name: 'pv-3', reason: 'deleted', uid: 'u' }).replace(
          'deleted',
          'x',
        ),
      },
    ] as SQSRecord[],
  };
  const surroundings = fc.tuple(fc.nat({ max: 8 }), apiAnswers, sqsAnswers);
  const check = async (cost: number, run: (runtime: Runtime) => Promise<unknown>, says: RegExp) => {
    let saidIt = 0;
    await fc.assert(
      fc.asyncProperty(surroundings, async ([good, fromApi, fromSqs]) => {
        goodAnswers = good;
        [apiAnswer, sqsAnswer] = [fromApi, fromSqs];
        const printed = await printedBy(run);
        if (says.test(printed)) saidIt += 1;
        expect(leaksIn(printed)).toEqual([]);
        expect(printed).not.toMatch(/Signature=[0-9a-f]{64}/);
      }),
      { ...runs(cost), examples: [[[0, refusalWith('ECHO'), refusalWith(canonical)]]] },
    );
    // A search of nothing finds nothing.
    expect(saidIt).toBeGreaterThan(0);
  };

  test('a worker', async () => {
    const run = async (environment: Runtime) => {
      const worker = createWorkerFunction('PersistentVolume', () => environment, observability);
      await worker(event, createContext('worker', 10_000, 'eu-central-1'));
    };
    await check(6, run, /the queue refused a request/);
  });

  test('the resync', async () => {
    const run = async (environment: Runtime) => {
      const resync = createResyncFunction(() => environment, observability);
      await resync(schedule, createContext('resync', 2_100, 'eu-central-1'));
    };
    await check(30, run, /no/);
  });

  test('the bridge', async () => {
    const run = async (environment: Runtime) => {
      const hooks = bridgeHooks(observability.logger, observability.metrics);
      const bridge = await createBridge(environment, hooks, { retryBaseMs: 1, stopTimeoutMs: 1 });
      await bridge.run(AbortSignal.timeout(100));
    };
    await check(30, run, /no/);
  });

  test('a process that ends with an error, as the container does', async () => {
    const run = async ({ cluster }: Runtime) => {
      const error = await cluster.get('PersistentVolume', { name: 'pv-1' }).catch((thrown: Error) => thrown);
      observability.logger.critical('unexpected error, the process ends', error as Error);
    };
    await check(6, run, /the process ends/);
  });
});
