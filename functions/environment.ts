/** What every function shares: settings, observability, and one runtime per environment, made at the first event. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SQSClient } from '@aws-sdk/client-sqs';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import type { Connection } from '../lib/cluster/connection.ts';
import { eksTokenSource } from '../lib/cluster/eks-token.ts';
import { type Config, readConfig, requireSettings } from '../lib/config.ts';
import { Runtime } from '../lib/worker/runtime.ts';

/** Where a function's log lines and metrics go. */
export interface Observability {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export const SERVICE = 'pv-controller';

/** The logger and the metrics of one function, both under the service name `pv-controller`. */
export function createObservability(config: Pick<Config, 'logLevel'>): Observability {
  const logger = new Logger({ serviceName: SERVICE, logLevel: config.logLevel });
  return {
    logger,
    // It warns of invocations without metrics, on the console unless it is given a logger.
    metrics: new Metrics({ namespace: 'ServerlessPvController', serviceName: SERVICE, logger }),
  };
}

/** @throws ConfigError that names the variable that is missing or wrong. */
export function runtimeFromEnvironment(environment = process.env): Runtime {
  const config = readConfig(environment);
  requireSettings(
    config,
    'clusterEndpoint',
    'volumesQueueUrl',
    'claimsQueueUrl',
    'volumesDeadLetterUrl',
    'claimsDeadLetterUrl',
  );
  const { region, volumesQueueUrl, claimsQueueUrl, volumesDeadLetterUrl, claimsDeadLetterUrl } = config;
  return new Runtime({
    connection: connectionOf(config),
    config,
    sqs: new SQSClient({ region, credentials: fromEnv() }),
    queues: {
      PersistentVolume: { url: volumesQueueUrl, deadLetterUrl: volumesDeadLetterUrl },
      PersistentVolumeClaim: { url: claimsQueueUrl, deadLetterUrl: claimsDeadLetterUrl },
    },
  });
}

function connectionOf(config: Config): Connection {
  requireSettings(config, 'clusterName');
  const { clusterEndpoint: server, clusterCa, clusterName, region } = config;
  return {
    server,
    ...(clusterCa !== '' && { ca: Buffer.from(clusterCa, 'base64').toString('utf8') }),
    token: eksTokenSource({ clusterName, region, credentials: fromEnv() }),
  };
}

/** Calls `make` at the first use, and again only if it threw. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
