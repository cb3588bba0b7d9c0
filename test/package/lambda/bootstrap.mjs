/**
 * A Node runtime for Lambda's emulator: speaks the Runtime API, and runs `_HANDLER` of the unpacked zip that lies in
 * LAMBDA_TASK_ROOT. One invocation at a time, as on Lambda.
 */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { env } = process;
const api = `http://${env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;

/** Without a time-out: the next event may be hours away. */
function call(method, path, value, headers = {}) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const outgoing = request(`${api}/${path}`, { method, headers: { 'content-type': 'application/json', ...headers } });
  outgoing.once('error', reject);
  outgoing.once('response', async (incoming) => {
    const text = (await incoming.toArray().catch(reject))?.join('');
    if (incoming.statusCode < 300) resolve({ headers: incoming.headers, text });
    else reject(new Error(`${method} ${path}: ${incoming.statusCode} ${text}`));
  });
  outgoing.end(value === undefined ? undefined : JSON.stringify(value));
  return promise;
}

function report(path, error) {
  const { name: errorType = 'Error', message: errorMessage = String(error), stack = '' } = error ?? {};
  const trace = stack.split('\n').slice(1);
  return call('POST', path, { errorType, errorMessage, trace }, { 'lambda-runtime-function-error-type': errorType });
}

function contextOf(headers) {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    callbackWaitsForEmptyEventLoop: true,
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

/** The emulator passes no trace on: each invocation begins one, to be recorded. */
function newTrace() {
  const time = Math.floor(Date.now() / 1000).toString(16);
  return `Root=1-${time}-${randomBytes(12).toString('hex')};Parent=${randomBytes(8).toString('hex')};Sampled=1`;
}

async function loadHandler() {
  const [, file, name] = /^(.+)\.([^./]+)$/.exec(env._HANDLER) ?? [];
  const handler = (await import(pathToFileURL(join(env.LAMBDA_TASK_ROOT, `${file}.mjs`)).href))[name];
  if (typeof handler !== 'function') throw new Error(`${env._HANDLER} is no function`);
  return handler;
}

const handler = await loadHandler().catch(async (error) => {
  await report('init/error', error);
  process.exit(1);
});
for (;;) {
  const { headers, text } = await call('GET', 'invocation/next');
  const id = headers['lambda-runtime-aws-request-id'];
  env._X_AMZN_TRACE_ID = headers['lambda-runtime-trace-id'] ?? newTrace();
  try {
    const answer = await handler(JSON.parse(text), contextOf(headers));
    await call('POST', `invocation/${id}/response`, answer ?? null);
  } catch (error) {
    await report(`invocation/${id}/error`, error);
  }
}
