/** Lambda: syncs the PersistentVolumeClaims whose keys come from the claims queue. */
import { readConfig } from '../lib/config.ts';
import { tracing } from '../lib/observability/trace.ts';
import { auditBus } from './audit-bus.ts';
import { createObservability, lazy, workerRuntimeFromEnvironment } from './environment.ts';
import { createWorkerFunction } from './worker.ts';

const config = readConfig(process.env);
const observability = createObservability(config);

export const handler = createWorkerFunction(
  'PersistentVolumeClaim',
  lazy(workerRuntimeFromEnvironment),
  observability,
  { ...tracing(), hasDetail: config.metricsDetail === 'on', bus: auditBus(config, observability) },
);
