/** The image, as far as a machine without a container engine can run it: its files, its user, its entry point. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { json, testServer } from '../../lib/cluster/testing/http-server.ts';
import { resourceOf } from '../../local/api-server/resources.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { startEventBridge } from '../monitoring/event-bridge.ts';
import { FakeCloudWatch } from './fake-cloudwatch.ts';
import { Image, type RunningContainer } from './image.ts';
import { freePort, Surroundings } from './surroundings.ts';

/** Node then refuses every write to a disk, as well as child processes. */
const NO_WRITES = ['--permission', '--allow-fs-read=*'];

let image: Image;
let around: Surroundings;
let port: number;

beforeAll(async () => {
  image = await Image.create();
}, 60_000);

afterAll(() => image?.remove());

beforeEach(async () => {
  around = await Surroundings.start();
  port = await freePort();
});

afterEach(() => around.stop());

async function probe(path: string): Promise<number> {
  return fetch(`http://127.0.0.1:${port}${path}`).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    () => 0,
  );
}

async function eventually(status: number, path: string, container: RunningContainer): Promise<void> {
  await vi.waitFor(
    async () => expect({ status: await probe(path), lines: container.lines }).toMatchObject({ status }),
    { timeout: 15_000, interval: 100 },
  );
}

function createVolume(name: string): void {
  around.api.operations.create(
    { resource: resourceOf('persistentvolumes') },
    {
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: name },
      },
    },
  );
}

describe('the image', () => {
  it('has the Node that the tests run on, a numbered user who is not root, and two files of ours', () => {
    const { base, user, group, copies, entrypoint } = image.plan;
    expect(base).toMatch(new RegExp(`nodejs${packageJson.devDependencies.node.split('.')[0]}-`));
    expect(Math.min(user, group)).toBeGreaterThan(0);
    expect(copies.map(({ to }) => to)).toEqual(['/app/LICENSE', '/app/main.mjs']);
    expect(entrypoint.at(-1)).toBe('/app/main.mjs');
    console.log(`image content: ${image.contentBytes} bytes on top of the base`);
  });

  it.each([
    ['--help', /Usage: .*PV_VOLUMES_QUEUE_URL/s],
    ['--version', new RegExp(`^${packageJson.version.replaceAll('.', '\\.')}$`)],
  ])('%s is answered without settings', async (option, expected) => {
    const container = image.run({}, [option]);
    expect(await container.ended()).toBe(0);
    expect(container.lines.join('\n')).toMatch(expected);
  });
});

describe('a container in a pod', () => {
  it('becomes ready, sends keys, writes no file, and ends with 0 on SIGTERM', async () => {
    await around.showApiServer();
    createVolume('pv-before');
    const before = image.files();
    const container = image.run(around.environment(port), around.args, NO_WRITES);
    await eventually(200, '/readyz', container);
    expect(await probe('/healthz')).toBe(200);
    expect(await probe('/metrics')).toBe(404);
    createVolume('pv-after');
    const sent: string[] = [];
    await vi.waitFor(
      async () => {
        sent.push(...(await around.volumesSent()));
        expect(new Set(sent)).toEqual(new Set(['pv-before', 'pv-after']));
      },
      { timeout: 10_000 },
    );
    container.process.kill('SIGTERM');
    expect(await container.ended()).toBe(0);
    expect(container.lines.join('\n')).not.toContain('ERR_ACCESS_DENIED');
    expect(container.lines.at(-1)).toContain('bridge ends');
    expect(image.files()).toEqual(before);
  });

  it('tells the bus what others change before it ends, with the keys of its pod', async () => {
    const key = { accessKeyId: 'AKIDPOD', secretAccessKey: 'secret', sessionToken: 'session' };
    const events = await startEventBridge('eu-central-1', key);
    await around.showApiServer();
    createVolume('pv-1');
    const bus = { PV_AUDIT_BUS: 'storage', PV_EVENTS_ENDPOINT: events.url };
    const container = image.run({ ...around.environment(port), ...bus }, around.args);
    await eventually(200, '/readyz', container);
    around.api.operations.delete({ resource: resourceOf('persistentvolumes'), name: 'pv-1' });
    await vi.waitFor(() => expect(container.lines.join('\n')).toContain('-> deleted'), { timeout: 10_000 });
    container.process.kill('SIGTERM');
    expect(await container.ended()).toBe(0);
    await events.close();
    expect(events.refusals).toEqual([]);
    expect(events.events.map(({ Detail }) => JSON.parse(Detail))).toMatchObject([{ name: 'pv-1', to: 'deleted' }]);
  });

  it('keeps running without an API server, is not ready, and works as soon as there is one', async () => {
    const container = image.run(around.environment(port), around.args);
    await vi.waitFor(() => expect(container.lines.filter((line) => line.includes('"what":"start"'))).toHaveLength(2), {
      timeout: 15_000,
    });
    expect(await probe('/healthz')).toBe(200);
    expect(await probe('/readyz')).toBe(503);
    createVolume('pv-1');
    await around.showApiServer();
    await eventually(200, '/readyz', container);
    await vi.waitFor(async () => expect(await around.volumesSent()).toEqual(['pv-1']), { timeout: 10_000 });

    await around.hideApiServer();
    await vi.waitFor(
      () => expect(container.lines.some((line) => line.includes('"what":"PersistentVolume"'))).toBe(true),
      {
        timeout: 15_000,
      },
    );
    expect(await probe('/healthz')).toBe(200);
    container.process.kill('SIGTERM');
    expect(await container.ended()).toBe(0);
  }, 60_000);

  it('says that the queue refuses, and ends with 0 although messages are left', async () => {
    await around.showApiServer();
    createVolume('pv-1');
    const container = image.run(
      { ...around.environment(port), PV_VOLUMES_QUEUE_URL: `${around.queue.endpoint}/000000000000/none.fifo` },
      around.args,
    );
    await vi.waitFor(() => expect(container.lines.some((line) => line.includes('"what":"send"'))).toBe(true), {
      timeout: 15_000,
    });
    expect(await probe('/healthz')).toBe(200);
    container.process.kill('SIGTERM');
    expect(await container.ended()).toBe(0);
  }, 60_000);
});

describe('what goes wrong at the start or later', () => {
  it.each<[string, Record<string, string>, string]>([
    ['a queue that is no URL', { PV_VOLUMES_QUEUE_URL: 'volumes.fifo' }, 'error: PV_VOLUMES_QUEUE_URL: must be '],
    ['a missing setting', { PV_CLAIMS_QUEUE_URL: '' }, 'not set: PV_CLAIMS_QUEUE_URL'],
    ['no pod around it', { KUBERNETES_SERVICE_HOST: '' }, 'this is no pod'],
    ['a cluster elsewhere without its name', { PV_CLUSTER_ENDPOINT: 'https://127.0.0.1' }, 'not set: PV_CLUSTER_NAME'],
  ])('%s ends it with 2 and says which', async (_what, environment, message) => {
    const container = image.run({ ...around.environment(port), ...environment }, around.args);
    expect(await container.ended()).toBe(2);
    expect(container.lines.join('\n')).toContain(message);
  });

  it.each([[['--what']], [['here']]])('%s on the command line ends it with 2', async (args) => {
    const container = image.run(around.environment(port), args);
    expect(await container.ended()).toBe(2);
    expect(container.lines.join('\n')).toContain(args[0]);
  });

  it('a probe port that is taken ends it with 1', async () => {
    const taken = await testServer((_request, response) => json(response, 200, {}));
    const container = image.run(around.environment(taken.port), around.args);
    expect(await container.ended()).toBe(1);
    expect(container.lines.join('\n')).toContain('EADDRINUSE');
    await taken.close();
  });

  it('an unexpected error is logged and ends it with 1', async () => {
    const bomb = `--import=data:text/javascript,setTimeout(()=>{throw new Error('boom')},1500)`;
    const container = image.run(around.environment(port), around.args, [bomb]);
    expect(await container.ended()).toBe(1);
    expect(container.lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: 'CRITICAL', error: expect.objectContaining({ message: 'boom' }) }),
    );
  });
});

describe('lines sent to CloudWatch', () => {
  it('are all that was printed, metrics included, signed with the role of Pod Identity', async () => {
    const cloudwatch = await FakeCloudWatch.start(['bridge-logs']);
    await around.showApiServer();
    const container = image.run(
      {
        ...around.environment(port),
        PV_BRIDGE_LOG_GROUP: 'bridge-logs',
        AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: cloudwatch.server.url,
      },
      around.args,
      NO_WRITES,
    );
    await eventually(200, '/readyz', container);
    container.process.kill('SIGTERM');
    expect(await container.ended()).toBe(0);
    expect(cloudwatch.messages.toSorted()).toEqual(container.lines.toSorted());
    const metrics = cloudwatch.messages.map((line) => JSON.parse(line)).find(({ Lists }) => Lists !== undefined);
    expect(metrics).toMatchObject({ stage: 'test', service: 'pv-controller', Lists: [1, 1, 1] });
    expect([...cloudwatch.streams.keys()]).toEqual([expect.stringMatching(/^bridge-logs:bridge\/[^/]+\/20[\dT.-]+Z$/)]);
    expect([...cloudwatch.accessKeys]).toEqual(['AKIDPOD']);
    await cloudwatch.close();
  });

  it('are signed with the role of a web identity where IRSA gives one', async () => {
    const cloudwatch = await FakeCloudWatch.start(['bridge-logs']);
    const asked: string[] = [];
    const sts = await testServer(({ body }, response) => {
      asked.push(body);
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(
        `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>AKIDIRSA</AccessKeyId>
          <SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>
          <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>
        </AssumeRoleWithWebIdentityResponse>`,
      );
    });
    const { AWS_CONTAINER_CREDENTIALS_FULL_URI: _agent, ...environment } = around.environment(port);
    const container = image.run(
      {
        ...environment,
        AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/bridge',
        AWS_WEB_IDENTITY_TOKEN_FILE: `${around.directory}/token`,
        AWS_ENDPOINT_URL_STS: sts.url,
        PV_BRIDGE_LOG_GROUP: 'bridge-logs',
        AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: cloudwatch.server.url,
      },
      around.args,
    );
    await eventually(200, '/healthz', container);
    await vi.waitFor(() => expect(container.lines.length).toBeGreaterThan(0), { timeout: 10_000 });
    container.process.kill('SIGTERM');
    expect(await container.ended()).toBe(0);
    expect([...cloudwatch.accessKeys]).toEqual(['AKIDIRSA']);
    expect(asked[0]).toContain('role%2Fbridge');
    await Promise.all([cloudwatch.close(), sts.close()]);
  });
});
