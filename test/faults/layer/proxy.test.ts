/** The fault layer does what it says: to the client, and to the server. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Fault, page, type StreamFault } from './fault.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';

const claims = '/api/v1/namespaces/r7-x/persistentvolumeclaims';
const frames = ['one', 'two', 'three', 'four', 'five', 'six'];
let server: http.Server;
let proxy: FaultProxy;
let executed: string[];

beforeEach(async () => {
  executed = [];
  server = http.createServer((request, response) => {
    executed.push(`${request.method} ${request.url}`);
    if (!request.url?.includes('watch=')) return void response.end('{"kind":"Answer","of":"the server itself"}');
    for (const frame of frames) response.write(`"${frame}"\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await startFaultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  await proxy.stop();
  server.closeAllConnections();
  server.close();
});

/** What the client gets: a status and a body, or what it sees of the failure. */
async function put(fault: Fault | undefined): Promise<string> {
  proxy.choose = () => fault;
  try {
    const options = { method: 'PUT', signal: AbortSignal.timeout(300) };
    const response = await fetch(`${proxy.url}${claims}/r7-a-one`, options);
    const head = response.status;
    return await response.text().then(
      (text) => `${head} ${text.slice(0, 15)}`,
      () => `${head}, then nothing`,
    );
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'no answer' : 'cut';
  }
}

test.each<[string, Fault | undefined, string, boolean]>([
  ['nothing', undefined, '200 {"kind":"Answer', true],
  ['a page instead', { before: page(502) }, '502 <!doctype html>', false],
  ['a page afterwards', { after: page(502) }, '502 <!doctype html>', true],
  ['a cut', { before: 'cut' }, 'cut', false],
  ['a cut afterwards', { after: 'cut' }, 'cut', true],
  ['silence', { before: 'silence' }, 'no answer', false],
  ['silence afterwards', { after: 'silence' }, 'no answer', true],
  ['a head alone', { after: 'cut-head' }, '200, then nothing', true],
  ['half a body', { after: 'cut-half' }, '200, then nothing', true],
])('%s: the client sees it, and the server knows of the request or not', async (_, fault, seen, isExecuted) => {
  expect(await put(fault)).toBe(seen);
  expect(executed).toHaveLength(isExecuted ? 1 : 0);
  expect(proxy.injected).toBe(fault === undefined ? 0 : 1);
});

test('a request that nobody waits for any more is carried out all the same, and healing waits for it', async () => {
  expect(await put({ delayMs: 500 })).toBe('no answer');
  expect(executed).toHaveLength(0);
  await proxy.heal();
  expect(executed).toHaveLength(1);
});

/** Frames that a watch brings within a moment; `|` is where it ends. */
async function watch(fault: StreamFault): Promise<string[]> {
  proxy.choose = () => ({ stream: fault });
  const response = await fetch(`${proxy.url}${claims}?watch=1`);
  const seen: string[] = [];
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) seen.push(decoder.decode(chunk));
  })().then(
    () => seen.push('|'),
    () => seen.push('|'),
  );
  await Promise.race([reading, sleep(600)]);
  const text = seen.join('').replaceAll('\n', ' ').replaceAll('"', '').trim();
  await proxy.heal();
  await reading;
  return text.includes('ERROR') ? [...text.split(' ').slice(0, 3), '410', '|'] : text.split(' ');
}

test.each<[StreamFault, string]>([
  ['cut', 'one two three |'],
  ['cut-in-frame', 'one two three fo|'],
  ['stall', 'one two three'],
  ['gone', 'one two three 410 |'],
  ['twice', 'one two three four four five five six six'],
  ['shuffled', 'one two three five four six'],
])('a watch with %s after three frames', async (fault, expected) => {
  expect((await watch(fault)).join(' ').replace(' fo |', ' fo|')).toBe(expected);
});

test('calls are told apart by what they are about, and not by the run', async () => {
  for (const name of ['r7-a-one', 'r12-a-one', 'r7-a-two']) await fetch(`${proxy.url}${claims}/${name}`);
  await fetch(`${proxy.url}/apis/storage.k8s.io/v1/storageclasses?limit=1`);
  await fetch(`${proxy.url}/api/v1/persistentvolumes/r7-a-one/status`, { method: 'PUT' });

  expect(proxy.calls.map(({ signature, nth }) => `${nth} ${signature}`)).toEqual([
    '1 get persistentvolumeclaims a-one',
    '2 get persistentvolumeclaims a-one',
    '1 get persistentvolumeclaims a-two',
    '1 list storageclasses ',
    '1 update persistentvolumes/status a-one',
  ]);
});
