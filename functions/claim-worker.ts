/** Lambda: syncs the PersistentVolumeClaims whose keys come from the claims queue. */
import { readConfig } from '../lib/config.ts';
import { tracing } from '../lib/observability/trace.ts';
import { createObservability, lazy, workerRuntimeFromEnvironment } from './environment.ts';
import { createWorkerFunction } from './worker.ts';

const config = readConfig(process.env);

export const handler = createWorkerFunction(
  'PersistentVolumeClaim',
  lazy(workerRuntimeFromEnvironment),
  createObservability(config),
  { ...tracing(), hasDetail: config.metricsDetail === 'on' },
);
