/** `npm run manifests`: prints what a stage needs in its cluster, for `kubectl apply -f -`. */
import { parseArgs } from 'node:util';
import { readStageConfig, type StageConfig, StageConfigError } from '../infra/stage-config.ts';
import { manifestText } from './manifests/kustomize.ts';
import { type ContainerOptions, stageManifests } from './manifests/stage.ts';

const HELP = `Usage: npm run -s manifests -- --stage STAGE [options] | kubectl apply -f -

Prints the manifests of a stage: the rights of its mode, those of recycling if it is on, and the bridge if it is a container.

  --stage STAGE               the stage file is config/STAGE.yml
  --config-directory FOLDER   where the stage files are; default: config
  --help                      this text

With bridge.host: container
  --account ACCOUNT           needed: the AWS account of the queues, twelve digits
  --image IMAGE               needed: the image, with its tag or digest
  --role-arn ARN              needed with bridge.identity: irsa: the stack's output BridgeRoleArn
  --network-policy            add a NetworkPolicy with what the bridge talks to on EKS
`;

/** Wrong words on the command line: exit code 2. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface Values {
  readonly account?: string | undefined;
  readonly image?: string | undefined;
  readonly 'role-arn'?: string | undefined;
  readonly 'network-policy'?: boolean | undefined;
}

function run(args: string[]): string {
  const { values } = parseArgs({
    args,
    options: {
      stage: { type: 'string' },
      'config-directory': { type: 'string', default: 'config' },
      account: { type: 'string' },
      image: { type: 'string' },
      'role-arn': { type: 'string' },
      'network-policy': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return HELP;
  const { stage } = values;
  if (stage === undefined) throw new UsageError('--stage STAGE is needed: which file of config/ says what to print?');
  const config = readStageConfig(stage, values['config-directory']);
  const container = config.bridge.host === 'container' ? containerOptions(config, stage, values) : undefined;
  return manifestText(stageManifests(stage, config, container));
}

/** @throws UsageError that names the option and what it must be. */
function containerOptions({ bridge, region }: StageConfig, stage: string, values: Values): ContainerOptions {
  const account = needed(
    '--account',
    values.account,
    /^\d{12}$/,
    'twelve digits, as `aws sts get-caller-identity --query Account --output text` prints them',
  );
  const image = needed(
    '--image',
    values.image,
    /^[a-z0-9][\w./:-]*(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/,
    'the image that you pushed, with its tag or digest: REPOSITORY:TAG (infra/container/Dockerfile says how)',
  );
  const networkPolicy = values['network-policy'] ?? false;
  if (bridge.identity !== 'irsa') {
    if (values['role-arn'] === undefined) return { account, image, networkPolicy };
    throw new UsageError(`--role-arn is for bridge.identity: irsa, and config/${stage}.yml says ${bridge.identity}`);
  }
  const query = "'Stacks[0].Outputs[?OutputKey==`BridgeRoleArn`].OutputValue'";
  const roleArn = needed(
    '--role-arn',
    values['role-arn'],
    /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/,
    `the ARN of the stack's BridgeRole, as \`aws cloudformation describe-stacks --region ${region} ` +
      `--stack-name serverless-pv-controller-${stage} --query ${query} --output text\` prints it`,
  );
  return { account, image, roleArn, networkPolicy };
}

function needed(option: string, value: string | undefined, pattern: RegExp, what: string): string {
  if (value === undefined) throw new UsageError(`${option} is needed for bridge.host: container: ${what}`);
  if (!pattern.test(value)) throw new UsageError(`${option} must be ${what}; got ${JSON.stringify(value)}`);
  return value;
}

try {
  process.stdout.write(run(process.argv.slice(2)));
} catch (error) {
  const { name, message, code = '' } = error as NodeJS.ErrnoException;
  const isUsage = name === 'UsageError' || code.startsWith('ERR_PARSE_ARGS_');
  if (!isUsage && !(error instanceof StageConfigError)) throw error;
  process.stderr.write(`error: ${message}\n${isUsage ? 'Try --help.\n' : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
