import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { certificateAuthority } from '../lib/cluster/testing/certificates.ts';
import { type TestServer, testServer } from '../lib/cluster/testing/http-server.ts';
import { messageOf } from '../lib/controller/errors.ts';
import { lazy, runtimeFromEnvironment, workerRuntimeFromEnvironment } from './environment.ts';

const endpoint = 'https://0123.gr7.eu-central-1.eks.amazonaws.com';
const ca = Buffer.from(certificateAuthority().certificate).toString('base64');
const queue = (name: string, host = 'sqs.eu-central-1.amazonaws.com') => `https://${host}/123456789012/${name}.fifo`;

let eks: TestServer;
let isAllowed: boolean;

beforeEach(async () => {
  isAllowed = true;
  eks = await testServer((_, response) => {
    const cluster = { endpoint, certificateAuthority: { data: ca }, status: 'ACTIVE' };
    if (isAllowed) response.end(JSON.stringify({ cluster }));
    else response.writeHead(403).end(JSON.stringify({ message: 'not authorized' }));
  });
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await eks.close();
});

const environment = (more: Record<string, string> = {}) => ({
  AWS_REGION: 'eu-central-1',
  PV_CLUSTER_NAME: 'a-cluster',
  PV_EKS_ENDPOINT: eks.url,
  PV_VOLUMES_QUEUE_URL: queue('volumes'),
  PV_CLAIMS_QUEUE_URL: queue('claims'),
  PV_VOLUMES_DEAD_LETTER_URL: queue('volumes-dead'),
  PV_CLAIMS_DEAD_LETTER_URL: queue('claims-dead'),
  ...more,
});

/** The error's text, or that there was none. */
async function refusalOf(variables: Record<string, string>): Promise<string> {
  try {
    (await runtimeFromEnvironment(variables)).close();
    return 'none';
  } catch (error) {
    return messageOf(error);
  }
}

describe('the API server', () => {
  test('is asked of EKS once per environment, however many events come at once', async () => {
    const runtime = lazy(() => runtimeFromEnvironment(environment()));
    const [one, other] = await Promise.all([runtime(), runtime()]);
    await runtime();
    one.close();

    expect(one).toBe(other);
    expect(eks.received).toHaveLength(1);
  });

  test('is asked again after a failure', async () => {
    const runtime = lazy(() => runtimeFromEnvironment(environment()));
    isAllowed = false;
    await expect(runtime()).rejects.toThrow('EKS cluster "a-cluster" in eu-central-1 cannot be described: 403');
    isAllowed = true;
    (await runtime()).close();

    expect(eks.received).toHaveLength(2);
  });

  test('is not asked of EKS when the settings say it', async () => {
    expect(await refusalOf(environment({ PV_CLUSTER_ENDPOINT: endpoint, PV_CLUSTER_CA: ca }))).toBe('none');
    expect(eks.received).toEqual([]);
  });

  test('needs more than its certificate authority', async () => {
    expect(await refusalOf(environment({ PV_CLUSTER_CA: ca }))).toBe(
      'PV_CLUSTER_CA is set without PV_CLUSTER_ENDPOINT: set both, or none',
    );
  });
});

describe('queues at two hosts', () => {
  const apart = () => environment({ PV_CLAIMS_QUEUE_URL: queue('claims', 'sqs.us-east-1.amazonaws.com') });

  test('are refused, and EKS is not asked for nothing', async () => {
    expect(await refusalOf(apart())).toBe(
      "the queues' URLs name different hosts (https://sqs.eu-central-1.amazonaws.com, https://sqs.us-east-1.amazonaws.com): set PV_SQS_ENDPOINT",
    );
    expect(eks.received).toEqual([]);
  });

  test('are one when the endpoint is set', async () => {
    expect(await refusalOf({ ...apart(), PV_SQS_ENDPOINT: 'https://sqs.eu-central-1.amazonaws.com' })).toBe('none');
  });
});

describe('a worker in enforce', () => {
  let cluster: TestServer;
  let lease: object | undefined;
  const asked: string[] = [];

  beforeEach(async () => {
    asked.length = 0;
    lease = { holderIdentity: 'ip-10-0-0-1', renewTime: new Date().toISOString(), leaseDurationSeconds: 15 };
    cluster = await testServer((request, response) => {
      asked.push(request.url ?? '');
      if (lease === undefined) response.writeHead(403).end('{}');
      else response.end(JSON.stringify({ kind: 'Lease', spec: lease }));
    });
  });
  afterEach(() => cluster.close());

  const start = async (more: Record<string, string>) => {
    const variables = environment({ PV_MODE: 'enforce', PV_CLUSTER_ENDPOINT: cluster.url, ...more });
    (await workerRuntimeFromEnvironment(variables)).close();
  };

  test('refuses to work where another controller does, and says what to do', async () => {
    await expect(start({})).rejects.toThrow(/ip-10-0-0-1.*PV_BESIDE_ANOTHER_CONTROLLER=true/);
  });

  test('refuses likewise where only an annotation would have it enforce', async () => {
    await expect(start({ PV_MODE: 'observe', PV_MODE_MAX: 'enforce' })).rejects.toThrow('ip-10-0-0-1');
  });

  test('refuses where nobody can tell', async () => {
    lease = undefined;
    await expect(start({})).rejects.toThrow(/cannot be read \(HTTP 403\).*PV_BESIDE_ANOTHER_CONTROLLER=true/);
  });

  test('begins as soon as the other one is gone', async () => {
    const variables = environment({ PV_MODE: 'enforce', PV_CLUSTER_ENDPOINT: cluster.url });
    const runtime = lazy(() => workerRuntimeFromEnvironment(variables));
    await expect(runtime()).rejects.toThrow('ip-10-0-0-1');
    lease = { holderIdentity: '' };
    (await runtime()).close();
    expect(asked.filter((url) => url.includes('/leases/'))).toHaveLength(2);
  });

  test.each([
    [{ PV_BESIDE_ANOTHER_CONTROLLER: 'true' }],
    [{ PV_MODE: 'assist' }],
    [{ PV_MODE: 'observe', PV_MODE_MAX: 'assist' }],
  ])('is not asked about where it is told to, or is none: %j', async (more) => {
    await start(more as Record<string, string>);
    expect(asked).toEqual([]);
  });
});
