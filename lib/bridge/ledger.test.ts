import { describe, expect, it } from 'vitest';
import { Ledger } from './ledger.ts';

const key = { kind: 'PersistentVolume', name: 'pv' } as const;
const occasion = (resourceVersion: string) => ({ form: 'change', uid: 'u', resourceVersion }) as const;

describe('Ledger', () => {
  it('counts from the acceptance of the newest message', () => {
    const ledger = new Ledger();
    ledger.sent(key, occasion('1'), 10);
    ledger.accepted(key, occasion('1'), 20);
    expect(ledger.get(key)).toMatchObject({ at: 20, resends: 0 });
    expect(ledger.has(key, occasion('1'))).toBe(true);
  });

  it('takes the acceptance of an older message for nothing', () => {
    const ledger = new Ledger();
    ledger.sent(key, occasion('2'), 10);
    ledger.accepted(key, occasion('1'), 20);
    expect(ledger.get(key)?.at).toBe(10);
    expect(ledger.has(key, occasion('2'))).toBe(true);
  });

  it('learns nothing of a key that was settled before its message was accepted, or sent again', () => {
    const ledger = new Ledger();
    ledger.sent(key, occasion('1'), 10);
    ledger.settled(key);
    ledger.accepted(key, occasion('1'), 20);
    ledger.resent(key, 30);
    expect([ledger.size, ledger.get(key)]).toEqual([0, undefined]);
  });

  it('counts how often a message was sent again, and begins anew with the next one', () => {
    const ledger = new Ledger();
    ledger.sent(key, occasion('1'), 10);
    ledger.resent(key, 20);
    ledger.resent(key, 30);
    ledger.accepted(key, occasion('1'), 40);
    expect(ledger.get(key)).toMatchObject({ at: 40, resends: 2 });
    ledger.sent(key, occasion('2'), 50);
    expect(ledger.get(key)).toMatchObject({ at: 50, resends: 0 });
  });
});
