/** The scripted in-tree plugin of the conformance data (BEHAVIOUR appendix A): its call lists are consumed in order. */
import { isDeepStrictEqual } from 'node:util';
import type { ProvisionOptions, RecycleResult, VolumePlugin } from '../../lib/controller/plugins.ts';
import type { PersistentVolume } from '../../lib/controller/types.ts';
import type { PluginScript } from './data.ts';

type Result = 'success' | { error: string };

export class MockPlugin implements VolumePlugin {
  readonly name: string;
  readonly supportsMountOptions = false;
  readonly #script: PluginScript;
  #deletes = 0;
  #recycles = 0;
  #provisions = 0;

  constructor(script: PluginScript) {
    this.name = script.name;
    this.#script = script;
  }

  supports(): boolean {
    return true;
  }

  async recycle(): Promise<RecycleResult> {
    const calls = this.#script.recycleCalls;
    if (calls.length === 0) throw new Error('Mock plugin error: no recycleCalls configured');
    const call = this.#recycles++;
    succeed(calls[call], `unexpected recycle call ${call}`);
    return 'done';
  }

  newDeleter(): () => Promise<void> {
    const calls = this.#script.deleteCalls;
    if (calls.length === 0) throw new Error('Mock plugin error: no deleteCalls configured');
    return async () => {
      const call = this.#deletes;
      if (call < calls.length) this.#deletes++;
      succeed(calls[call], `unexpected deleter call ${call}`);
    };
  }

  newProvisioner(options: ProvisionOptions): () => Promise<PersistentVolume> {
    const calls = this.#script.provisionCalls;
    if (calls.length === 0) throw new Error('Mock plugin error: no provisionCalls configured');
    return async () => {
      const at = this.#provisions++;
      const call = calls[at];
      const expected = call?.expectedParameters ?? {};
      if (!isDeepStrictEqual(options.storageClass.parameters ?? {}, expected)) {
        throw new Error('Mock plugin error: unexpected class parameters');
      }
      succeed(call?.result, `unexpected provision call ${at}`);
      return provisioned(options);
    };
  }
}

function succeed(result: Result | undefined, unexpected: string): void {
  if (result === undefined) throw new Error(`Mock plugin error: ${unexpected}`);
  if (result !== 'success') throw new Error(result.error);
}

function provisioned({ volumeName, claim, storageClass }: ProvisionOptions): PersistentVolume {
  return {
    metadata: { name: volumeName },
    spec: {
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      accessModes: claim.spec.accessModes ?? [],
      capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '0' },
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
      gcePersistentDisk: { pdName: '' },
    },
  };
}
