/** The part of CloudWatch Logs that the bridge uses, with its refusals: streams must exist, batches keep to the limits. */
import { json, type TestServer, testServer } from '../../lib/cluster/testing/http-server.ts';

interface Event {
  readonly timestamp: number;
  readonly message: string;
}

interface Request {
  readonly logGroupName: string;
  readonly logStreamName: string;
  readonly logEvents?: readonly Event[];
}

/** An error's code for the next requests, or `hang`. */
export type Fault = string | undefined;

export class FakeCloudWatch {
  readonly server: TestServer;
  /** Accepted batches by `group:stream`. */
  readonly streams = new Map<string, (readonly Event[])[]>();
  /** As `operation fault`. */
  readonly faults: string[] = [];
  /** Access keys that requests were signed with. */
  readonly accessKeys = new Set<string>();
  fault: (operation: string) => Fault = () => undefined;

  private constructor(server: TestServer) {
    this.server = server;
  }

  static async start(groups: readonly string[]): Promise<FakeCloudWatch> {
    const fake: FakeCloudWatch = new FakeCloudWatch(
      await testServer((request, response) => {
        const operation = String(request.headers['x-amz-target']).replace('Logs_20140328.', '');
        fake.accessKeys.add(/Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? 'unsigned');
        const fault = fake.fault(operation) ?? fake.#answer(operation, JSON.parse(request.body), groups);
        if (fault === 'hang') return;
        if (fault === undefined) return json(response, 200, {});
        fake.faults.push(`${operation} ${fault}`);
        json(response, fault === 'ServiceUnavailableException' ? 503 : 400, { __type: fault, message: 'as asked for' });
      }),
    );
    return fake;
  }

  /** All messages that were accepted, in their order. */
  get messages(): string[] {
    return [...this.streams.values()].flat(2).map(({ message }) => message);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  #answer(operation: string, request: Request, groups: readonly string[]): Fault {
    const { logGroupName, logStreamName, logEvents = [] } = request;
    if (!groups.includes(logGroupName)) return 'ResourceNotFoundException';
    const key = `${logGroupName}:${logStreamName}`;
    const stream = this.streams.get(key);
    if (operation === 'CreateLogStream') {
      if (stream !== undefined) return 'ResourceAlreadyExistsException';
      if (!/^[^:*]{1,512}$/.test(logStreamName)) return 'InvalidParameterException';
      this.streams.set(key, []);
      return undefined;
    }
    if (operation !== 'PutLogEvents') return 'UnknownOperationException';
    if (stream === undefined) return 'ResourceNotFoundException';
    if (!isAllowed(logEvents)) return 'InvalidParameterException';
    stream.push(logEvents);
    return undefined;
  }
}

function isAllowed(events: readonly Event[]): boolean {
  const bytes = events.reduce((sum, { message }) => sum + Buffer.byteLength(message) + 26, 0);
  const times = events.map(({ timestamp }) => timestamp);
  const isSorted = times.every((time, index) => time >= (times[index - 1] ?? time));
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const areShort = events.every(({ message }) => message.length > 0 && Buffer.byteLength(message) + 26 <= 1_048_576);
  return (
    isSorted && areShort && events.length > 0 && events.length <= 10_000 && bytes <= 1_048_576 && span < 86_400_000
  );
}
