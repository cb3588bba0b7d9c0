import { describe, expect, test } from 'vitest';
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  DEFAULT_CLASS,
  MIGRATED_TO,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from '../../lib/controller/annotations.ts';
import { ClusterError, ConflictError, StateError } from '../../lib/controller/errors.ts';
import {
  boundPair,
  claim,
  podUsing,
  refTo,
  reservationFor,
  storageClass,
  volume,
} from '../../lib/controller/testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { failing, Scene } from './scene.ts';

const NO_VOLUME = 'Normal FailedBinding: no persistent volumes available for this claim and no storage class is set';
const wait = storageClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' });
const waiting = (annotations: Record<string, string> = {}) =>
  claim('one', { annotations, spec: { storageClassName: 'wait' } });

describe('an unbound claim without volumeName (BEHAVIOUR 3.1)', () => {
  test('without a match and a class: event, and the status is emptied', async () => {
    const one = claim('one', {
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1' } },
    });
    const scene = new Scene({ PersistentVolumeClaim: [one] });
    await scene.syncClaim('one');
    expect(scene.events).toEqual([NO_VOLUME]);
    expect(scene.claim('one').status).toEqual({ phase: 'Pending' });
  });

  test('an empty class does not provision either, nor get a default', async () => {
    const scene = new Scene({
      PersistentVolumeClaim: [claim('one', { spec: { storageClassName: '' } })],
      StorageClass: [storageClass('d', { metadata: { name: 'd', annotations: { [DEFAULT_CLASS]: 'true' } } })],
    });
    await scene.syncClaim('one');
    expect(scene.events).toEqual([NO_VOLUME]);
    expect(scene.operations).toEqual([]);
  });

  /** A pool that knows what it was told, and what is held of it. */
  function forgetfulPool() {
    const known: PersistentVolume[] = [];
    const held = new Set<string>();
    const hold = (name: string) => {
      held.add(name);
      return () => void held.delete(name);
    };
    const store = (told: PersistentVolume) => void known.push(told);
    return { held, pool: { volumes: async () => new VolumeIndex(known), drop: () => {}, hold, store } };
  }

  test('the hinted volume is a candidate even where the pool does not know it', async () => {
    const { pool } = forgetfulPool();
    const scene = new Scene({ PersistentVolumeClaim: [claim('one')], PersistentVolume: [volume('pv')] }, [], { pool });
    await scene.syncClaim('one');
    await scene.syncClaim('one', 'gone');
    expect(scene.claim('one').spec.volumeName).toBeUndefined();
    await scene.syncClaim('one', 'pv');
    expect(scene.claim('one').spec.volumeName).toBe('pv');
  });

  test('the chosen volume is held until it is bound, or the bind has failed', async () => {
    const { pool, held } = forgetfulPool();
    const scene = new Scene({ PersistentVolumeClaim: [claim('one')], PersistentVolume: [volume('pv')] }, [], { pool });
    const during = new Set<string>();
    let isRefused = true;
    scene.cluster.before = (verb, resource) => {
      if (verb !== 'update' || resource !== 'persistentvolumes') return;
      during.add([...held].join());
      if (isRefused) throw new ClusterError('500', { code: 500 });
    };
    await expect(scene.syncClaim('one', 'pv')).rejects.toThrow('500');
    expect([[...during], held.size]).toEqual([['pv'], 0]);
    isRefused = false;
    await scene.syncClaim('one', 'pv');
    expect([[...during], held.size]).toEqual([['pv'], 0]);
  });

  test('a class without a binding mode is an error, a missing class is not', async () => {
    const { volumeBindingMode: _mode, ...modeless } = storageClass('wait');
    const broken = new Scene({ PersistentVolumeClaim: [waiting()], StorageClass: [modeless] });
    await expect(broken.syncClaim('one')).rejects.toThrow('VolumeBindingMode not set for StorageClass "wait"');
    const missing = new Scene({ PersistentVolumeClaim: [waiting()] });
    await missing.syncClaim('one');
    expect(missing.events).toEqual(['Warning ProvisioningFailed: storageclass.storage.k8s.io "wait" not found']);
  });

  test('an error while matching is the claim’s own contradiction, in upstream’s words', async () => {
    const one = claim('one', { spec: { volumeAttributesClassName: 'gold' } });
    const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [volume('pv')] }, [], {
      features: { volumeAttributesClass: false },
    });
    const error = await scene.syncClaim('one').catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StateError);
    expect((error as Error).message).toBe(
      'error finding PV for claim "ns/one": unsupported volumeAttributesClassName is set on claim ns/one when the feature-gate VolumeAttributesClass is disabled',
    );
    expect(scene.writes).toEqual([]);
  });

  test('with a class: provisioning, and the claim’s status is not touched', async () => {
    const one = claim('one', { spec: { storageClassName: 'fast' }, status: { phase: 'Bound' } });
    const scene = new Scene({ PersistentVolumeClaim: [one], StorageClass: [storageClass('fast')] });
    await scene.syncClaim('one');
    expect(scene.operations).toEqual(['provision-ns/one[uid-of-one]']);
    expect(scene.claim('one').status?.phase).toBe('Bound');
  });
});

describe('a claim that waits for its first consumer (BEHAVIOUR 3.1 step 4.2, 8.3)', () => {
  const unscheduled = (name: string, parts: Partial<Pod> = {}) =>
    podUsing('one', name, { status: { phase: 'Pending' }, ...parts });

  async function eventsWith(pods: Pod[], pvc: PersistentVolumeClaim = waiting()): Promise<string[]> {
    const scene = new Scene({
      PersistentVolumeClaim: [pvc],
      PersistentVolume: [volume('pv', { spec: { storageClassName: 'wait' } })],
      StorageClass: [wait],
      Pod: pods,
    });
    await scene.syncClaim('one');
    expect(scene.claim('one').spec.volumeName).toBeUndefined();
    expect(scene.claim('one').status).toEqual({ phase: 'Pending' });
    expect(scene.operations).toEqual([]);
    return scene.events;
  }

  const FIRST = 'Normal WaitForFirstConsumer: waiting for first consumer to be created before binding';

  test('without a pod', async () => {
    expect(await eventsWith([])).toEqual([FIRST]);
    expect(await eventsWith([podUsing('two', 'p', { status: { phase: 'Pending' } })])).toEqual([FIRST]);
    expect(await eventsWith([unscheduled('p', { metadata: { namespace: 'other', name: 'p' } })])).toEqual([FIRST]);
  });

  test('with one pod that is not scheduled', async () => {
    expect(await eventsWith([unscheduled('web')])).toEqual([
      'Normal WaitForPodScheduled: waiting for pod web to be scheduled',
    ]);
  });

  test('with one that is scheduled, and so waits for nothing', async () => {
    const scheduled = unscheduled('api');
    scheduled.spec = { ...scheduled.spec, containers: [], nodeName: 'node-1' };
    expect(await eventsWith([scheduled])).toEqual([FIRST]);
    expect(await eventsWith([scheduled, unscheduled('web')])).toEqual([
      'Normal WaitForPodScheduled: waiting for pod web to be scheduled',
    ]);
  });

  test('with several of them: names without namespace', async () => {
    expect(await eventsWith([unscheduled('web'), unscheduled('api')])).toEqual([
      'Normal WaitForPodScheduled: waiting for pods api,web to be scheduled',
    ]);
  });

  test('with a generic ephemeral volume', async () => {
    const pod: Pod = {
      metadata: { namespace: 'ns', name: 'web' },
      spec: { containers: [], volumes: [{ name: 'data', ephemeral: {} }] },
      status: { phase: 'Pending' },
    };
    const scene = new Scene({
      PersistentVolumeClaim: [claim('web-data', { spec: { storageClassName: 'wait' } })],
      StorageClass: [wait],
      Pod: [pod],
    });
    await scene.syncClaim('web-data');
    expect(scene.events).toEqual(['Normal WaitForPodScheduled: waiting for pod web to be scheduled']);
  });

  test.each<[string, Pod]>([
    ['scheduled', podUsing('one', 'p', { spec: { containers: [], nodeName: 'n', volumes: [] } })],
    ['Failed', unscheduled('p', { status: { phase: 'Failed' } })],
    ['Succeeded', unscheduled('p', { status: { phase: 'Succeeded' } })],
    [
      'going',
      unscheduled('p', { metadata: { namespace: 'ns', name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    ],
  ])('a pod that is %s does not count', async (_what, pod) => {
    expect(await eventsWith([pod])).toEqual([FIRST]);
  });

  test('a selected node lets it be provisioned, and free volumes are still left alone', async () => {
    const scene = new Scene({
      PersistentVolumeClaim: [waiting({ [SELECTED_NODE]: 'node' })],
      PersistentVolume: [volume('pv', { spec: { storageClassName: 'wait' } })],
      StorageClass: [wait],
    });
    await scene.syncClaim('one');
    expect(scene.operations).toEqual(['provision-ns/one[uid-of-one]']);
    expect(scene.volume('pv').spec.claimRef).toBeUndefined();
  });

  test('a volume reserved for it is bound, and so is one that it names', async () => {
    const reserved = volume('pv', { spec: { storageClassName: 'wait', claimRef: reservationFor(waiting()) } });
    const first = new Scene({ PersistentVolumeClaim: [waiting()], PersistentVolume: [reserved], StorageClass: [wait] });
    await first.syncClaim('one');
    expect(first.claim('one').status?.phase).toBe('Bound');
    const naming = claim('one', { spec: { storageClassName: 'wait', volumeName: 'pv' } });
    const free = volume('pv', { spec: { storageClassName: 'wait' } });
    const second = new Scene({ PersistentVolumeClaim: [naming], PersistentVolume: [free], StorageClass: [wait] });
    await second.syncClaim('one');
    expect(second.claim('one').status?.phase).toBe('Bound');
  });
});

describe('the retroactive default class (BEHAVIOUR 10)', () => {
  const defaultClass = storageClass('d', { metadata: { name: 'd', annotations: { [DEFAULT_CLASS]: 'true' } } });

  test('is written, and the sync ends there: no event, no status', async () => {
    const one = claim('one', { status: { phase: 'Bound' } });
    const scene = new Scene({ PersistentVolumeClaim: [one], StorageClass: [defaultClass] });
    await scene.syncClaim('one');
    expect(scene.claim('one').spec.storageClassName).toBe('d');
    expect(scene.writes).toEqual(['update PersistentVolumeClaim one']);
    expect(scene.events).toEqual([]);
  });

  test('a class-less volume that exists is preferred', async () => {
    const scene = new Scene({
      PersistentVolumeClaim: [claim('one')],
      PersistentVolume: [volume('pv')],
      StorageClass: [defaultClass],
    });
    await scene.syncClaim('one');
    expect(scene.claim('one').spec.storageClassName).toBeUndefined();
    expect(scene.claim('one').spec.volumeName).toBe('pv');
  });

  test('a claim that names a volume, or finished its binding, is left as it is', async () => {
    for (const parts of [{ spec: { volumeName: 'missing' } }, { annotations: { [BIND_COMPLETED]: 'yes' } }]) {
      const scene = new Scene({ PersistentVolumeClaim: [claim('one', parts)], StorageClass: [defaultClass] });
      await scene.syncClaim('one');
      expect(scene.claim('one').spec.storageClassName).toBeUndefined();
    }
  });

  test('a failed write fails the sync in upstream’s words', async () => {
    const scene = new Scene({ PersistentVolumeClaim: [claim('one')], StorageClass: [defaultClass] });
    failing(scene, 'update', 'persistentvolumeclaims', new Error('no answer'));
    await expect(scene.syncClaim('one')).rejects.toThrow(`can't update PersistentVolumeClaim["ns/one"]: no answer`);
    expect(scene.events).toEqual([]);
  });
});

describe('an unbound claim that names its volume (BEHAVIOUR 3.2)', () => {
  const naming = (parts: Parameters<typeof claim>[1] = {}) =>
    claim('one', { ...parts, spec: { volumeName: 'pv', ...parts.spec } });

  test('a missing volume: Pending, silently', async () => {
    const scene = new Scene({
      PersistentVolumeClaim: [naming({ status: { phase: 'Bound', capacity: { storage: '1' } } })],
    });
    await scene.syncClaim('one');
    expect(scene.claim('one').status).toEqual({ phase: 'Pending' });
    expect(scene.events).toEqual([]);
  });

  test('a free volume that does not fit: warning with the reason, Pending', async () => {
    const scene = new Scene({
      PersistentVolumeClaim: [naming({ status: { phase: 'Lost' } })],
      PersistentVolume: [volume('pv', { spec: { capacity: { storage: '1' } } })],
    });
    await scene.syncClaim('one');
    expect(scene.events).toEqual([
      'Warning VolumeMismatch: Cannot bind to requested volume "pv": requested PV is too small',
    ]);
    expect(scene.claim('one').status?.phase).toBe('Pending');
    expect(scene.volume('pv').spec.claimRef).toBeUndefined();
  });

  test('a volume reserved for it is bound without any fitness check', async () => {
    const one = naming();
    const unfit = { capacity: { storage: '1' }, volumeMode: 'Block', storageClassName: 'x' };
    for (const claimRef of [refTo(one), reservationFor(one)]) {
      const scene = new Scene({
        PersistentVolumeClaim: [one],
        PersistentVolume: [volume('pv', { spec: { ...unfit, claimRef } })],
      });
      await scene.syncClaim('one');
      expect(scene.claim('one').status?.phase).toBe('Bound');
      expect(scene.volume('pv').metadata.annotations).toBeUndefined();
    }
  });

  test.each([[refTo(claim('two'))], [{ ...refTo(claim('one')), uid: 'older' }]])(
    'a volume of someone else, %j: warning, Pending',
    async (claimRef) => {
      const scene = new Scene({
        PersistentVolumeClaim: [naming({ status: { phase: 'Bound' } })],
        PersistentVolume: [volume('pv', { spec: { claimRef } })],
      });
      await scene.syncClaim('one');
      expect(scene.events).toEqual(['Warning FailedBinding: volume "pv" already bound to a different claim.']);
      expect(scene.writes).toEqual(['updateStatus PersistentVolumeClaim one']);
    },
  );

  test('a volume of someone else that the controller wrote into the claim: warning, no write, error', async () => {
    const scene = new Scene({
      PersistentVolumeClaim: [naming({ annotations: { [BOUND_BY_CONTROLLER]: 'yes' }, status: { phase: 'Bound' } })],
      PersistentVolume: [volume('pv', { spec: { claimRef: refTo(claim('two')) } })],
    });
    const error = await scene.syncClaim('one').catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StateError);
    expect((error as Error).message).toBe(
      'invalid binding of claim "ns/one" to volume "pv": volume already claimed by "ns/two"',
    );
    expect(scene.events).toEqual(['Warning FailedBinding: volume "pv" already bound to a different claim.']);
    expect(scene.writes).toEqual([]);
  });
});

describe('a claim that finished its binding (BEHAVIOUR 3.3)', () => {
  const LOST = 'Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!';

  test('a settled pair is read twice and not written', async () => {
    const { claim: one, volume: pv } = boundPair();
    const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [pv] });
    let reads = 0;
    scene.cluster.before = () => {
      reads++;
    };
    await scene.syncClaim('one');
    expect(scene.writes).toEqual([]);
    expect(scene.events).toEqual([]);
    expect(reads).toBe(2);
  });

  test('the volume is gone: Lost once, with an emptied status and one event', async () => {
    const scene = new Scene({ PersistentVolumeClaim: [boundPair().claim] });
    await scene.syncClaim('one');
    await scene.syncClaim('one');
    expect(scene.claim('one').status).toEqual({ phase: 'Lost' });
    expect(scene.events).toEqual([LOST]);
  });

  test('the volumeName is gone: Lost, in other words', async () => {
    const { claim: one } = boundPair();
    const { volumeName: _gone, ...spec } = one.spec;
    const scene = new Scene({ PersistentVolumeClaim: [{ ...one, spec }] });
    await scene.syncClaim('one');
    expect(scene.events).toEqual([
      'Warning ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    ]);
  });

  test('no event is sent where the status could not be written', async () => {
    const scene = new Scene({ PersistentVolumeClaim: [boundPair().claim] });
    failing(scene, 'update', 'persistentvolumeclaims', new Error('no answer'));
    await expect(scene.syncClaim('one')).rejects.toThrow('no answer');
    expect(scene.events).toEqual([]);
  });

  test.each([[refTo(claim('two'))], [{ ...refTo(claim('one')), uid: 'other' }], [reservationFor(claim('one'))]])(
    'a volume with claimRef %j: misbound, the volume is left alone',
    async (claimRef) => {
      const { claim: one, volume: pv } = boundPair({ spec: { claimRef } });
      const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [pv] });
      await scene.syncClaim('one');
      expect(scene.events).toEqual([
        'Warning ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
      ]);
      expect(scene.claim('one').status).toEqual({ phase: 'Lost' });
      expect(scene.volume('pv-of-one')).toEqual(pv);
    },
  );

  test('a volume that lost its claimRef is bound again, without a fitness check', async () => {
    const { claim: one, volume: pv } = boundPair({ spec: { volumeMode: 'Block', capacity: { storage: '1' } } });
    const { claimRef: _gone, ...spec } = pv.spec;
    const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [{ ...pv, spec }] });
    await scene.syncClaim('one');
    expect(scene.volume('pv-of-one').spec.claimRef).toMatchObject(refTo(one));
  });

  test('Lost is not final: the right volume makes it Bound again, with its capacity', async () => {
    const { claim: one, volume: pv } = boundPair();
    const lost: PersistentVolumeClaim = { ...one, status: { phase: 'Lost' } };
    const scene = new Scene({ PersistentVolumeClaim: [lost], PersistentVolume: [pv] });
    await scene.syncClaim('one');
    expect(scene.claim('one').status).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
    });
  });

  test('a deletionTimestamp is not looked at', async () => {
    const { claim: one, volume: pv } = boundPair({ status: { phase: 'Available' } });
    one.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [pv] });
    await scene.syncClaim('one');
    expect(scene.volume('pv-of-one').status?.phase).toBe('Bound');
  });
});

describe('the first step of a claim’s sync (BEHAVIOUR 9)', () => {
  const migrated = claim('one', { annotations: { [STORAGE_PROVISIONER]: 'kubernetes.io/aws-ebs' } });

  test('a correct migrated-to annotation is saved first', async () => {
    const scene = new Scene({ PersistentVolumeClaim: [migrated] });
    await scene.syncClaim('one');
    expect(scene.claim('one').metadata.annotations?.[MIGRATED_TO]).toBe('ebs.csi.aws.com');
    expect(scene.events).toEqual([NO_VOLUME]);
  });

  test('an error of it is told in upstream’s words and ends the sync', async () => {
    const scene = new Scene({ PersistentVolumeClaim: [migrated] });
    failing(scene, 'update', 'persistentvolumeclaims', new Error('no answer'));
    await expect(scene.syncClaim('one')).rejects.toThrow(
      "persistent Volume Controller can't anneal migration annotations: no answer",
    );
    expect(scene.events).toEqual([]);
  });

  test('a conflict is decided again in the same invocation', async () => {
    const scene = new Scene({ PersistentVolumeClaim: [migrated] });
    failing(scene, 'update', 'persistentvolumeclaims', new ConflictError('changed', { code: 409 }), 2);
    await scene.syncClaim('one');
    expect(scene.claim('one').metadata.annotations?.[MIGRATED_TO]).toBe('ebs.csi.aws.com');
    expect(scene.sleeps).toHaveLength(2);
  });
});
