/** The metrics page of a controller manager that lets anybody read it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiClient } from '../control-plane/api-client.ts';
import type { ManagedProcess } from '../control-plane/harness.ts';

/** @returns what reads it. @throws Error when the log of the manager does not say where it serves. */
export async function metricsOf(manager: ManagedProcess, directory: string): Promise<() => Promise<string>> {
  const [, address] = /Serving securely on (127\.0\.0\.1:\d+)/.exec(await readFile(manager.logFile, 'utf8')) ?? [];
  if (address === undefined) throw new Error(`${manager.logFile} does not say where ${manager.name} serves`);
  const ca = await readFile(join(directory, `${manager.name}-certificates`, 'kube-controller-manager.crt'), 'utf8');
  return async () => {
    const client = apiClient(`https://${address}`, ca);
    try {
      const { status, body } = await client.request<string>('GET', '/metrics');
      if (status !== 200) throw new Error(`GET /metrics of ${manager.name}: ${status}`);
      return body;
    } finally {
      client.close();
    }
  };
}
