/** This machine's disk, for hostPath volumes that are deleted and provisioned where the controller runs. */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import type { HostDisk } from '../lib/plugins/host-path.ts';

export const hostDisk: HostDisk = {
  makeDirectory: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o750 });
  },
  removeDirectory: async (path) => {
    await rm(path, { recursive: true, force: true });
  },
  uuid: () => randomUUID(),
};
