/** How the system under test is set: in this process, and in those that are killed. */
import { SQSClient } from '@aws-sdk/client-sqs';

/** No resync and no sweep heals anything, what failed comes back at once, and nobody waits long for an answer. */
export function settingsWith(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PV_MODE: 'enforce',
    PV_RECYCLER_NAMESPACE: 'pv-recycler',
    PV_RETRY_FIRST_SECONDS: '0',
    PV_OPERATION_RETRY_MAX_SECONDS: '0',
    PV_REQUEST_TIMEOUT_MS: '700',
    PV_POOL_MAX_AGE_MS: '200',
    PV_BRIDGE_RESYNC_PERIOD_MS: '3600000',
    PV_BRIDGE_SWEEP_PERIOD_MS: '0',
    PV_BRIDGE_ECHO_WINDOW_MS: '50',
    ...more,
  };
}

/** A watch that was silent for 1.5 s is taken for dead: bookmarks, which come once a minute, are not waited for. */
export const bridgeSettings = { retryBaseMs: 50, retryMaxMs: 300, idleTimeoutMs: 1_500 };

/** A worker that takes longer than this has a second one beside it. */
export const VISIBILITY_SECONDS = 2;

/** As deployed: nothing waits for ever, and the SDK tries a few times by itself. */
export function queueClient(endpoint: string): SQSClient {
  return new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_500, throwOnRequestTimeout: true },
  });
}
