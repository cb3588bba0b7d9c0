/** The bridge's container with its manifests on a real API server: its rights suffice, and its pod is admitted. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseStageConfig } from '../../infra/stage-config.ts';
import type { Manifest } from '../../scripts/manifests/kustomize.ts';
import { manifestText } from '../../scripts/manifests/kustomize.ts';
import { stageManifests } from '../../scripts/manifests/stage.ts';
import { Image } from '../bridge-container/image.ts';
import { freePort, Surroundings } from '../bridge-container/surroundings.ts';
import { controllerKind, skipReason } from './controller-under-test.ts';
import { type ControlPlane, startControlPlane } from './harness.ts';
import { kubectl } from './permissions.ts';

const isRun = skipReason === undefined && controllerKind === 'ours';
const STAGE =
  'region: eu-central-1\ncluster: { name: example }\nbridge: { host: container }\nrecycling: { enabled: true }';

describe.skipIf(!isRun)('the bridge’s container', () => {
  let plane: ControlPlane;
  let around: Surroundings;
  let image: Image;
  const objects = stageManifests('prod', parseStageConfig(STAGE, 'prod.yml', 'prod'), {
    account: '123456789012',
    image: 'registry.example/bridge:1',
    networkPolicy: true,
  });

  beforeAll(async () => {
    [plane, around, image] = await Promise.all([startControlPlane(), Surroundings.start(), Image.create()]);
    const file = join(plane.directory, 'stage.yaml');
    writeFileSync(file, manifestText(objects));
    await kubectl('apply', '--kubeconfig', plane.kubeconfig(), '-f', file);
  });

  afterAll(async () => {
    await image?.remove();
    await around?.stop();
    await plane?.stop();
  });

  function podOf(change: (container: Record<string, unknown>) => void): Manifest {
    const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as {
      spec: { template: { spec: { containers: { securityContext: Record<string, unknown> }[] } } };
    };
    const spec = structuredClone(deployment.spec.template.spec);
    for (const { securityContext } of spec.containers) change(securityContext);
    const metadata = { name: 'bridge', namespace: 'pv-controller' };
    return { apiVersion: 'v1', kind: 'Pod', metadata, spec } as Manifest;
  }

  test('its pod is admitted under the restricted level, and not with less', async () => {
    const pods = '/api/v1/namespaces/pv-controller/pods?dryRun=All';
    const good = await plane.client().request(
      'POST',
      pods,
      podOf(() => {}),
    );
    expect(good.status).toBe(201);
    for (const field of ['allowPrivilegeEscalation', 'capabilities']) {
      const bad = await plane.client().request(
        'POST',
        pods,
        podOf((context) => delete context[field]),
      );
      expect(bad.status).toBe(403);
      expect(JSON.stringify(bad.body)).toContain('violates PodSecurity');
    }
  });

  test('becomes ready with nothing but its service account, and sends keys', async () => {
    const { hostname, port } = new URL(plane.url);
    const token = await kubectl(
      ...['create', 'token', 'pv-controller-bridge', '-n', 'pv-controller', '--kubeconfig', plane.kubeconfig()],
    );
    writeFileSync(join(around.directory, 'token'), token.trim());
    writeFileSync(join(around.directory, 'ca.crt'), readFileSync(plane.caFile));
    await plane.client().request('POST', '/api/v1/persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-1' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi: { driver: 'a.b', volumeHandle: '1' } },
    });
    const probes = await freePort();
    const container = image.run(
      {
        ...around.environment(probes),
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port,
        PV_RECYCLER_NAMESPACE: 'pv-recycler',
      },
      around.args,
    );
    await vi.waitFor(
      async () => {
        const { status } = await fetch(`http://127.0.0.1:${probes}/readyz`);
        expect({ status, lines: container.lines }).toMatchObject({ status: 200 });
      },
      { timeout: 20_000, interval: 200 },
    );
    await vi.waitFor(async () => expect(await around.volumesSent()).toEqual(['pv-1']), { timeout: 10_000 });
    container.process.kill('SIGTERM');
    expect(await container.ended()).toBe(0);
    expect(container.lines.filter((line) => line.includes('"what":'))).toEqual([]);
  });
});
