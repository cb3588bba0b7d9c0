/** Checks of end states. What is found is put into the same words as what is wanted, and the two must be equal. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import type { Check } from './chapter.ts';
import type { User } from './user.ts';

interface Cast {
  readonly user: User;
}

/**
 * @param claim `namespace/name`.
 * @param wanted such as `Bound, volume disk-1`, `Pending, no volume`, `gone`.
 */
export function claimIs(claim: string, wanted: string): Check<Cast> {
  return same(`claim ${claim}`, wanted, async ({ user }) => describeClaim(await user.claim(claim)));
}

/**
 * @param wanted such as `Available, free`, `Available, reserved for shop/data`, `Bound, claim shop/data`,
 *   `Released, claim shop/data that is gone`, `gone`.
 */
export function volumeIs(name: string, wanted: string): Check<Cast> {
  return same(`volume ${name}`, wanted, ({ user }) => describeVolume(user, name));
}

/** The controller has told why. */
export function claimHasEvent(claim: string, reason: string): Check<Cast> {
  return {
    says: `event ${reason} on claim ${claim}`,
    found: async ({ user }) => {
      const reasons = await user.eventsAbout((await user.claim(claim))?.metadata.uid ?? '');
      return reasons.includes(reason) ? undefined : `its events: ${reasons.join(', ') || 'none'}`;
    },
  };
}

/** Anything else. @param found as in `Check`. */
export function that<W>(says: string, found: Check<W>['found']): Check<W> {
  return { says, found };
}

function same<W>(subject: string, wanted: string, describe: (world: W) => Promise<string>): Check<W> {
  return {
    says: `${subject}: ${wanted}`,
    found: async (world) => {
      const found = await describe(world);
      return found === wanted ? undefined : found;
    },
  };
}

export function describeClaim(claim: PersistentVolumeClaim | undefined): string {
  if (claim === undefined) return 'gone';
  const { volumeName } = claim.spec;
  return `${claim.status?.phase}, ${volumeName ? `volume ${volumeName}` : 'no volume'}`;
}

/** By the claim's uid, as the controller sees it: a claim of the same name may be another claim. */
export async function describeVolume(user: User, name: string): Promise<string> {
  const volume: PersistentVolume | undefined = await user.volume(name);
  if (volume === undefined) return 'gone';
  const { claimRef } = volume.spec;
  const phase = volume.status?.phase ?? 'no phase';
  if (claimRef === undefined) return `${phase}, free`;
  const claim = `${claimRef.namespace}/${claimRef.name}`;
  if (!claimRef.uid) return `${phase}, reserved for ${claim}`;
  const isAlive = (await user.claim(claim))?.metadata.uid === claimRef.uid;
  return `${phase}, claim ${claim}${isAlive ? '' : ' that is gone'}`;
}
