/**
 * X-Ray, for the deployed workers only: loading it switches on async hooks for the whole process, which cost a fifth of
 * the CPU time where nothing is traced.
 */
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import { SERVICE } from './environment.ts';

/** The middleware; what the function answers is not recorded. */
export function tracing() {
  return captureLambdaHandler(new Tracer({ serviceName: SERVICE }), { captureResponse: false });
}
