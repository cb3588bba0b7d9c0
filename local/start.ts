/** `npm start`: the whole system in one process, against any cluster. It writes nothing unless told to. */
import { ApiServerCluster } from '../lib/cluster/api-server.ts';
import type { Connection } from '../lib/cluster/connection.ts';
import { messageOf } from '../lib/controller/errors.ts';
import { isSupported } from '../lib/controller/features.ts';
import type { Cluster } from '../lib/controller/ports.ts';
import { inTreePlugins } from '../lib/plugins/in-tree.ts';
import { combineHooks } from '../lib/worker/hooks.ts';
import { refuseLiveBinder } from '../lib/worker/live-binder.ts';
import { maxModeOf } from '../lib/worker/mode.ts';
import { configOf, connectionOf, helpOf, main, type Options, parseOptions, UsageError } from './command-line.ts';
import { hostDisk } from './host-disk.ts';
import { createLog, type Level } from './log.ts';
import { logBridge, logKeys, logModes } from './log-hooks.ts';
import { addressesOf, clientFor, givenQueues } from './queue/addresses.ts';
import { runUntilSignal } from './run.ts';
import { isScoring, SCORE_OPTIONS, scoreUntilSignal } from './scoring/command.ts';

const OPTIONS: Options = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'the cluster; needed' },
  context: { type: 'string', value: 'NAME', help: 'a context of that file; default: its current one' },
  mode: {
    type: 'string',
    value: 'MODE',
    help: 'observe (default): say what would be done, write nothing; assist: finish what is half done; enforce: do it all',
  },
  grace: { type: 'string', value: 'SECONDS', help: 'assist: leave a change to others for so long; default: 60' },
  ...SCORE_OPTIONS,
  'volumes-queue-url': {
    type: 'string',
    value: 'URL',
    help: 'a real FIFO queue for volume keys; default: embedded queues',
  },
  'claims-queue-url': { type: 'string', value: 'URL', help: 'the same for claim keys' },
  'volumes-dead-letter-url': {
    type: 'string',
    value: 'URL',
    help: 'dead-letter queue of the first; default: read from its redrive policy',
  },
  'claims-dead-letter-url': { type: 'string', value: 'URL', help: 'dead-letter queue of the second' },
  'sqs-endpoint': { type: 'string', value: 'URL', help: 'where these queues are, if not at AWS' },
  region: { type: 'string', value: 'REGION', help: 'of these queues; default: AWS_REGION, else us-east-1' },
  'recycler-namespace': {
    type: 'string',
    value: 'NAME',
    help: 'namespace of recycler pods; without one nothing is recycled',
  },
  'host-path-storage': {
    type: 'boolean',
    help: 'delete and provision hostPath volumes on this machine, below /tmp; needs --recycler-namespace',
  },
  'beside-another-controller': {
    type: 'boolean',
    help: 'enforce although another controller is seen here, by its lease or its recent writes',
  },
  'log-level': { type: 'string', value: 'LEVEL', help: 'debug, info (default), warn, error or silent' },
};

const ABOUT =
  'Watches a cluster, decides as the PersistentVolume controller would, and in assist and enforce mode writes it.\n' +
  'Further settings: environment variables PV_… (docs/settings.md).';

async function start(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm start --', ABOUT, OPTIONS));
    return 0;
  }
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : undefined);
  const config = configOf(
    {
      PV_MODE: text('mode'),
      PV_GRACE_SECONDS: text('grace'),
      PV_LOG_LEVEL: text('log-level')?.toUpperCase(),
      PV_RECYCLER_NAMESPACE: text('recycler-namespace'),
      AWS_REGION: text('region'),
    },
    {
      PV_MODE: '--mode',
      PV_GRACE_SECONDS: '--grace',
      PV_LOG_LEVEL: '--log-level',
      PV_RECYCLER_NAMESPACE: '--recycler-namespace',
      AWS_REGION: '--region',
    },
  );
  const usesDisk = values['host-path-storage'] === true;
  if (usesDisk && config.recyclerNamespace === '')
    throw new UsageError('--host-path-storage needs --recycler-namespace');
  const given = givenQueues(values);
  const scores = isScoring(values, config);
  const connection = connectionOf(values);
  const log = createLog(config.logLevel.toLowerCase() as Level | 'silent');
  const isBeside = values['beside-another-controller'] === true || config.besideAnotherController === 'true';
  const version = await inspectCluster(connection, maxModeOf(config) === 'enforce' && !isBeside);
  if (!isSupported(version)) log.warn(`Kubernetes ${version.major}.${version.minor} is older than 1.31: not tested`);

  const where = `${connection.server}, Kubernetes ${version.major}.${version.minor}`;
  if (scores) return await scoreUntilSignal(values, { connection, config, log, where });

  const client = given && clientFor(config.region, text('sqs-endpoint'));
  const queue = given && client && { client, addresses: await addressesOf(client, given) };
  if (queue !== undefined && config.mode === 'observe') {
    log.warn('these queues must be of this run alone: the keys that it takes, an enforcing controller does not see');
  }
  const options = {
    connection,
    config,
    ...(queue && { queue }),
    ...(usesDisk && { plugins: (cluster: Cluster) => inTreePlugins(cluster, config, hostDisk) }),
    hooks: combineHooks(logKeys(log), logModes(log)),
    bridgeHooks: logBridge(log),
    onError: (error: unknown) => log.warn(String(error)),
  };
  return await runUntilSignal(options, log, () => {
    log.info(`${config.mode} on ${where}; ${queue === undefined ? 'embedded queues' : 'queues by URL'}; Ctrl-C stops`);
    if (maxModeOf(config) === 'observe') log.info('observe writes nothing; --mode enforce makes this the controller');
    if (config.mode === 'assist') log.info(`assist leaves every change to others for ${config.graceSeconds} s`);
  });
}

/** The server's version, and a refusal where somebody else binds. */
async function inspectCluster(connection: Connection, mustBeAlone: boolean) {
  const cluster = new ApiServerCluster(connection);
  try {
    const version = await cluster.serverVersion();
    if (mustBeAlone) await refuseLiveBinder(connection, { wayOut: '--beside-another-controller' });
    return version;
  } catch (error) {
    throw new Error(`${connection.server}: ${messageOf(error)}`, { cause: error });
  } finally {
    cluster.close();
  }
}

await main(start);
