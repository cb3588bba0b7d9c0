/**
 * PutEvents of EventBridge: one signed POST, because the SDK's client for it does not fit into the bundle
 * (docs/decisions/027-audit-bus.md). The caller's role must be allowed `events:PutEvents` on the bus.
 */
import http from 'node:http';
import https from 'node:https';
import { awsError } from '../aws-error.ts';
import { type AwsCredentials, awsHost, awsSigner } from '../cluster/aws-signer.ts';
import type { Deadline } from '../cluster/deadline.ts';
import { ExchangeError, exchange, readBody } from '../cluster/exchange.ts';
import { jsonOf } from '../cluster/status.ts';
import type { BusEntry, PutEvents, Refusal } from './event-bus.ts';

/** Which bus, where it is, and who asks. */
export interface BusOptions {
  /** Its name, or its ARN where it is another account's. */
  readonly bus: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  /** `https://host[:port]`, for a VPC endpoint without private DNS; the region's own when absent or empty. */
  readonly endpoint?: string;
}

const MAX_BODY_BYTES = 64 * 1024;
/** The batches of a large flush go side by side, within reason. */
const MAX_SOCKETS = 4;
/** What EventBridge says may be sent again, of an entry or of a whole request. */
const MAY_PASS = /Internal|Throttl|Unavailable/;

/** Sends to a bus. Nothing is connected before the first request; connections are kept for the next one. */
export function putEventsTo({ bus, region, credentials, endpoint }: BusOptions): PutEvents {
  const method = 'POST';
  const url = new URL(endpoint || `https://${awsHost('events', region)}`);
  const secure = url.protocol === 'https:';
  const { Agent, request } = secure ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const signer = awsSigner('events', region, credentials);

  const post = async (body: string, deadline: Deadline) => {
    const { protocol, hostname, host, pathname: path } = url;
    const headers = { host, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSEvents.PutEvents' };
    const signed = await deadline.race(signer.sign({ method, protocol, hostname, path, headers, body }));
    const send = (over: typeof agent | false) =>
      exchange(() => request(url, { method, headers: signed.headers, agent: over }), body, deadline, secure);
    // A function that was frozen may find more dead connections than it has attempts: the second one is new.
    const { response } = await send(agent).catch((error: unknown) => {
      if (error instanceof ExchangeError && error.stale) return send(false);
      throw error;
    });
    return { status: response.statusCode ?? 0, body: await readBody(response, MAX_BODY_BYTES, deadline) };
  };

  return async (entries, deadline) => {
    const all = (why: string, mayPass: boolean) => entries.map((entry) => ({ entry, why, mayPass }));
    try {
      const Entries = entries.map((entry) => ({ ...entry, EventBusName: bus }));
      const { status, body } = await post(JSON.stringify({ Entries }), deadline);
      const json = jsonOf(body);
      if (status === 200) return refusalsIn(json, entries) ?? all('the answer is not one of EventBridge', false);
      const code = codeOf(json?.['__type']);
      return all(`${status} ${code}`.trimEnd(), status === 429 || status >= 500 || MAY_PASS.test(code));
    } catch (error) {
      return all(awsError(error).message, true);
    }
  };
}

/** @returns undefined for an answer that says nothing of these entries. */
function refusalsIn(json: ReturnType<typeof jsonOf>, entries: readonly BusEntry[]): Refusal[] | undefined {
  const { FailedEntryCount: failed, Entries: results } = json ?? {};
  if (failed === 0) return [];
  if (!Array.isArray(results) || results.length !== entries.length) return undefined;
  const refusals = entries.flatMap((entry, index) => {
    const { ErrorCode: given } = results[index] ?? {};
    const why = codeOf(given);
    return given === undefined ? [] : [{ entry, why, mayPass: MAY_PASS.test(why) }];
  });
  return refusals.length === failed ? refusals : undefined;
}

/** An error's name and no more: what is said beside it may quote the request, and so its signature and its token. */
function codeOf(type: unknown = ''): string {
  return /^(?:[^#:]*#)?([A-Za-z]{1,60})(?:$|:)/.exec(String(type))?.[1] ?? '';
}
