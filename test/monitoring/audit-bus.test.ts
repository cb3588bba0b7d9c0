/** The audit trail on its way to EventBridge: what is asked of it, what its answers mean, and what stays secret. */
import https from 'node:https';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { auditBus } from '../../functions/audit-bus.ts';
import type { EventBus } from '../../lib/audit/event-bus.ts';
import type { AuditRecord } from '../../lib/audit/record.ts';
import { AUDIT_SCHEMA } from '../../lib/audit/schema.ts';
import type { AwsCredentials } from '../../lib/cluster/aws-signer.ts';
import { testServer } from '../../lib/cluster/testing/http-server.ts';
import { readConfig } from '../../lib/config.ts';
import { type Captured, capture, release } from './captured.ts';
import { type EventBridge, KEY, startEventBridge } from './event-bridge.ts';

const RECORD: AuditRecord = {
  v: 1,
  time: '2026-05-01T10:00:05.250Z',
  kind: 'PersistentVolumeClaim',
  name: 'ns/data',
  of: 'binding',
  from: 'none',
  to: 'pv-1 ü',
  who: 'us',
  how: 'made',
};

let captured: Captured;
let eventBridge: EventBridge;
beforeEach(async () => {
  captured = capture('INFO');
  eventBridge = await startEventBridge('eu-central-1');
});
afterEach(async () => {
  release();
  await eventBridge.close();
});

function busAt(url: string, name = 'storage', credentials: AwsCredentials = async () => KEY): EventBus {
  const config = readConfig({ PV_AUDIT_BUS: name, PV_EVENTS_ENDPOINT: url, AWS_REGION: 'eu-central-1' });
  const bus = auditBus(config, captured, credentials);
  if (bus === undefined) throw new Error('no bus');
  return bus;
}

async function flush(bus: EventBus, records = 1): Promise<void> {
  for (let i = 0; i < records; i++) bus.write(RECORD);
  await bus.flush();
}

/** What is told of records that were lost: the warnings, and the counts. */
function told() {
  if (captured.metrics.hasStoredMetrics()) captured.metrics.publishStoredMetrics();
  return {
    warnings: captured.logs().flatMap(({ level, records, why }) => (level === 'WARN' ? [{ records, why }] : [])),
    counted: captured
      .blobs()
      .flatMap((blob) => ('AuditRecordsLost' in blob ? [blob['AuditRecordsLost']] : []))
      .flat(),
  };
}

test('is none unless it has a name', () => {
  expect(auditBus(readConfig({}), captured)).toBeUndefined();
});

test('is none in another region, of whose bus PutEvents may say nothing', () => {
  const arn = 'arn:aws:events:us-east-1:123456789012:event-bus/storage';
  expect(() => busAt(eventBridge.url, arn)).toThrow(
    'PV_AUDIT_BUS: is in us-east-1, and PutEvents goes to a bus of its own region, eu-central-1',
  );
});

test.each([
  ['eu-central-1', 'events.eu-central-1.amazonaws.com'],
  ['us-gov-west-1', 'events.us-gov-west-1.amazonaws.com'],
  ['cn-north-1', 'events.cn-north-1.amazonaws.com.cn'],
])('in %s is asked for at %s', async (region, host) => {
  const request = vi.spyOn(https, 'request').mockImplementation((url) => {
    throw new Error(`asked ${url}`);
  });
  await flush(auditBus(readConfig({ PV_AUDIT_BUS: 'storage', AWS_REGION: region }), captured, KEY) as EventBus);
  request.mockRestore();
  expect(told().warnings).toEqual([{ records: 1, why: `asked https://${host}/` }]);
});

describe('what EventBridge gets', () => {
  test.each(['storage', 'arn:aws:events:eu-central-1:123456789012:event-bus/storage'])(
    'is a signed PutEvents for the bus %s, with the record as the schema has it',
    async (name) => {
      await flush(busAt(eventBridge.url, name));
      expect(eventBridge.refusals).toEqual([]);
      expect(eventBridge.events).toMatchObject([
        { Source: 'serverless-pv-controller', DetailType: 'PersistentVolumeClaim transition', EventBusName: name },
      ]);
      expect(AUDIT_SCHEMA.strict().parse(JSON.parse(eventBridge.events[0]?.Detail ?? ''))).toEqual(RECORD);
      expect(told()).toEqual({ warnings: [], counted: [] });
    },
  );

  test('comes over connections that are kept, four of them at most', async () => {
    const bus = busAt(eventBridge.url);
    await flush(bus, 100);
    await flush(bus, 1);
    expect(eventBridge.requests).toEqual([...Array<number>(10).fill(10), 1]);
    expect(eventBridge.events).toHaveLength(101);
    expect(eventBridge.connections).toBeLessThanOrEqual(4);
  });

  test('comes over a new connection where a function was frozen, and finds all the others dead', async () => {
    const bus = busAt(eventBridge.url);
    const dead = new Set<object>();
    eventBridge.intercept = ({ socket }) => {
      if (dead.has(socket)) socket.destroy();
      return dead.has(socket);
    };
    await flush(bus, 40);
    for (const socket of eventBridge.sockets) dead.add(socket);
    expect(dead.size).toBe(4);
    await flush(bus, 1);
    expect(eventBridge.events).toHaveLength(41);
    expect(told()).toEqual({ warnings: [], counted: [] });
  });
});

describe('an answer', () => {
  test('that refuses entries: these are sent again where that may help, and what stays is counted', async () => {
    eventBridge.failing = [undefined, 'ThrottlingException', 'MalformedDetail', 'InternalFailure'];
    await flush(busAt(eventBridge.url), 5);
    expect(eventBridge.requests).toEqual([5, 2]);
    expect(eventBridge.events).toHaveLength(4);
    expect(told()).toEqual({ warnings: [{ records: 1, why: 'MalformedDetail' }], counted: [1] });
  });

  test.each([
    ['is a 503', 503, '<html>'],
    ['throttles', 400, '{"__type":"ThrottlingException","message":"Rate exceeded"}'],
    ['is a 429', 429, ''],
  ])('that %s passes', async (_, status, body) => {
    eventBridge.intercept = (_request, response) => {
      if (eventBridge.requests.length > 2) return false;
      response.writeHead(status).end(body);
      return true;
    };
    await flush(busAt(eventBridge.url));
    expect(eventBridge.events).toHaveLength(1);
    expect(told().warnings).toEqual([]);
  });

  test('that never comes, as the connection is cut each time, is no error of a sync', async () => {
    eventBridge.intercept = ({ socket }) => socket.destroy() !== undefined;
    await flush(busAt(eventBridge.url), 3);
    expect(eventBridge.requests).toEqual([3, 3, 3]);
    expect(told()).toEqual({ warnings: [{ records: 3, why: 'socket hang up' }], counted: [3] });
  });

  test.each([
    ['a proxy’s page', 403, '<html>login</html>', '403'],
    [
      'a name with its namespace',
      400,
      '{"__type":"com.amazonaws.events#ValidationException"}',
      '400 ValidationException',
    ],
    ['a name with an address', 400, '{"__type":"ValidationException:http://a.example/b"}', '400 ValidationException'],
  ])('that is %s is told by its status and its name, if it has one', async (_, status, body, why) => {
    eventBridge.intercept = (_request, response) => response.writeHead(status).end(body) !== undefined;
    await flush(busAt(eventBridge.url));
    expect(told().warnings).toEqual([{ records: 1, why }]);
  });

  test.each([
    '<html>login</html>',
    '{}',
    '{"FailedEntryCount":1}',
    '{"FailedEntryCount":1,"Entries":[]}',
    '{"FailedEntryCount":1,"Entries":[{"EventId":"1"}]}',
    '[]',
  ])('that is none of EventBridge (%s) has taken nothing', async (body) => {
    eventBridge.intercept = (_, response) => response.writeHead(200).end(body) !== undefined;
    await flush(busAt(eventBridge.url));
    expect(told().warnings).toEqual([{ records: 1, why: 'the answer is not one of EventBridge' }]);
  });

  test('that the role may not: asked once in 30 s, told of once, each record counted', async () => {
    eventBridge.intercept = (_, response) => {
      response.writeHead(400).end('{"__type":"AccessDeniedException","Message":"User: x is not authorized"}');
      return true;
    };
    const bus = busAt(eventBridge.url);
    await flush(bus, 2);
    await flush(bus, 3);
    expect(eventBridge.requests).toEqual([2]);
    expect(told()).toEqual({ warnings: [{ records: 2, why: '400 AccessDeniedException' }], counted: [2, 3] });
  });
});

test('a bus that nobody serves is a warning', async () => {
  const gone = await testServer(() => {});
  await gone.close();
  await flush(busAt(gone.url));
  expect(told()).toMatchObject({ warnings: [{ records: 1 }], counted: [1] });
  expect(told().warnings[0]?.why).toContain('ECONNREFUSED');
});

test('a refused signature does not show what was signed', async () => {
  const other = await startEventBridge('eu-central-1', { ...KEY, secretAccessKey: 'another' });
  await flush(busAt(other.url));
  await other.close();
  expect(other.refusals).toEqual(['InvalidSignatureException']);
  expect(told().warnings).toEqual([{ records: 1, why: '400 InvalidSignatureException' }]);
  expect(captured.printed().join()).not.toMatch(/AKID|session\/token|Signature=|wJalr/);
});

test('an error of whoever gives the credentials shows its first line alone', async () => {
  const refused = new Error('The request signature does not match.\n\nx-amz-security-token:session/token+value==');
  await flush(busAt(eventBridge.url, 'storage', () => Promise.reject(refused)));
  expect(told().warnings).toEqual([{ records: 1, why: 'The request signature does not match.' }]);
  expect(captured.printed().join()).not.toContain('session/token');
});

test('credentials that do not come are not waited for, and that they fail later ends no process', async () => {
  let refuse = (_: Error): void => {};
  const late = new Promise<never>((_, reject) => (refuse = reject));
  const bus = busAt(eventBridge.url, 'storage', () => late);
  bus.write(RECORD);
  await bus.flush(50);
  expect(told().warnings).toEqual([{ records: 1, why: 'no answer within 50 ms' }]);
  refuse(new Error('too late'));
  await new Promise((resolve) => setTimeout(resolve, 20));
});
