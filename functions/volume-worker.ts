/** Lambda: syncs the PersistentVolumes whose keys come from the volumes queue. */
import { readConfig } from '../lib/config.ts';
import { tracing } from '../lib/observability/trace.ts';
import { createObservability, lazy, runtimeFromEnvironment } from './environment.ts';
import { createWorkerFunction } from './worker.ts';

export const handler = createWorkerFunction(
  'PersistentVolume',
  lazy(runtimeFromEnvironment),
  createObservability(readConfig(process.env)),
  tracing(),
);
