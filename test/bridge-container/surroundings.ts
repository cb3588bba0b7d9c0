/** What a pod finds around it in an EKS cluster, on this machine: API server behind TLS, service account, AWS. */

import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer as createPlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { parseStageConfig } from '../../infra/stage-config.ts';
import { certificateAuthority } from '../../lib/cluster/testing/certificates.ts';
import { json, type TestServer, testServer } from '../../lib/cluster/testing/http-server.ts';
import { type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';
import {
  createQueues,
  type EmbeddedQueue,
  type QueueAddresses,
  startEmbeddedQueue,
} from '../../local/queue/embedded.ts';
import { stageManifests } from '../../scripts/manifests/stage.ts';

const TOKEN = 'service-account-token';

/** EKS Pod Identity's agent: credentials for the token of the pod. */
const AGENT_PATH = '/v1/credentials';

export class Surroundings {
  readonly api: LocalApiServer;
  readonly queue: EmbeddedQueue;
  readonly queues: QueueAddresses;
  readonly agent: TestServer;
  readonly directory: string;
  #front: Server | undefined;
  readonly #port: number;
  readonly #certificate: { readonly certificate: string; readonly key: string };

  private constructor(
    parts: Pick<Surroundings, 'api' | 'queue' | 'queues' | 'agent' | 'directory'>,
    port: number,
    certificate: { readonly certificate: string; readonly key: string },
  ) {
    ({ api: this.api, queue: this.queue, queues: this.queues, agent: this.agent, directory: this.directory } = parts);
    this.#port = port;
    this.#certificate = certificate;
  }

  /** Everything runs, except that the API server is away until `showApiServer`. */
  static async start(): Promise<Surroundings> {
    const [api, queue] = await Promise.all([startApiServer({ token: TOKEN }), startEmbeddedQueue()]);
    const queues = await createQueues(queue.client, { visibilityTimeoutSeconds: 30 });
    const agent = await testServer((request, response) => {
      if (request.url !== AGENT_PATH || request.headers.authorization !== 'pod-identity-token') {
        return json(response, 403, {});
      }
      const Expiration = new Date(Date.now() + 3_600_000).toISOString();
      json(response, 200, { AccessKeyId: 'AKIDPOD', SecretAccessKey: 'secret', Token: 'session', Expiration });
    });
    const authority = certificateAuthority();
    const directory = mkdtempSync(join(tmpdir(), 'service-account-'));
    chmodSync(directory, 0o755);
    writeFileSync(join(directory, 'ca.crt'), authority.certificate);
    writeFileSync(join(directory, 'token'), TOKEN);
    writeFileSync(join(directory, 'pod-identity'), 'pod-identity-token');
    return new Surroundings(
      { api, queue, queues, agent, directory },
      await freePort(),
      authority.issue('kubernetes', ['127.0.0.1']),
    );
  }

  /** What the kubelet, EKS and the manifests of a stage set, with what they name found here. */
  environment(probePort: number): Record<string, string> {
    return {
      ...deployedEnvironment(),
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(this.#port),
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${this.agent.url}${AGENT_PATH}`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(this.directory, 'pod-identity'),
      PV_BRIDGE_LOG_GROUP: '',
      PV_SQS_ENDPOINT: this.queue.endpoint,
      PV_VOLUMES_QUEUE_URL: this.queues.PersistentVolume.url,
      PV_CLAIMS_QUEUE_URL: this.queues.PersistentVolumeClaim.url,
      PV_HEALTH_PORT: String(probePort),
    };
  }

  /** For the command line, where a test cannot mount things at `/var/run/secrets`. */
  get args(): string[] {
    return ['--service-account', this.directory, '--probe-address', '127.0.0.1'];
  }

  async showApiServer(): Promise<void> {
    const { certificate: cert, key } = this.#certificate;
    const front = createServer({ cert, key }, (socket) => {
      const inside = connect(this.api.port, '127.0.0.1');
      socket.on('error', () => inside.destroy()).on('close', () => inside.destroy());
      inside.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.pipe(inside).pipe(socket);
    });
    front.on('tlsClientError', () => {});
    front.listen(this.#port, '127.0.0.1');
    await once(front, 'listening');
    this.#front = front;
  }

  async hideApiServer(): Promise<void> {
    if (this.#front === undefined) return;
    const closed = once(this.#front, 'close');
    this.#front.close();
    this.#front = undefined;
    this.api.cutConnections();
    await closed;
  }

  /** The names in the messages of the volumes' queue; takes them out of it for 30 s. */
  async volumesSent(): Promise<string[]> {
    const { Messages = [] } = await this.queue.client.send(
      new ReceiveMessageCommand({ QueueUrl: this.queues.PersistentVolume.url, MaxNumberOfMessages: 10 }),
    );
    return Messages.map(({ Body = '{}' }) => (JSON.parse(Body) as { name: string }).name);
  }

  async stop(): Promise<void> {
    await this.hideApiServer();
    await Promise.all([this.api.stop(), this.queue.close(), this.agent.close()]);
    rmSync(this.directory, { recursive: true });
  }
}

/** The container's variables, as the manifests of a stage file with nothing but what is needed set them. */
export function deployedEnvironment(): Record<string, string> {
  const text = 'region: eu-central-1\ncluster: { name: example }\nbridge: { host: container }\n';
  const config = parseStageConfig(text, 'test.yml', 'test');
  const options = { account: '123456789012', image: 'bridge:1', networkPolicy: false };
  const objects = stageManifests('test', config, options);
  const data = objects.find(({ kind }) => kind === 'ConfigMap')?.['data'] as Record<string, string>;
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as {
    spec: { template: { spec: { containers: { env: { name: string; value: string }[] }[] } } };
  };
  const env = deployment.spec.template.spec.containers.flatMap((container) => container.env);
  return { ...data, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) };
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createPlainServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
