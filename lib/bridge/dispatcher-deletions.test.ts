/** What the dispatcher does about an object that is gone, with the parts that remember and send. */
import { beforeEach, describe, expect, it } from 'vitest';
import * as needsSync from '../controller/needs-sync.ts';
import { systemClock } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import { Echo } from './echo.ts';
import { Evaluator } from './evaluator.ts';
import { Ledger } from './ledger.ts';
import { Publisher } from './publisher.ts';
import { Registry } from './registry.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { claim, rules, volume } from './testing/objects.ts';
import { Wake } from './wake.ts';

let queue: FakeQueue;
let ledger: Ledger;
let dispatcher: Dispatcher;

beforeEach(() => {
  queue = new FakeQueue();
  ledger = new Ledger();
  const registry = new Registry();
  const settings = { maxSending: 100, retryBaseMs: 100, retryMaxMs: 100, wakeCount: 3, wakeWindowMs: 1_000 };
  const common = { registry, ledger, predicates: needsSync, rules, settings, clock: systemClock, hooks: {} };
  const publisher = new Publisher({ ...common, sender: queue });
  const evaluator = new Evaluator({ ...common, publisher });
  const echo = new Echo({
    evaluate: (key, trigger) => evaluator.evaluate(key, trigger),
    isOnItsWay: (key) => ledger.get(key) !== undefined,
    windowMs: 250,
    clock: systemClock,
  });
  const wake = new Wake({ ...common, evaluator });
  dispatcher = new Dispatcher({ ...common, publisher, evaluator, echo, wake, volumeOfPod: () => undefined });
});

const at = <T extends { metadata: object }>(version: string, object: T, uid: string): T => ({
  ...object,
  metadata: { ...object.metadata, uid, resourceVersion: version },
});
const pv = (version: string, claimRef = {}) => at(version, volume('pv', { claimRef }), 'pv-uid');
const one = (version: string) => at(version, claim('one', { volumeName: 'pv' }), 'one-uid');

const volumes = () => dispatcher.handler('PersistentVolume');
const claims = () => dispatcher.handler('PersistentVolumeClaim');
const classes = () => dispatcher.handler('StorageClass');
const told = () => queue.messages.map(({ reason, name }) => `${reason} ${name}`);

describe('a deletion', () => {
  it('ends the wait for a message about the object: nothing of it is kept', async () => {
    await Promise.all([volumes().onList([], '10'), claims().onList([], '11'), classes().onList([], '9')]);
    await volumes().onEvent('ADDED', pv('20', { namespace: 'ns', name: 'gone', uid: 'c' }));
    await claims().onEvent('ADDED', one('21'));
    expect(ledger.size).toBe(2);
    await claims().onEvent('DELETED', one('22'));
    await volumes().onEvent('DELETED', pv('23', { namespace: 'ns', name: 'gone', uid: 'c' }));
    expect(ledger.size).toBe(0);
  });

  it('of a claim is told as such while its volume cannot be looked at yet, as not all lists are there', async () => {
    void volumes().onList([pv('3')], '10');
    void claims().onList([one('5')], '11');
    void claims().onEvent('DELETED', one('12'));
    await new Promise(setImmediate);
    expect(told()).toEqual(['deleted one']);
    expect(queue.messages[0]?.deleted).toEqual({ volumeName: 'pv' });
    await classes().onList([], '9');
  });
});
