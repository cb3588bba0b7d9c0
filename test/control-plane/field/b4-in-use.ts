/** B4/47: a disk that is still attached. No in-tree plugin of 1.36 says so: the one here does. */
import { expect } from 'vitest';
import { VolumeInUseError, type VolumePlugin } from '../../../lib/controller/plugins.ts';
import { simulatedPlugin } from '../../../local/simulated-plugin.ts';
import type { Scenario } from './describe-field.ts';

const attached = new Set<string>();
/** The simulated plugin, with disks that can be attached. */
export const attachingPlugin: VolumePlugin = {
  ...simulatedPlugin,
  newDeleter:
    ({ metadata: { name } }) =>
    async () => {
      if (attached.has(name)) throw new VolumeInUseError(`disk of ${name} is attached to node-1`);
    },
};

export function inUse(scenario: Scenario): void {
  scenario(
    'B4/47 a volume whose disk is still in use stays Released, and goes when it is not',
    async ({ place }) => {
      const volume = await place.createVolume('busy', { spec: { persistentVolumeReclaimPolicy: 'Delete' } });
      await place.createClaim('x');
      await place.untilBound('busy', 'x');
      attached.add('busy');

      await place.release('x', 'busy');
      const message = 'disk of busy is attached to node-1';
      await place.untilTold(volume, { type: 'Normal', reason: 'VolumeDelete', message });
      expect(await place.volumeState('busy')).toMatchObject({ phase: 'Released' });

      attached.clear();
      await place.untilGone(place.volumePath('busy'));
      expect(await place.phasesOf('busy')).toEqual(['Pending', 'Available', 'Bound', 'Released']);
      expect(await place.eventsOf(volume)).toEqual([{ type: 'Normal', reason: 'VolumeDelete', message }]);
    },
    { notBuiltIn: 'it has no plugin that can be told to say so' },
  );
}
