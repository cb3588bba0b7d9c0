/** ministack: another SQS, Lambda and IAM on one machine, which runs functions with the `node` on PATH. */
import { mkdir } from 'node:fs/promises';
import { get } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '../../control-plane/ports.ts';
import { startProgram } from '../process.ts';
import { account, region } from '../stack/account.ts';

export interface Ministack {
  readonly endpoint: string;
  /** For clients: the root of the account. */
  readonly root: { readonly accessKeyId: string; readonly secretAccessKey: string };
  stop(): Promise<void>;
}

/**
 * Starts it, with IAM in force: a function may only what its role's policies say.
 * @param python the folder of `ministack`.
 * @param directory its own files go there, those of the functions too; what it prints goes to `log`.
 */
export async function startMinistack(
  python: string,
  { directory, log }: { readonly directory: string; readonly log: string },
): Promise<Ministack> {
  const port = await freePort();
  const secretAccessKey = crypto.randomUUID();
  await mkdir(directory);
  const program = await startProgram(join(python, 'ministack'), [], {
    cwd: directory,
    log,
    env: {
      // Lambda's Node, before any other.
      PATH: [dirname(process.execPath), python, '/usr/bin', '/bin'].join(delimiter),
      HOME: directory,
      TMPDIR: directory,
      STATE_DIR: join(directory, 'state'),
      S3_DATA_DIR: join(directory, 's3'),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MINISTACK_ACCOUNT_ID: account,
      MINISTACK_REGION: region,
      AUTH: 'true',
      // Of the root, whose name is the account's number.
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      LOG_LEVEL: 'INFO',
      PYTHONUNBUFFERED: '1',
    },
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await program.untilReady(() => answers(`${endpoint}/_ministack/health`));
  return { endpoint, root: { accessKeyId: account, secretAccessKey }, stop: () => program.stop() };
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).once('error', reject);
  });
}
