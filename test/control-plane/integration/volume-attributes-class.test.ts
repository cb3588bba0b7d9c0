/** Volume attributes classes decide which volume a claim gets, where the API server has them. */
import { expect } from 'vitest';
import { claim, volume } from './objects.ts';
import { describeScenarios } from './scenario.ts';
import type { World } from './world.ts';

interface Case {
  /** Names of volumes; a suffix `-gold` or `-silver` is their class. */
  readonly volumes: readonly string[];
  readonly claim: { readonly volumeAttributesClassName?: string; readonly volumeName?: string };
  readonly expected: string;
}

const three = ['pv', 'pv-gold', 'pv-silver'];

describeScenarios('volume attributes classes', {}, (scenario) => {
  const cases: Readonly<Record<string, Case>> = {
    'without a class gets the volume without one': { volumes: three, claim: {}, expected: 'pv' },
    'with an empty class gets the volume without one': {
      volumes: three,
      claim: { volumeAttributesClassName: '' },
      expected: 'pv',
    },
    'with class gold gets the golden volume': {
      volumes: three,
      claim: { volumeAttributesClassName: 'gold' },
      expected: 'pv-gold',
    },
    'with class gold gets the golden volume that it names': {
      volumes: ['pv', 'pv-gold', 'pv2-gold', 'pv-silver'],
      claim: { volumeAttributesClassName: 'gold', volumeName: 'pv2-gold' },
      expected: 'pv2-gold',
    },
  };
  for (const [what, given] of Object.entries(cases)) {
    scenario(`ClaimVolumeAttributesClassName: a claim ${what}`, 'pvc-volume-attributes-class-name', ({ world }) =>
      bindsAsExpected(world, given),
    );
  }
});

const without = {
  plane: { emulatedVersion: '1.35', featureGates: { VolumeAttributesClass: false } },
  controller: { settings: { PV_VOLUME_ATTRIBUTES_CLASS: 'off' } },
};

describeScenarios('without volume attributes classes', without, (scenario) => {
  const cases: Readonly<Record<string, Case>> = {
    'with class gold, which the API server drops, gets the volume': {
      volumes: ['pv-gold'],
      claim: { volumeAttributesClassName: 'gold' },
      expected: 'pv-gold',
    },
    'without a class gets the volume': { volumes: ['pv'], claim: {}, expected: 'pv' },
    'with an empty class gets the volume': {
      volumes: ['pv'],
      claim: { volumeAttributesClassName: '' },
      expected: 'pv',
    },
  };
  for (const [what, given] of Object.entries(cases)) {
    scenario(
      `ClaimVolumeAttributesClassName, gate off: a claim ${what}`,
      'pvc-volume-attributes-class-name',
      async ({ world }) => {
        await bindsAsExpected(world, given);
        const objects = [...(await world.listVolumes()), ...(await world.listClaims())];
        // managedFields tell what was asked for; these two, what was kept.
        const kept = JSON.stringify(objects.map(({ spec, status }) => ({ spec, status })));
        expect(kept).not.toMatch(/volumeAttributesClass/i);
      },
    );
  }
});

async function bindsAsExpected(world: World, { volumes, claim: asked, expected }: Case): Promise<void> {
  for (const name of volumes) {
    const csi = { driver: 'mock-driver', volumeHandle: name };
    const volumeAttributesClassName = /-(gold|silver)$/.exec(name)?.[1];
    await world.createVolume(volume(name, '1G', { spec: { hostPath: undefined, csi, volumeAttributesClassName } }));
  }
  await world.createClaim(claim('pvc-1', '1G', asked));

  await world.untilClaims('Bound');

  const { metadata, spec } = await world.claim('pvc-1');
  const { name, namespace, uid } = metadata;
  expect(spec.volumeName).toBe(expected);
  const reserved = (await world.listVolumes()).filter((found) => found.spec.claimRef !== undefined);
  expect(reserved).toMatchObject([{ metadata: { name: expected }, spec: { claimRef: { name, namespace, uid } } }]);
}
