import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiClient, apiClient } from './api-client.ts';
import { ManagedProcess } from './managed-process.ts';

/** Everything that a start of the API server needs; a restart uses the same again. */
export interface ApiServerPlan {
  readonly binary: string;
  readonly directory: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly tokenFile: string;
  readonly serviceAccountKey: string;
  readonly adminToken: string;
  readonly disableAdmission: readonly string[];
  /** Feature gates, the emulated version, and what else a test wants. */
  readonly extraArgs: readonly string[];
}

/**
 * How long an API server that is stopped may drain. It would wait for watches to end by themselves, which takes minutes;
 * after this they are cut.
 */
export const drainMilliseconds = 2_000;

/** Where the API server is reached. */
export function apiServerUrl(plan: ApiServerPlan): string {
  return `https://127.0.0.1:${plan.port}`;
}

/** The certificate that the API server makes for itself; the file holds its issuer too, so it is its own CA bundle. */
export function apiServerCaFile(directory: string): string {
  return join(directory, 'certificates', 'apiserver.crt');
}

/** Starts the API server and waits until it serves, and has made the namespace `default`. */
export async function startApiServer(plan: ApiServerPlan): Promise<ManagedProcess> {
  const server = await ManagedProcess.start({
    binary: plan.binary,
    program: 'kube-apiserver',
    logFile: join(plan.directory, 'kube-apiserver.log'),
    args: apiServerArguments(plan),
  });
  let client: ApiClient | undefined;
  try {
    return await server.untilReady(async () => {
      client ??= await clientOf(plan);
      // readyz comes first: before it, a look at a namespace can be refused for want of RBAC objects.
      return (await isOk(client, '/readyz')) && (await isOk(client, '/api/v1/namespaces/default'));
    });
  } finally {
    client?.close();
  }
}

function apiServerArguments(plan: ApiServerPlan): string[] {
  return [
    `--etcd-servers=${plan.etcdUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${plan.port}`,
    `--cert-dir=${join(plan.directory, 'certificates')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://localhost',
    `--service-account-key-file=${plan.serviceAccountKey}`,
    `--service-account-signing-key-file=${plan.serviceAccountKey}`,
    `--token-auth-file=${plan.tokenFile}`,
    '--authorization-mode=RBAC',
    // The service `kubernetes` cannot point at 127.0.0.1; trying to make it do so fills the log with errors.
    '--endpoint-reconciler-type=none',
    ...(plan.disableAdmission.length > 0 ? [`--disable-admission-plugins=${plan.disableAdmission.join(',')}`] : []),
    ...plan.extraArgs,
  ];
}

async function clientOf(plan: ApiServerPlan): Promise<ApiClient> {
  const ca = await readFile(apiServerCaFile(plan.directory), 'utf8');
  return apiClient(apiServerUrl(plan), ca, plan.adminToken);
}

async function isOk(client: ApiClient, path: string): Promise<boolean> {
  return (await client.request('GET', path)).status === 200;
}
