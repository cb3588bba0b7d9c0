/** What every function shares: settings, observability, and one runtime per environment, made at the first event. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SQSClient } from '@aws-sdk/client-sqs';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import type { AwsCredentials } from '../lib/cluster/aws-signer.ts';
import type { Connection } from '../lib/cluster/connection.ts';
import { describeCluster } from '../lib/cluster/eks-cluster.ts';
import { eksTokenSource } from '../lib/cluster/eks-token.ts';
import { type Config, ConfigError, readConfig, requireSettings } from '../lib/config.ts';
import { NAMESPACE } from '../lib/observability/catalogue.ts';
import { SETTINGS } from '../lib/settings.ts';
import { refuseLiveBinder } from '../lib/worker/live-binder.ts';
import { maxModeOf } from '../lib/worker/mode.ts';
import { Runtime, type RuntimeOptions } from '../lib/worker/runtime.ts';

/** Where a function's log lines and metrics go. */
export interface Observability {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export const SERVICE = 'pv-controller';

/** The logger and the metrics of one function, both under the service name `pv-controller`; metrics also by stage. */
export function createObservability({
  logLevel,
  stage = SETTINGS.stage.default,
}: Pick<Config, 'logLevel'> & Partial<Pick<Config, 'stage'>>): Observability {
  const logger = new Logger({ serviceName: SERVICE, logLevel });
  return {
    logger,
    // It warns of invocations without metrics, on the console unless it is given a logger.
    metrics: new Metrics({ namespace: NAMESPACE, serviceName: SERVICE, defaultDimensions: { stage }, logger }),
  };
}

/**
 * Connects to what the variables name. EKS is asked for the API server when they do not say where it is.
 * @param listeners of the runtime.
 * @throws ConfigError that names the variable that is missing or wrong.
 * @throws EksClusterError when EKS does not say where the API server is.
 */
export async function runtimeFromEnvironment(
  environment = process.env,
  listeners: Pick<RuntimeOptions, 'onBatchSent'> = {},
): Promise<Runtime> {
  const config = readConfig(environment);
  requireSettings(
    config,
    'clusterName',
    'volumesQueueUrl',
    'claimsQueueUrl',
    'volumesDeadLetterUrl',
    'claimsDeadLetterUrl',
  );
  const { volumesQueueUrl, claimsQueueUrl, volumesDeadLetterUrl, claimsDeadLetterUrl } = config;
  const credentials = fromEnv();
  const sqs = sqsClient(config, credentials);
  return new Runtime({
    connection: await connectionOf(config, credentials),
    config,
    sqs,
    ...listeners,
    queues: {
      PersistentVolume: { url: volumesQueueUrl, deadLetterUrl: volumesDeadLetterUrl },
      PersistentVolumeClaim: { url: claimsQueueUrl, deadLetterUrl: claimsDeadLetterUrl },
    },
  });
}

/**
 * The same for a function that writes. Where it may enforce anything, it does not begin beside another controller, unless told to.
 * @throws Error that says who works there, or that nobody can tell, and what to do; the next event asks again.
 */
export async function workerRuntimeFromEnvironment(environment = process.env): Promise<Runtime> {
  const runtime = await runtimeFromEnvironment(environment);
  const { besideAnotherController, requestTimeoutMs } = runtime.config;
  if (maxModeOf(runtime.config) !== 'enforce' || besideAnotherController === 'true') return runtime;
  try {
    await refuseLiveBinder(runtime.connection, {
      wayOut: `${SETTINGS.besideAnotherController.variable}=true`,
      requestTimeoutMs,
    });
    return runtime;
  } catch (error) {
    runtime.close();
    throw error;
  }
}

/**
 * A client of the place where the queues are. Endpoint, its provider and the retry mode are said outright: what the SDK
 * would find them with is left out of the bundles (scripts/left-out.ts).
 */
function sqsClient(config: Config, credentials: AwsCredentials): SQSClient {
  const { region, volumesQueueUrl, claimsQueueUrl, volumesDeadLetterUrl, claimsDeadLetterUrl } = config;
  const urls = [volumesQueueUrl, claimsQueueUrl, volumesDeadLetterUrl, claimsDeadLetterUrl];
  const origins = [...new Set(urls.map((url) => new URL(url).origin))];
  if (config.sqsEndpoint === '' && origins.length > 1) {
    throw new ConfigError(`the queues' URLs name different hosts (${origins.join(', ')}): set PV_SQS_ENDPOINT`);
  }
  const endpoint = config.sqsEndpoint || origins.join();
  const endpointProvider = () => ({ url: new URL(endpoint) });
  return new SQSClient({ region, credentials, retryMode: 'standard', endpoint, endpointProvider });
}

async function connectionOf(config: Config, credentials: AwsCredentials): Promise<Connection> {
  const { clusterName, region, clusterEndpoint: server, clusterCa, eksEndpoint, requestTimeoutMs } = config;
  const token = eksTokenSource({ clusterName, region, credentials });
  if (server !== '') {
    return { server, ...(clusterCa !== '' && { ca: Buffer.from(clusterCa, 'base64').toString('utf8') }), token };
  }
  if (clusterCa !== '') throw new ConfigError('PV_CLUSTER_CA is set without PV_CLUSTER_ENDPOINT: set both, or none');
  const where = { clusterName, region, credentials, endpoint: eksEndpoint, timeoutMs: requestTimeoutMs };
  return { ...(await describeCluster(where)), token };
}

/** Calls `make` at the first use, and again only if it failed. */
export function lazy<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    if (made === undefined) {
      made = (async () => make())();
      made.catch(() => {
        made = undefined;
      });
    }
    return made;
  };
}
