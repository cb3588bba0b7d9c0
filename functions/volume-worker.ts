/** Lambda: syncs the PersistentVolumes whose keys come from the volumes queue. */
import { readConfig } from '../lib/config.ts';
import { tracing } from '../lib/observability/trace.ts';
import { createObservability, lazy, workerRuntimeFromEnvironment } from './environment.ts';
import { createWorkerFunction } from './worker.ts';

const config = readConfig(process.env);

export const handler = createWorkerFunction(
  'PersistentVolume',
  lazy(workerRuntimeFromEnvironment),
  createObservability(config),
  { ...tracing(), hasDetail: config.metricsDetail === 'on' },
);
