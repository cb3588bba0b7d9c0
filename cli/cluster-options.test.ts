import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { kubeconfigOf } from '../test/doctor/served-cluster.ts';
import { connectionFrom } from './cluster-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-options-'));
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true }));

const POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

/** As if the program had been started with these. */
function withEnvironment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  vi.stubEnv('KUBECONFIG', undefined);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return process.env;
}

function fileFor(server: string): string {
  const file = join(folder, new URL(server).hostname);
  writeFileSync(file, kubeconfigOf(server));
  return file;
}

describe('the cluster is', () => {
  it('that of --kubeconfig, even inside a pod', async () => {
    const kubeconfig = fileFor('https://named.example');
    expect((await connectionFrom({ kubeconfig }, withEnvironment({ ...POD, HOME: folder }))).server).toBe(
      'https://named.example',
    );
  });

  it('that of --context', async () => {
    const kubeconfig = fileFor('https://named.example');
    await expect(connectionFrom({ kubeconfig, context: 'other' }, {})).rejects.toThrow(
      'no context "other": it has test',
    );
  });

  it('that of KUBECONFIG where no option names one', async () => {
    const env = withEnvironment({ KUBECONFIG: fileFor('https://environment.example') });
    expect((await connectionFrom({}, env)).server).toBe('https://environment.example');
  });

  it('that of the pod where there is no file', async () => {
    await expect(connectionFrom({}, withEnvironment({ ...POD, HOME: folder }))).rejects.toThrow(
      'no service account at',
    );
  });

  it('none outside of a pod without a file, and the file is named', async () => {
    await expect(connectionFrom({}, withEnvironment({ HOME: folder }))).rejects.toThrow(
      `kubeconfig ${join(folder, '.kube', 'config')} does not exist`,
    );
  });
});
