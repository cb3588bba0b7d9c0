/** `npm run manifests`, and what infra/kubernetes/bridge promises. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as YAML from 'yaml';
import { parseStageConfig } from '../../infra/stage-config.ts';
import { DEFAULT_SETTINGS } from '../../lib/bridge/settings.ts';
import { ConfigError, readConfig } from '../../lib/config.ts';
import { SETTINGS } from '../../lib/settings.ts';
import { kustomize, type Manifest, manifestText } from '../../scripts/manifests/kustomize.ts';
import { bridgeLogGroup, bridgeSettings, stageManifests } from '../../scripts/manifests/stage.ts';
import { readDockerfile } from './dockerfile.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const KUBERNETES = join(ROOT, 'infra/kubernetes');
const BRIDGE = join(KUBERNETES, 'bridge');
const COMPONENTS = [join(BRIDGE, 'irsa'), join(BRIDGE, 'network-policy')];
const CONTAINER = { account: '123456789012', image: 'registry.example/bridge:1', networkPolicy: false };

let scratch: string;

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'manifests-'));
});

afterAll(() => rmSync(scratch, { recursive: true }));

function configOf(fields = '') {
  return parseStageConfig(`region: eu-central-1\ncluster: { name: example }\n${fields}`, 'prod.yml', 'prod');
}

/** As kubectl reads it. */
function parse(text: string): Manifest[] {
  return YAML.parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Manifest);
}

function idOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

function byId(objects: readonly Manifest[]): Record<string, Manifest> {
  return Object.fromEntries(objects.map((object) => [idOf(object), object]));
}

function run(...args: string[]) {
  const script = join(ROOT, 'scripts/manifests.ts');
  return spawnSync(process.execPath, [script, ...args], { cwd: scratch, encoding: 'utf8' });
}

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!hasKubectl) console.warn('kubectl is not installed: kustomizations are not held against it');

describe.skipIf(!hasKubectl && process.env['CI'] !== 'true')('our kustomize against kubectl', () => {
  const folders = readdirSync(KUBERNETES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('kustomization.yaml'))
    .filter((path) => readFileSync(join(KUBERNETES, path), 'utf8').includes('kind: Kustomization'))
    .map((path) => join(KUBERNETES, path, '..'));

  function kubectl(directory: string): Manifest[] {
    return parse(execFileSync('kubectl', ['kustomize', directory], { encoding: 'utf8' }));
  }

  it.each(folders.map((folder) => [relative(ROOT, folder), folder]))('makes the same of %s', (_name, folder) => {
    expect(byId(kustomize(folder))).toEqual(byId(kubectl(folder)));
  });

  it('makes the same of the bridge with its parts', () => {
    const overlay = mkdtempSync(join(scratch, 'overlay-'));
    const path = (folder: string) => relative(overlay, folder);
    const text = YAML.stringify({ resources: [path(BRIDGE)], components: COMPONENTS.map(path) });
    writeFileSync(join(overlay, 'kustomization.yaml'), text);
    expect(byId(kustomize(BRIDGE, COMPONENTS))).toEqual(byId(kubectl(overlay)));
  });

  it('prints what kubectl reads as the same', () => {
    const objects = stageManifests('prod', configOf('recycling: { enabled: true }'), CONTAINER);
    const directory = mkdtempSync(join(scratch, 'printed-'));
    writeFileSync(join(directory, 'all.yaml'), manifestText(objects));
    writeFileSync(join(directory, 'kustomization.yaml'), 'resources: [all.yaml]\n');
    expect(byId(kubectl(directory))).toEqual(byId(objects));
  });
});

describe('the manifests of a stage', () => {
  it('are the rights of its mode where the bridge is a Lambda', () => {
    const ids = stageManifests('prod', configOf(), undefined).map(idOf);
    expect(ids).toEqual(kustomize(join(KUBERNETES, 'observe')).map(idOf));
    const enforce = stageManifests('prod', configOf('mode: enforce'), undefined);
    expect(byId(enforce)).toEqual(byId(kustomize(join(KUBERNETES, 'enforce'))));
    expect(byId(enforce)).not.toEqual(byId(stageManifests('prod', configOf(), undefined)));
  });

  it('are those of enforce where the mode or an annotation may write, and pods are for enforce alone', () => {
    const enforce = byId(kustomize(join(KUBERNETES, 'enforce')));
    const rights = (text: string) => {
      const objects = byId(stageManifests('prod', configOf(`${text}recycling: { enabled: true }`), undefined));
      const verbs = JSON.stringify(objects['Role pv-recycler/pv-controller:volume-worker']);
      return { ...objects, canMakePods: verbs.includes('create') };
    };
    expect(rights('mode: assist\n')).toMatchObject({ ...enforce, canMakePods: false });
    expect(rights('modeMax: assist\n')).toMatchObject({ ...enforce, canMakePods: false });
    expect(rights('mode: assist\nmodeMax: enforce\n')).toMatchObject({ ...enforce, canMakePods: true });
    expect(rights('')).not.toMatchObject(enforce);
  });

  it('have recycling’s rights in its own namespace where it is on, namespaces first', () => {
    const config = configOf('recycling: { enabled: true, namespace: scrubbers }');
    const ids = stageManifests('prod', config, CONTAINER).map(idOf);
    expect(ids.slice(0, 2).sort()).toEqual(['Namespace pv-controller', 'Namespace scrubbers']);
    expect(ids).toContain('Role scrubbers/pv-controller:bridge');
    expect(ids.join()).not.toContain('pv-recycler');
  });

  it('have the container with its image and settings that it takes', () => {
    const config = configOf('mode: enforce\nqueues: { volumes: v.fifo }\nmonitoring: { detail: true }');
    const objects = byId(stageManifests('prod', config, CONTAINER));
    const data = objects['ConfigMap pv-controller/pv-controller-bridge']?.['data'] as Record<string, string>;
    expect(Object.values(data).every((value) => typeof value === 'string')).toBe(true);
    expect(readConfig(data)).toMatchObject({
      stage: 'prod',
      mode: 'enforce',
      region: 'eu-central-1',
      volumesQueueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/v.fifo',
      claimsQueueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/serverless-pv-controller-prod-claims.fifo',
      metricsDetail: 'on',
      clusterName: '',
      bridgeLogGroup: '/aws/serverless-pv-controller/prod/bridge',
    });
    expect(JSON.stringify(objects['Deployment pv-controller/pv-controller-bridge'])).toContain(CONTAINER.image);
    expect(JSON.stringify(objects)).not.toMatch(/replace.me/i);
  });

  it('replace the pods when a setting changes, and only then', () => {
    const template = (level: string) => {
      const objects = stageManifests('prod', configOf(`logs: { level: ${level} }`), CONTAINER);
      return JSON.stringify(objects.find(({ kind }) => kind === 'Deployment'));
    };
    expect(template('INFO')).toBe(template('INFO'));
    expect(template('INFO')).not.toBe(template('DEBUG'));
  });

  it('name the log group that the stack makes', () => {
    const text = readFileSync(join(ROOT, 'infra/options/bridge-container.yml'), 'utf8');
    const name = /LogGroupName: (\S+)/.exec(text)?.[1];
    const service = /^service: (\S+)/m.exec(readFileSync(join(ROOT, 'serverless.yml'), 'utf8'))?.[1] ?? '';
    expect(name?.replace(`\${self:service}`, service).replace(`\${sls:stage}`, 'prod')).toBe(bridgeLogGroup('prod'));
  });

  it('use China’s addresses in China', () => {
    const config = parseStageConfig('region: cn-north-1\ncluster: { name: example }', 'prod.yml', 'prod');
    expect(bridgeSettings('prod', config, '123456789012')['PV_CLAIMS_QUEUE_URL']).toContain(
      'https://sqs.cn-north-1.amazonaws.com.cn/',
    );
  });
});

describe('npm run manifests', () => {
  const stage = 'region: eu-central-1\ncluster: { name: example }\n';
  const irsa =
    '{ host: container, identity: irsa, oidcProviderArn: "arn:aws:iam::123456789012:oidc-provider/oidc.eks/id/A" }';

  beforeAll(() => {
    writeFileSync(join(scratch, 'lambda.yml'), stage);
    writeFileSync(join(scratch, 'container.yml'), `${stage}bridge: { host: container }\n`);
    writeFileSync(join(scratch, 'irsa.yml'), `${stage}bridge: ${irsa}\n`);
  });

  const inScratch = (name: string, ...args: string[]) => run('--stage', name, '--config-directory', scratch, ...args);
  const role = 'arn:aws:iam::123456789012:role/stack-BridgeRole-1';
  const given = ['--account', '123456789012', '--image', 'registry.example/bridge@sha256:'.padEnd(95, 'a')];

  it('prints a stage', () => {
    const { status, stdout, stderr } = inScratch('lambda');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(parse(stdout).map(idOf)).toContain('ClusterRole pv-controller:volume-worker');
  });

  it('prints the container with its role and network policy', () => {
    const { status, stdout, stderr } = inScratch('irsa', ...given, '--role-arn', role, '--network-policy');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const objects = byId(parse(stdout));
    expect(objects['ServiceAccount pv-controller/pv-controller-bridge']?.metadata.annotations).toEqual({
      'eks.amazonaws.com/role-arn': role,
    });
    expect(objects).toHaveProperty(['NetworkPolicy pv-controller/pv-controller-bridge']);
  });

  it('helps', () => {
    const { status, stdout } = run('--help');
    expect(status).toBe(0);
    for (const option of ['--stage', '--account', '--image', '--role-arn']) expect(stdout).toContain(option);
  });

  it.each<[string, string[], number, RegExp]>([
    ['no stage', [], 2, /--stage STAGE is needed/],
    ['an unknown option', ['--stag', 'x'], 2, /Unknown option '--stag'/],
    ['an unknown stage', ['--stage', 'none'], 1, /none\.yml does not exist: copy config\/example\.yml/],
    ['no account', ['container'], 2, /--account is needed.*get-caller-identity/],
    ['an account that is none', ['container', '--account', '1234'], 2, /--account must be twelve digits.*got "1234"/],
    ['no image', ['container', ...given.slice(0, 2)], 2, /--image is needed.*REPOSITORY:TAG/],
    ['an image without a tag', ['container', ...given.slice(0, 3), 'a.b/c'], 2, /--image must be.*got "a\.b\/c"/],
    ['no role', ['irsa', ...given], 2, /--role-arn is needed.*describe-stacks.*serverless-pv-controller-irsa/],
    ['a role without irsa', ['container', ...given, '--role-arn', role], 2, /--role-arn is for bridge\.identity: irsa/],
  ])('refuses %s and says what to do', (_what, args, code, message) => {
    const [name = ''] = args;
    const { status, stdout, stderr } = /^(container|irsa)$/.test(name)
      ? inScratch(name, ...args.slice(1))
      : run(...args);
    expect(stderr).toMatch(message);
    expect({ status, stdout }).toEqual({ status: code, stdout: '' });
    expect(stderr).not.toContain('    at ');
  });
});

interface PodSpec {
  readonly securityContext: Record<string, unknown>;
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly (Record<string, unknown> & {
    readonly ports: readonly { readonly containerPort: number }[];
    readonly securityContext: Record<string, unknown>;
  })[];
  readonly [field: string]: unknown;
}

describe('infra/kubernetes/bridge', () => {
  const objects = byId(kustomize(BRIDGE, COMPONENTS));
  const deployment = objects['Deployment pv-controller/pv-controller-bridge'] as unknown as {
    spec: { replicas: number; template: { spec: PodSpec } };
  };
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  it('keeps to the restricted level of pod security, which its namespace demands', () => {
    const { labels } = objects['Namespace pv-controller']?.metadata ?? {};
    expect(labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } });
    for (const { securityContext } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'volumes', 'initContainers']) {
      expect(pod).not.toHaveProperty(field);
    }
  });

  it('agrees with the image and the settings on user, port and time to stop', () => {
    const { user, group } = readDockerfile();
    expect(pod.securityContext).toMatchObject({ runAsUser: user, runAsGroup: group });
    const port = SETTINGS.healthPort.default;
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual([port]);
    expect(readFileSync(join(ROOT, 'infra/container/Dockerfile'), 'utf8')).toContain(`EXPOSE ${port}\n`);
    const policy = objects['NetworkPolicy pv-controller/pv-controller-bridge']?.['spec'];
    expect(policy).toMatchObject({ ingress: [{ ports: [{ port }] }] });
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(DEFAULT_SETTINGS.stopTimeoutMs + 5_000 + 10_000);
  });

  it('has a disruption budget that leaves one of two pods', () => {
    expect(deployment.spec.replicas).toBe(2);
    expect(objects['PodDisruptionBudget pv-controller/pv-controller-bridge']?.['spec']).toMatchObject({
      minAvailable: 1,
      selector: { matchLabels: { 'app.kubernetes.io/name': 'pv-controller-bridge' } },
    });
  });

  it('has placeholders that the bridge refuses, each of them', () => {
    const data = objects['ConfigMap pv-controller/pv-controller-bridge']?.['data'] as Record<string, string>;
    const placeholders = Object.entries(data).filter(([, value]) => value !== '');
    expect(placeholders.length).toBeGreaterThan(3);
    for (const [name, value] of placeholders) expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  });
});
