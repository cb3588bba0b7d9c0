/**
 * Where an EKS cluster's API server is, and its certificate authority, as EKS says (DescribeCluster): one signed GET,
 * because the SDK's client for it does not fit into the bundle (docs/decisions/018-describe-cluster-by-hand.md).
 */
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../controller/errors.ts';
import { type AwsCredentials, type AwsIdentity, awsHost, awsSigner } from './aws-signer.ts';
import type { Connection } from './connection.ts';
import { Deadline } from './deadline.ts';
import { exchange, readBody } from './exchange.ts';
import { jsonOf } from './status.ts';

/** The one action that the caller's role must be allowed. */
export const DESCRIBE_CLUSTER_ACTION = 'eks:DescribeCluster';

/** Which cluster, who asks, and for how long. */
export interface EksClusterOptions {
  readonly clusterName: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  /** `https://host[:port]`, for a VPC endpoint without private DNS; the region's own when absent or empty. */
  readonly endpoint?: string;
  /** Milliseconds for all attempts together. */
  readonly timeoutMs: number;
  /** Milliseconds before the second attempt; doubled before the third. Default 200. */
  readonly firstBackoffMs?: number;
}

/** The cluster could not be described. Its text names the cluster, the region, the answer and what to do. */
export class EksClusterError extends Error {
  override readonly name = 'EksClusterError';
}

/** `secrets`: what the request was signed with. A refused signature is answered with the request, and so with these. */
type Answer = { readonly status: number; readonly body: string; readonly secrets: readonly string[] };

const MAX_ATTEMPTS = 3;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_QUOTE = 300;
const BY_HAND = 'set PV_CLUSTER_ENDPOINT and PV_CLUSTER_CA';

/** The API server's URL and PEM certificate authority. @throws EksClusterError; the next call asks anew. */
export async function describeCluster(
  options: EksClusterOptions,
): Promise<Required<Pick<Connection, 'server' | 'ca'>>> {
  const url = new URL(options.endpoint || `https://${awsHost('eks', options.region)}`);
  const deadline = new Deadline(options.timeoutMs);
  try {
    const identity = await identityOf(options, deadline);
    const answer = await ask(() => askOnce(url, options, identity, deadline), options, deadline);
    if (answer.status !== 200) throw failure(options, answerText(answer, url), adviceFor(answer.status));
    return connectionIn(answer, options);
  } catch (error) {
    if (error instanceof EksClusterError) throw error;
    const advice = `check that the function reaches ${url.host} (in a VPC: a NAT gateway, or an endpoint of EKS), or ${BY_HAND}`;
    throw failure(options, messageOf(error), advice, error);
  } finally {
    deadline.dispose();
  }
}

async function identityOf(options: EksClusterOptions, deadline: Deadline): Promise<AwsIdentity> {
  const { credentials } = options;
  if (typeof credentials !== 'function') return credentials;
  return await deadline.race(credentials()).catch((error: unknown) => {
    throw failure(options, `no AWS credentials (${messageOf(error)})`, 'give the function a role', error);
  });
}

/** Asks up to three times: many environments that start at once are easily throttled. */
async function ask(once: () => Promise<Answer>, { firstBackoffMs = 200 }: EksClusterOptions, deadline: Deadline) {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === MAX_ATTEMPTS;
    const answer = await once().catch((error: unknown) => {
      if (isLast) throw error;
      return undefined;
    });
    if (answer !== undefined && (isLast || !isPassing(answer))) return answer;
    const waitMs = firstBackoffMs * 2 ** (attempt - 1) * (0.5 + Math.random());
    await deadline.race(sleep(waitMs, undefined, { ref: false }));
  }
}

function isPassing({ status, body }: Answer): boolean {
  return status === 429 || status >= 500 || (status === 400 && /Throttl|TooManyRequests/.test(body));
}

async function askOnce(
  url: URL,
  { clusterName, region }: EksClusterOptions,
  identity: AwsIdentity,
  deadline: Deadline,
): Promise<Answer> {
  const secure = url.protocol === 'https:';
  const target = {
    method: 'GET',
    protocol: url.protocol,
    hostname: url.hostname,
    path: `${url.pathname.replace(/\/+$/, '')}/clusters/${encodeURIComponent(clusterName)}`,
    headers: { host: url.host, accept: 'application/json' },
  };
  const { headers } = await awsSigner('eks', region, identity).sign(target);
  const { path, method } = target;
  const request = { method, host: url.hostname.replace(/^\[|\]$/g, ''), path, headers, agent: false as const };
  const port = url.port === '' ? {} : { port: url.port };
  const open = () => (secure ? https : http).request({ ...request, ...port });
  const { response } = await exchange(open, undefined, deadline, secure);
  const body = await readBody(response, MAX_BODY_BYTES, deadline);
  const { accessKeyId, secretAccessKey, sessionToken } = identity;
  const secrets = [headers['authorization'], sessionToken, secretAccessKey, accessKeyId].filter(isText);
  return { status: response.statusCode ?? 0, body, secrets };
}

function connectionIn(answer: Answer, options: EksClusterOptions) {
  const { endpoint, certificateAuthority, status } = (jsonOf(answer.body)?.['cluster'] ?? {}) as {
    endpoint?: unknown;
    certificateAuthority?: { data?: unknown };
    status?: unknown;
  };
  const data = certificateAuthority?.data;
  if (isText(endpoint) && isText(data)) return { server: endpoint, ca: Buffer.from(data, 'base64').toString('utf8') };
  const state = isText(status) ? `its status is ${quoted(status, answer)}` : 'the answer is not one of EKS';
  throw failure(
    options,
    `no endpoint or certificate authority yet, ${state}`,
    `wait until it is ACTIVE, or ${BY_HAND}`,
  );
}

function answerText(answer: Answer, url: URL): string {
  const json = jsonOf(answer.body);
  const said = json?.['message'] ?? json?.['Message'];
  if (!isText(said)) return `${url.host} answered ${answer.status} with no message of EKS`;
  return `${answer.status} ${quoted(said, answer)}`;
}

/** One line, since those after the first may quote the request; searched as read, for JSON writes a slash in many ways. */
function quoted(said: string, { secrets }: Answer): string {
  const [line = ''] = said.split('\n', 1);
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), line).slice(0, MAX_QUOTE);
}

function adviceFor(status: number): string {
  if (status === 404) return 'check PV_CLUSTER_NAME and AWS_REGION';
  if (status === 401 || status === 403) return `allow the function's role ${DESCRIBE_CLUSTER_ACTION}, or ${BY_HAND}`;
  return `it will be asked again; to do without, ${BY_HAND}`;
}

function failure({ clusterName, region }: EksClusterOptions, why: string, advice: string, cause?: unknown) {
  const text = `EKS cluster ${JSON.stringify(clusterName)} in ${region} cannot be described: ${why}; ${advice}`;
  return new EksClusterError(text, cause === undefined ? undefined : { cause });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
