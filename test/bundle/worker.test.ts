/** One batch through a worker's bundle: what is left out of it (scripts/left-out.ts) is missed nowhere. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import { certificateAuthority } from '../../lib/cluster/testing/certificates.ts';
import { type TestServer, testServer } from '../../lib/cluster/testing/http-server.ts';
import { type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';
import {
  createQueues,
  type EmbeddedQueue,
  type QueueAddresses,
  startEmbeddedQueue,
} from '../../local/queue/embedded.ts';
import { toEvent } from '../../local/queue/lambda-event.ts';
import { Objects } from '../e2e/objects.ts';
import { type EventBridge, startEventBridge } from '../monitoring/event-bridge.ts';
import { type Built, buildAside, invoke } from './built.ts';

const SECRETS = ['a-secret-key', 'a-session-token'] as const;

let built: Built;
let server: LocalApiServer;
let queue: EmbeddedQueue;
let addresses: QueueAddresses;
let eks: TestServer;
let events: EventBridge;
let daemon: Socket;
let cluster: ApiServerCluster;
const datagrams: string[] = [];
const tokens = new Set<string | undefined>();

beforeAll(async () => {
  const [secretAccessKey, sessionToken] = SECRETS;
  [built, server, queue, events] = await Promise.all([
    buildAside({ names: ['volume-worker'] }),
    startApiServer(),
    startEmbeddedQueue(),
    startEventBridge('us-east-1', { accessKeyId: 'AKIDEXAMPLE', secretAccessKey, sessionToken }),
  ]);
  addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 180 });
  cluster = new ApiServerCluster({ server: server.url });
  const data = Buffer.from(certificateAuthority().certificate).toString('base64');
  eks = await testServer((_, response) => {
    response.end(
      JSON.stringify({ cluster: { endpoint: server.url, certificateAuthority: { data }, status: 'ACTIVE' } }),
    );
  });
  daemon = createSocket('udp4').bind(0, '127.0.0.1');
  daemon.on('message', (datagram) => datagrams.push(String(datagram)));
  await once(daemon, 'listening');
}, 60_000);
afterAll(async () => {
  cluster?.close();
  daemon?.close();
  await Promise.all([built?.remove(), eks?.close(), events?.close(), queue?.close(), server?.stop()]);
});

const environment = () => ({
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: SECRETS[0],
  AWS_SESSION_TOKEN: SECRETS[1],
  AWS_LAMBDA_FUNCTION_NAME: 'a-function',
  AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${(daemon.address() as AddressInfo).port}`,
  _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1',
  PV_MODE: 'enforce',
  PV_STAGE: 'a-stage',
  PV_LOG_LEVEL: 'DEBUG',
  PV_CLUSTER_NAME: 'a-cluster',
  PV_EKS_ENDPOINT: eks.url,
  PV_SQS_ENDPOINT: queue.endpoint,
  PV_AUDIT_BUS: 'storage',
  PV_EVENTS_ENDPOINT: events.url,
  PV_VOLUMES_QUEUE_URL: addresses.PersistentVolume.url,
  PV_CLAIMS_QUEUE_URL: addresses.PersistentVolumeClaim.url,
  PV_VOLUMES_DEAD_LETTER_URL: addresses.PersistentVolume.deadLetterUrl,
  PV_CLAIMS_DEAD_LETTER_URL: addresses.PersistentVolumeClaim.deadLetterUrl,
  PV_RETRY_FIRST_SECONDS: '0',
});

const bodies = {
  good: JSON.stringify({ v: 1, kind: 'PersistentVolume', name: 'pv-1', reason: 'added' }),
  failing: JSON.stringify({ v: 1, kind: 'PersistentVolume', name: 'pv-2', reason: 'added' }),
  deleted: JSON.stringify({
    v: 1,
    kind: 'PersistentVolume',
    name: 'pv-3',
    uid: 'uid-3',
    reason: 'deleted',
    deleted: { claimRef: { namespace: 'default', name: 'claim-3' } },
  }),
  poison: 'no message of ours',
};

async function receive(QueueUrl: string) {
  const { Messages = [] } = await queue.client.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
  );
  return Messages;
}

test('a batch: a write, a retry, a message sent on, a dead letter, with audit records, metrics and traces and without secrets', async () => {
  const objects = new Objects(cluster);
  await Promise.all([objects.createVolume('pv-1'), objects.createVolume('pv-2')]);
  server.intercept = ({ path, headers }) => {
    tokens.add(headers.authorization?.slice(0, 18));
    return path.endsWith('/pv-2') ? { status: 500 } : undefined;
  };
  const { url, arn, deadLetterUrl } = addresses.PersistentVolume;
  for (const [group, MessageBody] of Object.entries(bodies)) {
    const ids = { MessageGroupId: group, MessageDeduplicationId: group };
    await queue.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody, ...ids }));
  }
  const event = toEvent(await receive(url), arn);
  expect(event.Records).toHaveLength(Object.keys(bodies).length);

  const file = built.bundles[0]?.file ?? '';
  const { outcome, printed } = await invoke(file, event, environment());
  server.intercept = undefined;

  const failing = event.Records.find(({ body }) => body === bodies.failing)?.messageId;
  expect(outcome).toEqual({ answer: { batchItemFailures: [{ itemIdentifier: failing }] } });
  expect((await objects.volume('pv-1')).status?.phase).toBe('Available');
  expect((await receive(url)).map(({ Body }) => Body)).toEqual([bodies.failing]);
  expect((await receive(deadLetterUrl)).map(({ Body }) => Body)).toEqual([bodies.poison]);
  const [sentOn, ...more] = await receive(addresses.PersistentVolumeClaim.url);
  expect(more).toEqual([]);
  expect(JSON.parse(sentOn?.Body ?? '')).toMatchObject({ kind: 'PersistentVolumeClaim', name: 'claim-3' });

  expect(eks.received.map(({ url: path }) => path)).toEqual(['/clusters/a-cluster']);
  expect([...tokens]).toEqual(['Bearer k8s-aws-v1.']);
  const metrics = printed.split('\n').flatMap((line) => (line.includes('"_aws"') ? [JSON.parse(line)] : []));
  expect(metrics).toContainEqual(
    expect.objectContaining({ service: 'pv-controller', stage: 'a-stage', KeysSynced: expect.anything() }),
  );
  expect(events.refusals).toEqual([]);
  expect(events.events.map(({ EventBusName, Detail }) => [EventBusName, JSON.parse(Detail)])).toEqual([
    ['storage', expect.objectContaining({ v: 1, name: 'pv-1', of: 'phase', to: 'Available', who: 'us', how: 'made' })],
  ]);
  const traced = datagrams.map((datagram) => JSON.parse(datagram.split('\n')[1] ?? '').annotations);
  const { uid } = (await objects.volume('pv-1')).metadata;
  expect(traced).toContainEqual({ kind: 'PersistentVolume', name: 'pv-1', volume_uid: uid });
  expect(traced.map(({ name }) => name).sort()).toEqual(['pv-1', 'pv-2', 'pv-3']);
  for (const secret of [...SECRETS, 'k8s-aws-v1', 'X-Amz-']) expect(printed + datagrams.join()).not.toContain(secret);
});
