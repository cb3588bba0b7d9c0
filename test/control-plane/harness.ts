/**
 * A real control plane for tests. What else may be imported from here: the types of its options and of what it hands out.
 */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerPlan, apiServerCaFile, apiServerUrl, startApiServer } from './api-server.ts';
import { controlPlaneBinary } from './build.ts';
import { ControlPlane } from './control-plane.ts';
import { startEtcd } from './etcd.ts';
import { admin, writeKubeconfigs, writeServiceAccountKey, writeTokens } from './identities.ts';
import { type ControlPlaneOptions, defaultDisabledAdmission, versionArguments } from './options.ts';
import { freePort } from './ports.ts';

export type { ApiClient, ApiResponse } from './api-client.ts';
export { type ControlPlaneBinary, controlPlaneBinary, olderManagerBinary } from './build.ts';
export type { ControlPlane } from './control-plane.ts';
export type { ControllerManagerOptions } from './controller-manager.ts';
export type { Identity } from './identities.ts';
export type { ManagedProcess } from './managed-process.ts';
export type { ControlPlaneOptions } from './options.ts';
export type { Provisioner, ProvisionerCall, ProvisionerOptions } from './provisioner.ts';

/**
 * Starts etcd and the API server; it takes a few seconds. Fails where the binary has not been built.
 *
 * @example
 * const plane = await startControlPlane();
 * await plane.startControllerManager({ binder: true });
 * await plane.client().request('POST', '/api/v1/persistentvolumes', volume);
 * await plane.stop();
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const found = await controlPlaneBinary();
  if ('missing' in found) throw new Error(found.missing);
  const binary = found.path;
  const directory = await mkdtemp(join(tmpdir(), 'control-plane-'));
  const { file: tokenFile, tokens } = await writeTokens(directory, options.auth ?? []);
  const serviceAccountKey = await writeServiceAccountKey(directory);
  const versionArgs = versionArguments(options);
  const etcd = await startEtcd(binary, directory);
  try {
    const plan: ApiServerPlan = {
      binary,
      directory,
      tokenFile,
      serviceAccountKey,
      etcdUrl: etcd.url,
      port: await freePort(),
      adminToken: tokens.get(admin) ?? '',
      disableAdmission: options.disableAdmission ?? defaultDisabledAdmission,
      extraArgs: [...versionArgs, ...(options.apiServerArgs ?? [])],
    };
    const apiServer = await startApiServer(plan);
    const caFile = apiServerCaFile(directory);
    await writeKubeconfigs(directory, apiServerUrl(plan), caFile, tokens);
    const ca = await readFile(caFile, 'utf8');
    return new ControlPlane({ plan, etcd: etcd.process, apiServer, tokens, ca, versionArgs });
  } catch (error) {
    // The directory stays: the error names a log in it.
    await etcd.process.stop();
    throw error;
  }
}
