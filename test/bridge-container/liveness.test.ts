import { describe, expect, it } from 'vitest';
import { Liveness, STUCK_AFTER_MS } from '../../bridge/liveness.ts';
import type { BridgeHealth } from '../../lib/bridge/bridge.ts';

const LATER = STUCK_AFTER_MS + 1;

function healthOf(activity: Record<string, number | undefined>): BridgeHealth {
  const resources = Object.fromEntries(
    Object.entries(activity).map(([kind, lastActivity]) => [
      kind,
      { synced: true, lastActivity, resourceVersion: '1', unaccepted: 0, oldestUnacceptedMs: 0 },
    ]),
  );
  return { ready: true, unsent: 0, oldestUnsentMs: 0, resources };
}

describe('Liveness', () => {
  it('finds the loop that neither works nor fails any more', () => {
    let now = 0;
    const liveness = new Liveness(() => now);
    now = LATER;
    expect(liveness.stuck(healthOf({ PersistentVolume: 1_000, StorageClass: 0 }))).toEqual(['StorageClass']);
    expect(liveness.stuck(healthOf({ PersistentVolume: undefined }))).toEqual(['PersistentVolume']);
  });

  it('takes failures and answers of a loop as its life, and not as another’s', () => {
    let now = 0;
    const liveness = new Liveness(() => now);
    now = LATER;
    liveness.sign('PersistentVolume');
    const health = healthOf({ PersistentVolume: 0, PersistentVolumeClaim: 0 });
    expect(liveness.stuck(health)).toEqual(['PersistentVolumeClaim']);
  });

  it('takes answers of the queue as life of all, since loops wait for it', () => {
    let now = 0;
    const liveness = new Liveness(() => now);
    now = LATER;
    liveness.generalSign();
    expect(liveness.stuck(healthOf({ PersistentVolume: 0 }))).toEqual([]);
  });

  it('is alive before the API server’s first answer as long as it tries', () => {
    let now = 0;
    const liveness = new Liveness(() => now);
    now = STUCK_AFTER_MS;
    expect(liveness.stuck(undefined)).toEqual([]);
    now = LATER;
    expect(liveness.stuck(undefined)).toEqual(['start']);
    liveness.generalSign();
    expect(liveness.stuck(undefined)).toEqual([]);
  });
});
