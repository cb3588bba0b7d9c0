/** B4: Failed or Released, and what is tried again. On the in-tree plugins: hostPath, with a disk. */
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { PROVISIONED_BY } from '../../../lib/controller/annotations.ts';
import type { Scenario } from './describe-field.ts';
import { refTo } from './states.ts';

const deleted = { persistentVolumeReclaimPolicy: 'Delete' };
const csi = { hostPath: undefined, csi: { driver: 'external.example.com', volumeHandle: 'disk-1' } };

export function failed(scenario: Scenario): void {
  for (const [number, what, annotations] of [
    [40, 'that an external provisioner made', { [PROVISIONED_BY]: 'external.example.com' }],
    [42, 'of a CSI driver that somebody made by hand', {}],
  ] as const) {
    scenario(`B4/${number} a volume ${what} ends Released, never Failed, without a word`, async (stage) => {
      const { place, controller } = stage;
      await place.createVolume('theirs', { annotations, spec: { ...csi, ...deleted } });
      const user = await place.createClaim('x');
      await place.untilBound('theirs', 'x');

      const released = await place.release('x', 'theirs');

      expect(await controller.fullResyncWrites()).toEqual([]);
      expect(await place.volumeState('theirs')).toEqual({ phase: 'Released', ref: refTo(user), bbc: true });
      expect(await place.phasesOf('theirs')).toEqual(['Pending', 'Available', 'Bound', 'Released']);
      expect(await place.eventsOf(released)).toEqual([]);
    });
  }

  scenario(
    'B4/44 a delete that failed is tried again until it works, and Failed stays visible until then',
    async (stage) => {
      const { place } = stage;
      const { spec } = await place.createVolume('broken', { spec: deleted });
      const path = `${spec.hostPath?.path}/data`;
      await place.forceDelete(place.volumePath('broken'));
      // A file where a directory should be: nothing below it can be removed.
      await writeFile(dirname(path), '');
      const volume = await place.createVolume('stubborn', { spec: { ...deleted, hostPath: { path } } });
      await place.createClaim('x');
      await place.untilBound('stubborn', 'x');

      const failed = await place.release('x', 'stubborn', 'Failed');
      const [told] = await place.eventsOf(volume);
      expect(told).toEqual({ type: 'Warning', reason: 'VolumeFailedDelete', message: failed.status?.message });
      expect(failed.status?.message).toContain(path);

      await rm(dirname(path));
      await mkdir(path, { recursive: true });
      await place.untilGone(place.volumePath('stubborn'));
      await expect(stat(path)).rejects.toThrow('ENOENT');
      expect(await place.phasesOf('stubborn')).toEqual(['Pending', 'Available', 'Bound', 'Released', 'Failed']);
      expect(await place.eventsOf(volume)).toEqual([told]);
    },
  );

  scenario('B4/44 a directory that must not be deleted leaves the volume Failed, and one event', async (stage) => {
    const { place, controller } = stage;
    const path = '/var/lib/pv-field-precious';
    const volume = await place.createVolume('outside', { spec: { ...deleted, hostPath: { path } } });
    const user = await place.createClaim('x');
    await place.untilBound('outside', 'x');

    await place.release('x', 'outside', 'Failed');

    const message = `host_path deleter only supports /tmp/.+ but received provided ${path}`;
    await place.untilTold(volume, { type: 'Warning', reason: 'VolumeFailedDelete', message });
    expect(await place.volumeState('outside')).toEqual({ phase: 'Failed', ref: refTo(user), message, bbc: true });
    // The retries go on for ever; with another policy the reason for them is gone.
    await place.patchVolume('outside', { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await place.eventsOf(volume)).toEqual([{ type: 'Warning', reason: 'VolumeFailedDelete', message }]);
  });

  scenario('B4/45 a volume with an unknown policy cannot even be made', async ({ place }) => {
    // The branch behind it (Failed, VolumeUnknownReclaimPolicy) is for objects older than this rule: case 6-10.
    const shred = { spec: { persistentVolumeReclaimPolicy: 'Shred' } };
    await expect(place.createVolume('odd', shred)).rejects.toThrow('422');
    await place.createVolume('plain');
    const changed = await place.client.request('PATCH', place.volumePath('plain'), shred);
    expect(changed.status).toBe(422);
    await place.untilVolume('plain', 'Available');
  });
}
