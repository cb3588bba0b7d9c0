/**
 * The container: the watch bridge as a plain process (DESIGN D8). It runs until SIGTERM, then sends what it has seen and
 * ends with 0; a wrong setting ends it with 2, anything else unexpected with 1.
 */
import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { SQSClient } from '@aws-sdk/client-sqs';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { auditBus } from '../functions/audit-bus.ts';
import { createObservability } from '../functions/environment.ts';
import type { AwsCredentials } from '../lib/cluster/aws-signer.ts';
import { ConnectionError } from '../lib/cluster/errors.ts';
import { VERSION } from '../lib/cluster/transport.ts';
import { type Config, ConfigError, readConfig, requireSettings } from '../lib/config.ts';
import { messageOf } from '../lib/controller/errors.ts';
import { LogShipper } from './cloudwatch-logs.ts';
import { connectionOf } from './connection.ts';
import { followLines } from './printed-lines.ts';
import { runService } from './service.ts';

const HELP = `Usage: main.mjs [options]

The watch bridge: follows the cluster's volumes and claims and sends the keys that need a sync to SQS.
Settings are environment variables PV_… (docs/settings.md); PV_VOLUMES_QUEUE_URL and PV_CLAIMS_QUEUE_URL are needed.

  --service-account DIRECTORY  where the pod's service account is, if not where Kubernetes mounts it
  --probe-address ADDRESS      where /healthz and /readyz are served; default: all addresses of the pod
  --version                    print the version
  --help                       this text
`;

/** Time to send the last lines to CloudWatch. With the bridge's 10 s it must fit into terminationGracePeriodSeconds. */
const LAST_LINES_MS = 5_000;

async function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      'service-account': { type: 'string' },
      'probe-address': { type: 'string' },
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help || values.version) {
    process.stdout.write(values.help ? HELP : `${VERSION}\n`);
    return 0;
  }
  const config = readConfig(environment);
  requireSettings(config, 'volumesQueueUrl', 'claimsQueueUrl');
  // Pod Identity, a web identity, or variables: one provider for all, which renews what expires.
  const credentials = defaultProvider();
  const connection = connectionOf(config, credentials, environment, values['service-account']);
  const stop = stopSignal();
  const lastLines = shipLines(config, credentials);
  const observability = createObservability(config);
  const { logger } = observability;
  const { region, sqsEndpoint } = config;
  const sqs = new SQSClient({
    region,
    credentials,
    ...(sqsEndpoint !== '' && { endpoint: sqsEndpoint }),
  });
  process.on('uncaughtException', (error) => {
    logger.critical('unexpected error, the process ends', error);
    void lastLines().then(() => process.exit(1));
  });
  try {
    const bus = auditBus(config, observability, credentials);
    await runService({ config, connection, sqs, observability, bus, probeAddress: values['probe-address'] }, stop);
    return 0;
  } catch (error) {
    logger.critical('unexpected error, the process ends', error as Error);
    return 1;
  } finally {
    sqs.destroy();
    await lastLines();
  }
}

/** Aborted by the first SIGTERM or SIGINT; a second one ends the process as usual. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** Sends what is printed from now on to the log group, if there is one. @returns sends the last lines; never rejects. */
function shipLines({ bridgeLogGroup: group, region }: Config, credentials: AwsCredentials): () => Promise<void> {
  if (group === '') return async () => {};
  const client = new CloudWatchLogsClient({ region, credentials });
  // A colon is not allowed in a stream's name.
  const stream = `bridge/${hostname()}/${new Date().toISOString().replaceAll(':', '-')}`;
  const lines = followLines([process.stdout, process.stderr], (line) => shipper.add(line));
  const shipper = new LogShipper({
    client,
    group,
    stream,
    report: (message, details) => {
      const timestamp = new Date().toISOString();
      lines.print(JSON.stringify({ level: 'WARN', message, timestamp, ...details }));
    },
  });
  return async () => {
    lines.stop();
    await shipper.stop(LAST_LINES_MS);
    client.destroy();
  };
}

/** Wrong words on the command line, or in a setting. */
function isUsageError(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return error instanceof ConfigError || error instanceof ConnectionError || code.startsWith('ERR_PARSE_ARGS_');
}

try {
  // Not `exitCode`: nothing that is left over may keep a pod from ending.
  process.exit(await main(process.argv.slice(2), process.env));
} catch (error) {
  const isUsage = isUsageError(error);
  process.stderr.write(`error: ${messageOf(error)}\n${isUsage ? 'Try --help.\n' : ''}`);
  process.exit(isUsage ? 2 : 1);
}
