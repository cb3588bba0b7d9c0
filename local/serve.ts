/** `npm run test:serve`: the whole system in enforce mode with a simulated in-tree plugin, for test suites. */
import { configOf, connectionOf, helpOf, main, type Options, parseOptions } from './command-line.ts';
import { createLog, type Level } from './log.ts';
import { logBridge, logKeys } from './log-hooks.ts';
import { runUntilSignal } from './run.ts';
import { SIMULATED_PROVISIONER, simulatedPlugin } from './simulated-plugin.ts';

const OPTIONS: Options = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'the cluster, which must be a throw-away one; needed' },
  context: { type: 'string', value: 'NAME', help: 'a context of that file; default: its current one' },
  'resync-period-ms': { type: 'string', value: 'MS', help: 'between two sweeps for what needs a sync; default 1000' },
  'log-level': { type: 'string', value: 'LEVEL', help: 'debug, info (default), warn, error or silent' },
};

const ABOUT =
  'Serves as the only PersistentVolume controller of a test cluster until SIGTERM. In-tree storage is simulated:\n' +
  `recycle, delete and provision succeed at once (provisioner ${SIMULATED_PROVISIONER}).`;

async function serve(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm run test:serve --', ABOUT, OPTIONS));
    return 0;
  }
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : undefined);
  const config = configOf({
    PV_MODE: 'enforce',
    PV_LOG_LEVEL: text('log-level')?.toUpperCase(),
    PV_BRIDGE_RESYNC_PERIOD_MS: text('resync-period-ms') ?? '1000',
  });
  const connection = connectionOf(values);
  const log = createLog(config.logLevel.toLowerCase() as Level | 'silent');
  const options = {
    connection,
    config,
    plugins: () => [simulatedPlugin],
    hooks: logKeys(log),
    bridgeHooks: logBridge(log),
    onError: (error: unknown) => log.warn(String(error)),
  };
  return await runUntilSignal(options, log, () => log.info(`serving ${connection.server}; SIGTERM stops`));
}

await main(serve);
