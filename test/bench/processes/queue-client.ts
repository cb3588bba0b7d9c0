/** A client of the queues' process. */
import { SQSClient } from '@aws-sdk/client-sqs';

/** As a deployed function has it, but for the endpoint. */
export function queueClient(endpoint: string): SQSClient {
  return new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}
