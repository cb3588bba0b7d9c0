/** The manifests of infra/kubernetes: what no role may have, and that a real API server takes them all. */
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { controllerKind, skipReason } from './controller-under-test.ts';
import { type ControlPlane, startControlPlane } from './harness.ts';
import { applyManifest, isRole, kubectl, type Manifest, manifestsFolder, rendered } from './permissions.ts';

const file = 'kustomization.yaml';
/** Folders that `kubectl apply -k` takes; components are for other kustomizations only. */
const folders = readdirSync(manifestsFolder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith(file))
  .filter((path) => parse(readFileSync(join(manifestsFolder, path), 'utf8')).kind === 'Kustomization')
  .map((path) => relative('.', dirname(path)))
  .sort();
const isRun = skipReason === undefined && controllerKind === 'ours';
const reading = ['get', 'list', 'watch'];

interface Binding extends Manifest {
  readonly roleRef: { readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string }[];
}

const isBinding = (manifest: Manifest): manifest is Binding => manifest.kind.endsWith('Binding');

async function rulesIn(folder: string) {
  return (await rendered(folder)).filter(isRole).flatMap(({ rules }) => rules);
}

describe.skipIf(!isRun)('roles of infra/kubernetes', () => {
  test.each(folders)('%s: no wildcard, no secrets, no role of Kubernetes itself', async (folder) => {
    const manifests = await rendered(folder);
    for (const { apiGroups, resources, verbs } of await rulesIn(folder)) {
      expect([...apiGroups, ...resources, ...verbs].filter((word) => word.includes('*'))).toEqual([]);
      expect(
        resources.filter((resource) => /secret|token|impersonat|serviceaccount|^roles|bindings/.test(resource)),
      ).toEqual([]);
      expect(verbs.filter((verb) => ['escalate', 'bind', 'impersonate'].includes(verb))).toEqual([]);
    }
    const roles = manifests.filter(isRole).map(({ metadata }) => metadata.name);
    for (const { roleRef, subjects } of manifests.filter(isBinding)) {
      expect(roles).toContain(roleRef.name);
      for (const { kind, name } of subjects) {
        expect(name).toMatch(kind === 'Group' ? /^pv-controller:[a-z-]+$/ : /^pv-controller-bridge$/);
      }
    }
  });

  test.each(['observe', 'recycling/observe'])('%s has no verb that writes', async (folder) => {
    const verbs = (await rulesIn(folder)).flatMap((rule) => rule.verbs);
    expect(verbs).not.toEqual([]);
    expect(verbs.filter((verb) => !reading.includes(verb))).toEqual([]);
  });

  test.each([
    ['observe', 'enforce'],
    ['recycling/observe', 'recycling/enforce'],
  ])('applying %s takes back what %s gave: the objects are the same', async (reads, writes) => {
    const names = async (folder: string) =>
      (await rendered(folder)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(await names(reads)).toEqual(await names(writes));
  });
});

interface FlowSchema extends Manifest {
  readonly spec: {
    readonly priorityLevelConfiguration: { readonly name: string };
    readonly rules: readonly {
      readonly subjects: readonly {
        readonly group?: { readonly name: string };
        readonly serviceAccount?: { readonly namespace: string; readonly name: string };
      }[];
    }[];
  };
}

interface PriorityLevel extends Manifest {
  readonly spec: {
    readonly limited: { readonly lendablePercent: number; readonly borrowingLimitPercent: number };
  };
}

describe.skipIf(!isRun)('flow-control', () => {
  test('is for everybody who has a role, and for nobody else', async () => {
    const subjects = (await rendered('observe')).filter(isBinding).flatMap((binding) => binding.subjects);
    const flows = (await rendered('flow-control')).filter(({ kind }) => kind === 'FlowSchema') as FlowSchema[];
    const matched = flows.flatMap(({ spec }) => spec.rules.flatMap((rule) => rule.subjects));
    const names = matched.map(({ group, serviceAccount }) => group?.name ?? serviceAccount?.name);

    expect(names.sort()).toEqual(subjects.map(({ name }) => name).sort());
  });

  test('leads to a priority level of its own, which borrows nothing and keeps half of its own', async () => {
    const manifests = await rendered('flow-control');
    const [flow] = manifests.filter(({ kind }) => kind === 'FlowSchema') as FlowSchema[];
    const [level] = manifests.filter(({ kind }) => kind === 'PriorityLevelConfiguration') as PriorityLevel[];

    expect(flow?.spec.priorityLevelConfiguration.name).toBe(level?.metadata.name);
    expect(level?.spec.limited).toMatchObject({ lendablePercent: 50, borrowingLimitPercent: 0 });
  });
});

describe.skipIf(!isRun)('kubectl apply --dry-run=server', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane();
  });

  afterAll(() => plane?.stop());

  /** @returns one line for each object. */
  async function dryRun(...args: readonly string[]): Promise<string[]> {
    const output = await kubectl('apply', '--dry-run=server', '--kubeconfig', plane.kubeconfig(), ...args);
    return output.trim().split('\n');
  }

  test.each(folders)('%s is accepted', async (folder) => {
    const manifests = await rendered(folder);
    // A dry run makes no namespace, so what is inside of one is refused until it is there.
    const namespaces = new Set(manifests.flatMap(({ metadata }) => metadata.namespace ?? []));
    for (const name of namespaces) {
      await applyManifest(plane.client(), { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }

    const said = await dryRun('-k', join(manifestsFolder, folder));

    expect(said).toHaveLength(manifests.length);
    expect(said.filter((line) => !line.endsWith('(server dry run)'))).toEqual([]);
  });

  test('a manifest with a field that does not exist is not', async () => {
    const path = join(plane.directory, 'broken.yaml');
    const [role] = (await rendered('observe')).filter(isRole);
    await writeFile(path, JSON.stringify({ ...role, rulez: [] }));

    await expect(dryRun('-f', path)).rejects.toThrow('unknown field "rulez"');
  });
});
