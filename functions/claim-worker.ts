/** Lambda: syncs the PersistentVolumeClaims whose keys come from the claims queue. */
import { readConfig } from '../lib/config.ts';
import { tracing } from '../lib/observability/trace.ts';
import { createObservability, lazy, runtimeFromEnvironment } from './environment.ts';
import { createWorkerFunction } from './worker.ts';

export const handler = createWorkerFunction(
  'PersistentVolumeClaim',
  lazy(runtimeFromEnvironment),
  createObservability(readConfig(process.env)),
  tracing(),
);
