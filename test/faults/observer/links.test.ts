/** A run without an end is checked window by window: each goes on where the one before it has ended. */
import { expect, test } from 'vitest';
import { boundPair } from '../../../lib/controller/testing/objects.ts';
import { violationsIn } from './invariants.ts';
import { chain, versionsIn } from './links.ts';
import type { Claim, State, Volume } from './state.ts';

const pair = boundPair() as unknown as { readonly volume: Volume; readonly claim: Claim };
const version = <T extends Volume | Claim>(object: T, resourceVersion: string, phase?: string): T => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
  ...(phase !== undefined && { status: { ...object.status, phase } }),
});
const added = { type: 'ADDED', object: version(pair.volume, '2') } as const;
const released = { type: 'MODIFIED', object: version(pair.volume, '3', 'Released') } as const;
const gone = { type: 'DELETED', object: version(pair.volume, '4') } as const;

test('the state before the first event of a window is the last one of the window before it', () => {
  const last = new Map<string, Volume>();
  chain([added], last);
  expect(chain([released], last)).toMatchObject([{ at: 3, before: added.object }]);
  expect([...last.values()]).toEqual([released.object]);
  expect(chain([gone], last)).toMatchObject([{ at: 4, before: released.object }]);
  expect([...last.values()]).toEqual([]);
});

test('what there is by now is known without forgetting what there was', () => {
  const before = new Map([[added.object.metadata.uid, added.object]]);
  const { name, uid } = added.object.metadata;
  expect(versionsIn('volume', [], before)).toEqual([[`volume ${name}`, `${uid}:2`]]);
  expect(versionsIn('volume', [released], before)).toEqual([[`volume ${name}`, `${uid}:3`]]);
  expect(versionsIn('volume', [released, gone], before)).toEqual([]);
  expect(before.size).toBe(1);
});

test('a claim of an earlier window still exists', () => {
  const last = new Map([[added.object.metadata.uid, added.object]]);
  const states = chain([released], last).map((link) => ({ kind: 'volume', isOurs: true, ...link }) as State);
  const claims = new Map([[pair.claim.metadata.uid, pair.claim]]);
  expect(violationsIn(states, claims).map(({ invariant }) => invariant)).toEqual(['I1']);
  expect(violationsIn(states)).toEqual([]);
});
