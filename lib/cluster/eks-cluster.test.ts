import { afterEach, describe, expect, test } from 'vitest';
import { messageOf } from '../controller/errors.ts';
import { describeCluster, type EksClusterOptions } from './eks-cluster.ts';
import { certificateAuthority } from './testing/certificates.ts';
import { type Answer, type TestServer, testServer } from './testing/http-server.ts';

const identity = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session/token+value==',
};
const found = {
  cluster: {
    name: 'my-cluster',
    status: 'ACTIVE',
    endpoint: 'https://0123.gr7.eu-west-1.eks.amazonaws.com',
    certificateAuthority: { data: Buffer.from(certificateAuthority().certificate).toString('base64') },
  },
};

let eks: TestServer | undefined;
afterEach(() => eks?.close());

/** Answers with these, one after the other, the last one again and again. */
function answers(...all: readonly (readonly [status: number, body: unknown])[]): Answer {
  let count = 0;
  return (_, response) => {
    const [status, body] = all[Math.min(count, all.length - 1)] ?? [500, ''];
    count += 1;
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

async function ask(answer: Answer, more: Partial<EksClusterOptions> = {}) {
  eks = await testServer(answer);
  return await describeCluster({
    clusterName: 'my-cluster',
    region: 'eu-west-1',
    credentials: async () => identity,
    endpoint: eks.url,
    timeoutMs: 5_000,
    firstBackoffMs: 1,
    ...more,
  });
}

const textOf = (promise: Promise<unknown>) => promise.then(() => 'no error', messageOf);

test('the answer holds the API server and its certificate authority', async () => {
  const connection = await ask(answers([200, found]));

  expect(connection.server).toBe(found.cluster.endpoint);
  expect(connection.ca).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
});

test('the request is signed for EKS, with the session of the role', async () => {
  await ask(answers([200, found]), { region: 'cn-north-1' });

  const [request] = eks?.received ?? [];
  expect(request?.method).toBe('GET');
  expect(request?.url).toBe('/clusters/my-cluster');
  expect(request?.headers['x-amz-security-token']).toBe(identity.sessionToken);
  expect(request?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/cn-north-1\/eks\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/,
  );
});

describe('an answer that passes', () => {
  test.each([
    ['throttling', [429, { message: 'Rate exceeded' }]],
    ['throttling, as older services say it', [400, { __type: 'ThrottlingException', message: 'Rate exceeded' }]],
    ['an error of EKS', [503, 'Service Unavailable']],
  ] as const)('%s: it is asked again', async (_, answer) => {
    const connection = await ask(answers(answer, answer, [200, found]));

    expect(connection.server).toBe(found.cluster.endpoint);
    expect(eks?.received).toHaveLength(3);
  });

  test('a cut connection: it is asked again', async () => {
    const again = answers([200, found]);
    const cut: Answer = (request, response) =>
      eks?.received.length === 1 ? request.socket.destroy() : again(request, response);

    expect((await ask(cut)).server).toBe(found.cluster.endpoint);
  });

  test('not more than three times', async () => {
    const text = await textOf(ask(answers([500, '<html>'])));

    expect(text).toContain('EKS cluster "my-cluster" in eu-west-1 cannot be described');
    expect(text).toContain('answered 500 with no message of EKS');
    expect(eks?.received).toHaveLength(3);
  });
});

describe('a failure says what to do:', () => {
  test('the role may not ask', async () => {
    const message = 'User: arn:aws:sts::123456789012:assumed-role/worker is not authorized';
    const text = await textOf(ask(answers([403, { message }])));

    expect(text).toBe(
      `EKS cluster "my-cluster" in eu-west-1 cannot be described: 403 ${message}; ` +
        "allow the function's role eks:DescribeCluster, or set PV_CLUSTER_ENDPOINT and PV_CLUSTER_CA",
    );
    expect(eks?.received).toHaveLength(1);
  });

  test('there is no such cluster', async () => {
    const text = await textOf(ask(answers([404, { message: 'No cluster found for name: my-cluster.' }])));

    expect(text).toContain('404 No cluster found for name: my-cluster.; check PV_CLUSTER_NAME and AWS_REGION');
  });

  test('the cluster is being made', async () => {
    const text = await textOf(ask(answers([200, { cluster: { name: 'my-cluster', status: 'CREATING' } }])));

    expect(text).toContain('its status is CREATING; wait until it is ACTIVE');
  });

  test('something else answered', async () => {
    const text = await textOf(ask(answers([200, '<html>login</html>'])));

    expect(text).toContain('the answer is not one of EKS');
    expect(text).not.toContain('login');
  });

  test('nobody answers in time', async () => {
    const started = performance.now();
    const text = await textOf(ask(() => {}, { timeoutMs: 200 }));

    expect(performance.now() - started).toBeLessThan(2_000);
    expect(text).toContain('no answer within 200 ms; check that the function reaches 127.0.0.1:');
    expect(text).toContain('PV_CLUSTER_ENDPOINT and PV_CLUSTER_CA');
  });

  test('there are no credentials', async () => {
    const credentials = async () => Promise.reject(new Error('Unable to find environment variable credentials.'));
    const text = await textOf(ask(answers([200, found]), { credentials }));

    expect(text).toContain(
      'no AWS credentials (Unable to find environment variable credentials.); give the function a role',
    );
  });
});

test('a refused signature does not show what was signed', async () => {
  const echo: Answer = ({ headers }, response) => {
    const message = `${JSON.stringify(headers)} is wrong, ${identity.secretAccessKey}\nThe canonical request was ${headers.authorization}`;
    response.writeHead(403).end(JSON.stringify({ message }));
  };
  const text = await textOf(ask(echo));

  expect(text).toContain('403 {');
  expect(text).not.toMatch(/session\/token|AKIDEXAMPLE|Signature=|wJalrXU|canonical/);
});
