/** Names go from messages and from fields that nobody checks into URLs: long and dotted ones do, impossible ones never. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { boundPair, claim, volume } from './objects.ts';
import { type FaultProxy, startProxy } from './proxy.ts';
import { sendBody, takeDeadLetters } from './queue-tools.ts';
import { eventually, startWorld, type World } from './world.ts';

let proxy: FaultProxy;
let world: World;

beforeAll(async () => {
  const connectTo = async ({ url }: { url: string }) => {
    proxy = await startProxy(url);
    return proxy.url;
  };
  world = await startWorld({ connectTo });
});
afterAll(async () => {
  await world.stop();
  await proxy.stop();
});

/** Every segment of every URL is a name that an object can have; `api`, `v1` and the plurals are such names too. */
function badUrls(): string[] {
  const isName = (part: string) =>
    part.length <= 253 && part.split('.').every((l) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(l));
  const paths = proxy.requests.map(({ url }) => url.split('?')[0] ?? '');
  return paths.filter((path) => !path.slice(1).split('/').every(isName));
}

/** Keys that were to come back; one that does so for ever is in `failed` many times. */
const failedKeys = () => [...new Set(world.failed.map(({ key }) => key))];

describe('names that objects can have', () => {
  const label = 'a'.repeat(63);
  const longest = `${label}.${label}.${label}.${'b'.repeat(61)}`;
  test.each([
    ['of 253 characters', longest, `c${longest.slice(1)}`],
    ['with dots', 'a.volume.of.example.com', 'the.claim-1.x'],
    ['of one label of 253 characters', 'v'.repeat(253), 'c'.repeat(253)],
  ])('a volume and a claim %s are bound, and released', async (_, volumeName, claimName) => {
    const { objects, system, phases } = world;
    await objects.createVolume(volumeName, { storageClassName: volumeName.slice(0, 1) });
    await objects.createClaim(claimName, { storageClassName: volumeName.slice(0, 1) });
    await system.settled();
    expect(await objects.pair(claimName, volumeName)).toBe(boundPair(claimName, volumeName));

    await objects.deleteClaim(claimName);
    await system.settled();

    expect(phases.get(volumeName)?.at(-1)).toBe('Released');
    expect(badUrls()).toEqual([]);
    expect(world.deadLetters).toEqual([]);
  });
});

describe('messages with names that no object can have', () => {
  const good = { v: 1, kind: 'PersistentVolume', name: 'pv-1', reason: 'modified' };
  const goodClaim = { ...good, kind: 'PersistentVolumeClaim', namespace: 'default' };
  test.each([
    ['a way up in a volume’s name', { ...good, name: '../namespaces/default/secrets/x' }],
    ['an encoded dot', { ...good, name: '%2e%2e' }],
    ['an encoded slash', { ...good, name: 'pv-1%2fstatus' }],
    ['capital letters', { ...good, name: 'PV-1' }],
    ['254 characters', { ...good, name: 'x'.repeat(254) }],
    ['a query', { ...good, name: 'pv-1?dryRun=All' }],
    ['a line break', { ...good, name: 'pv-1\r\nX-Evil: yes' }],
    ['a namespace with a slash', { ...goodClaim, namespace: 'default/pods' }],
    ['a namespace with a dot', { ...goodClaim, namespace: 'kube.system' }],
    ['a way up in a claim’s name', { ...goodClaim, name: '..' }],
  ] as const)('%s: the message goes to the dead letters and no request is sent', async (_, message) => {
    const kind = message.kind as 'PersistentVolume' | 'PersistentVolumeClaim';
    const before = world.deadLetters.length;
    await sendBody(world.system, kind, JSON.stringify(message), 'pv-1');
    await eventually('a dead letter', () => world.deadLetters.length > before);
    await world.system.settled();

    expect(badUrls()).toEqual([]);
    const [letter, ...others] = await takeDeadLetters(world.system, kind);
    expect(letter?.Body).toBe(JSON.stringify(message));
    expect(letter?.MessageAttributes?.['reason']?.StringValue).toMatch(/^bad message: name(space)? must be a DNS-1123/);
    expect(others).toEqual([]);
  });

  test('impossible names in the references of a message are dropped, and its own key is synced', async () => {
    await world.objects.createVolume('pv-references');
    const deleted = { claimRef: { namespace: '../x', name: 'C', uid: 'u' } };
    const body = { ...good, name: 'pv-references', reason: 'deleted', uid: 'u', deleted };
    await sendBody(world.system, 'PersistentVolume', JSON.stringify(body), 'pv-references');
    await world.system.settled();

    expect(world.done).toContainEqual({
      key: 'PersistentVolume/pv-references',
      messages: [expect.objectContaining({ deleted: {} })],
    });
    expect(badUrls()).toEqual([]);
  });
});

describe('objects whose fields name what cannot exist', () => {
  const names = ['../x', '%2e%2e', 'UPPER', 'a/b', 'x'.repeat(254), '-', 'a..b'];

  test('a claim that names an impossible volume waits for it, as for any that does not exist', async () => {
    const { objects, system } = world;
    for (const [index, volumeName] of names.entries()) await objects.createClaim(`names-${index}`, { volumeName });
    await system.settled();

    expect(badUrls()).toEqual([]);
    expect(failedKeys()).toEqual([]);
    for (const index of names.keys()) {
      expect((await objects.claim(`names-${index}`)).status?.phase).toBe('Pending');
    }
  });

  test('a claim that was bound and names an impossible volume is Lost', async () => {
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    const bound = { ...claim('was-bound', { volumeName: '../x', annotations }), status: { phase: 'Bound' } };
    put('persistentvolumeclaims', 'default/was-bound', bound);
    await world.system.settled();

    expect((await world.objects.claim('was-bound')).status?.phase).toBe('Lost');
    expect(badUrls()).toEqual([]);
    expect(failedKeys()).toEqual([]);
  });

  test('a volume whose claimRef names an impossible claim keeps its phase: its absence is proven by nobody', async () => {
    for (const [index, name] of names.entries()) {
      const key = index % 2 === 0 ? { namespace: 'default', name } : { namespace: name, name: 'c' };
      const bound = volume(`refers-${index}`, { claimRef: { kind: 'PersistentVolumeClaim', uid: 'u', ...key } });
      put('persistentvolumes', `refers-${index}`, { ...bound, status: { phase: 'Bound' } });
    }
    await world.system.settled();

    expect(badUrls()).toEqual([]);
    expect(failedKeys()).toEqual([]);
    for (const index of names.keys()) expect(world.phases.get(`refers-${index}`)).toEqual(['Bound']);
  });

  test('a claim of an impossible class is looked at once and stays Pending', async () => {
    const annotations = { 'volume.beta.kubernetes.io/storage-class': '../../v1/namespaces/default/secrets/x' };
    await world.objects.createClaim('odd-class', { annotations });
    await world.system.settled();

    expect((await world.objects.claim('odd-class')).status?.phase).toBe('Pending');
    expect(badUrls()).toEqual([]);
    expect(failedKeys()).toEqual([]);
  });

  test('objects that got impossible names themselves, past the API rules, are left alone by bridge and worker', async () => {
    put('persistentvolumes', '../evil', volume('../evil'));
    put('persistentvolumeclaims', 'default/Evil', claim('Evil'));
    put('persistentvolumes', 'after-evil', volume('after-evil'));
    await world.system.settled();

    expect(world.phases.get('after-evil')?.at(-1)).toBe('Available');
    expect(badUrls()).toEqual([]);
    expect(failedKeys()).toEqual([]);
  });
});

/** Stores an object past all rules of the API. */
function put(plural: string, key: string, object: PersistentVolume | PersistentVolumeClaim): void {
  const kind = plural === 'persistentvolumes' ? 'PersistentVolume' : 'PersistentVolumeClaim';
  const { metadata } = object;
  const creationTimestamp = new Date().toISOString();
  const stored = {
    ...object,
    apiVersion: 'v1',
    kind,
    metadata: { ...metadata, uid: `uid-of-${key}`, creationTimestamp },
  };
  world.server.store.commit(plural, key, stored as unknown as Parameters<World['server']['store']['commit']>[2]);
}
