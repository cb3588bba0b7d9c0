import { describe, expect, test } from 'vitest';
import { claim, podUsing, refTo, reservationFor, storageClass, volume } from '../controller/testing/objects.ts';
import { explainClaim } from './testing/explain.ts';

const STATIC = storageClass('static', { provisioner: 'kubernetes.io/no-provisioner' });
const WAITING = storageClass('waiting', { volumeBindingMode: 'WaitForFirstConsumer' });
const one = (spec: object = {}) => claim('one', { spec: { storageClassName: '', ...spec } });
const asking = (storage: string) => ({ resources: { requests: { storage } } });

describe('a Pending claim that a volume fits', () => {
  test('is the controller’s to bind, and what it will write is told', async () => {
    const finding = await explainClaim({ PersistentVolumeClaim: [one()], PersistentVolume: [volume('pv')] });
    expect(finding).toMatchObject({ cause: 'controller-behind', severity: 'waiting', actor: 'controller' });
    expect(finding.next).toBe(
      'volume pv: binding none -> ns/one; volume pv: phase Available -> Bound; ' +
        'claim ns/one: binding none -> pv; claim ns/one: phase Pending -> Bound',
    );
    expect(finding.why).toContain('Binding volume pv to claim ns/one.');
  });
});

describe('the candidates of a Pending claim', () => {
  test('each with the first rule that it fails and by how much, the closest first', async () => {
    const volumes = [
      volume('taken', { spec: { claimRef: refTo(claim('two')) }, status: { phase: 'Released' } }),
      volume('small', { spec: { capacity: { storage: '5Gi' } } }),
      volume('smaller', { spec: { capacity: { storage: '4Gi' } } }),
      volume('block', { spec: { capacity: { storage: '8Gi' }, volumeMode: 'Block' } }),
      volume('classy', { spec: { capacity: { storage: '8Gi' }, storageClassName: 'fast' } }),
      volume('read-only', { spec: { capacity: { storage: '8Gi' }, accessModes: ['ReadOnlyMany'] } }),
      volume('new', { spec: { capacity: { storage: '8Gi' } }, status: { phase: 'Pending' } }),
    ];
    const finding = await explainClaim({ PersistentVolumeClaim: [one(asking('8Gi'))], PersistentVolume: volumes });
    expect(finding.cause).toBe('no-static-volume');
    expect(finding.candidates).toEqual([
      { volume: 'classy', rule: 'storageClassName differs', detail: 'needs none, has fast' },
      { volume: 'new', rule: 'not Available', detail: 'it is Pending' },
      { volume: 'block', rule: 'volumeMode differs', detail: 'needs Filesystem, has Block' },
      { volume: 'small', rule: 'too small', detail: 'needs 8Gi, has 5Gi' },
      { volume: 'smaller', rule: 'too small', detail: 'needs 8Gi, has 4Gi' },
      { volume: 'taken', rule: 'reserved for another claim', detail: 'for ns/two' },
      { volume: 'read-only', rule: 'accessModes lack one', detail: 'needs ReadWriteOnce, has ReadOnlyMany' },
    ]);
  });

  test('volumes in use by other claims are counted and not listed, and so are those beyond the limit', async () => {
    const bound = volume('bound', { spec: { claimRef: refTo(claim('two')) }, status: { phase: 'Bound' } });
    const small = ['a', 'b', 'c'].map((name) => volume(name));
    const objects = { PersistentVolumeClaim: [one(asking('8Gi'))], PersistentVolume: [bound, ...small] };
    const finding = await explainClaim(objects, { maxCandidates: 1 });
    expect(finding.candidates.map((candidate) => candidate.volume)).toEqual(['a']);
    expect(finding.why).toContain('2 more volumes do not fit either.');
    expect(finding.why).toContain('1 volume is in use by other claims.');
  });

  test('none are looked for where none are wanted, and the cause is the same', async () => {
    const earlier = { ...refTo(claim('one')), uid: 'earlier' };
    const volumes = [volume('old', { spec: { claimRef: earlier }, status: { phase: 'Released' } }), volume('free')];
    const objects = { PersistentVolumeClaim: [one({ accessModes: ['ReadWriteMany'] })], PersistentVolume: volumes };
    expect((await explainClaim(objects, { maxCandidates: 0 })).candidates).toEqual([]);
    const fitting = { ...objects, PersistentVolumeClaim: [one(asking('1Gi'))], PersistentVolume: volumes.slice(0, 1) };
    expect((await explainClaim(fitting, { maxCandidates: 0 })).cause).toBe('predecessor-released');
    expect((await explainClaim(fitting)).cause).toBe('predecessor-released');
  });
});

describe('a cure for a Pending claim', () => {
  test('meets all that the closest volume differs in, not only the first rule', async () => {
    const other = volume('pv', { spec: { storageClassName: 'fast', accessModes: ['ReadOnlyMany'] } });
    const finding = await explainClaim({ PersistentVolumeClaim: [one(asking('2Gi'))], PersistentVolume: [other] });
    const [cure] = finding.cures;
    expect(cure?.does).toBe('Ask for what volume pv has (size, accessModes, storageClassName)');
    expect(cure?.command).toContain('"accessModes":["ReadOnlyMany"],"resources":{"requests":{"storage":"1Gi"}}');
    expect(cure?.command).toContain('"preconditions":{"uid":"uid-of-one","resourceVersion":"1"}');
    expect(cure?.danger).toBeUndefined();
  });

  test('does not label a volume that would not be chosen even then', async () => {
    const selecting = one({ selector: { matchLabels: { tier: 'fast' } } });
    const labels = async (spec: object) => {
      const objects = { PersistentVolumeClaim: [selecting], PersistentVolume: [volume('pv', { spec })] };
      return (await explainClaim(objects)).cures.filter(({ command }) => command.startsWith('kubectl label'));
    };
    expect(await labels({})).toMatchObject([{ command: 'kubectl label pv pv --overwrite tier=fast' }]);
    expect(await labels({ storageClassName: 'fast' })).toEqual([]);
  });

  test('warns where another label would be overwritten', async () => {
    const selecting = one({ selector: { matchLabels: { tier: 'fast' } } });
    const slow = volume('pv', { metadata: { labels: { tier: 'slow' } } });
    const [cure] = (await explainClaim({ PersistentVolumeClaim: [selecting], PersistentVolume: [slow] })).cures;
    expect(cure?.command).toBe('kubectl label pv pv --overwrite tier=fast');
    expect(cure?.danger).toMatch(/tier/);
  });

  test('frees the volume of an earlier claim of the same name, whatever else is proposed', async () => {
    const spec = { claimRef: { ...refTo(claim('one')), uid: 'earlier', resourceVersion: '7' } };
    const annotations = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
    const old = volume('pv', { annotations, spec, status: { phase: 'Released' } });
    const finding = await explainClaim({ PersistentVolumeClaim: [one()], PersistentVolume: [old] });
    expect(finding.cures).toEqual([
      {
        does: 'Free the volume for the next claim named ns/one, with the data on it',
        command:
          `kubectl patch pv pv --type=json -p '[{"op":"test","path":"/metadata/uid","value":"uid-of-pv"},` +
          `{"op":"test","path":"/spec/claimRef/uid","value":"earlier"},{"op":"remove","path":"/spec/claimRef/uid"},` +
          `{"op":"remove","path":"/spec/claimRef/resourceVersion"},` +
          `{"op":"remove","path":"/metadata/annotations/pv.kubernetes.io~1bound-by-controller"}]'`,
      },
    ]);
  });
});

describe('a Pending claim and its class', () => {
  test('a class of static volumes provisions nothing', async () => {
    const claims = [one({ storageClassName: 'static' })];
    const finding = await explainClaim({ PersistentVolumeClaim: claims, StorageClass: [STATIC] });
    expect(finding).toMatchObject({ cause: 'no-static-volume', next: 'nothing but the event ProvisioningFailed' });
    expect(finding.why).toContain('No class of the cluster provisions volumes.');
  });

  test('an in-tree plugin that is gone is named', async () => {
    const gone = storageClass('old', { provisioner: 'kubernetes.io/glusterfs' });
    const claims = [one({ storageClassName: 'old' })];
    const finding = await explainClaim({ PersistentVolumeClaim: claims, StorageClass: [gone] });
    expect(finding.cause).toBe('plugin-missing');
    expect(finding.why).toContain('Class old: no volume plugin matched name: kubernetes.io/glusterfs.');
  });

  test('dynamic provisioning may be switched off', async () => {
    const settings = {
      dynamicProvisioning: false,
      createVolumeAttempts: 1,
      createVolumeIntervalMs: 0,
      poolMaxAgeMs: 0,
    };
    const claims = [one({ storageClassName: 'fast' })];
    const objects = { PersistentVolumeClaim: claims, StorageClass: [storageClass('fast')] };
    expect((await explainClaim(objects, { rules: { settings } })).cause).toBe('provisioning-off');
  });

  test('a class without a binding mode is a contradiction, in the controller’s words', async () => {
    const { volumeBindingMode: _none, ...modeless } = storageClass('fast');
    const claims = [one({ storageClassName: 'fast' })];
    const finding = await explainClaim({ PersistentVolumeClaim: claims, StorageClass: [modeless] });
    expect(finding).toMatchObject({ cause: 'contradiction', severity: 'broken' });
    expect(finding.why).toEqual(['VolumeBindingMode not set for StorageClass "fast".']);
  });

  test('the default class is assigned by the next sync', async () => {
    const standard = storageClass('standard', {
      metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    });
    const finding = await explainClaim({ PersistentVolumeClaim: [claim('one')], StorageClass: [standard] });
    expect(finding).toMatchObject({ cause: 'controller-behind', next: 'writes PersistentVolumeClaim ns/one' });
  });
});

describe('a claim that waits for its first consumer', () => {
  const waiting = one({ storageClassName: 'waiting' });

  test('names the pods that have no node, and why the scheduler found none', async () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available.' }];
    const pod = podUsing('one', 'web-0', { status: { phase: 'Pending', conditions } });
    const spec = { containers: [], ...podUsing('one', 'x').spec, nodeName: 'worker-1' };
    const placed = podUsing('one', 'web-1', { spec });
    const objects = { PersistentVolumeClaim: [waiting], StorageClass: [WAITING], Pod: [pod, placed] };
    const fitting = volume('fitting', { spec: { storageClassName: 'waiting' } });
    const finding = await explainClaim({ ...objects, PersistentVolume: [volume('classless'), fitting] });
    expect(finding).toMatchObject({ cause: 'waits-for-scheduler', actor: 'scheduler' });
    expect(finding.why[0]).toBe('Pod web-0 has no node: 0/3 nodes are available.');
    expect(finding.why.join('\n')).not.toContain('web-1');
    // Only of a volume that it may choose is it said that the scheduler chooses it.
    expect(finding.candidates.map(({ volume, rule }) => [volume, rule])).toEqual([
      ['fitting', 'binding waits for the first consumer'],
      ['classless', 'storageClassName differs'],
    ]);
  });

  test('tells of a pod that was put on its node by hand, past the scheduler', async () => {
    const pod = podUsing('one', 'web-0');
    const placed = { ...pod, spec: { containers: [], ...pod.spec, nodeName: 'worker-1' } };
    const finding = await explainClaim({ PersistentVolumeClaim: [waiting], StorageClass: [WAITING], Pod: [placed] });
    expect(finding.cause).toBe('waits-for-consumer');
    expect(finding.why[0]).toMatch(/pod web-0 on node worker-1, which no scheduler placed/);
  });
});

describe('a volume that is reserved for the claim', () => {
  test('and cannot serve it is the cause, with the rule', async () => {
    const reserved = volume('pv', { spec: { claimRef: reservationFor(one()) } });
    const finding = await explainClaim({ PersistentVolumeClaim: [one(asking('8Gi'))], PersistentVolume: [reserved] });
    expect(finding.cause).toBe('reserved-volume-unfit');
    expect(finding.why[0]).toBe('Volume pv is reserved for this claim, and: too small (needs 8Gi, has 1Gi).');
    expect(finding.cures[0]?.does).toBe('Ask for what volume pv has (size)');
  });

  test('by its uid, too, is kept before the claim may be made again: its end would have the volume deleted', async () => {
    const spec = { claimRef: refTo(one()), persistentVolumeReclaimPolicy: 'Delete' };
    const reserved = volume('pv', { spec, status: { phase: 'Bound' } });
    const finding = await explainClaim({ PersistentVolumeClaim: [one(asking('8Gi'))], PersistentVolume: [reserved] });
    expect(finding.cause).toBe('reserved-volume-unfit');
    expect(finding.cures.map(({ command }) => command)).toEqual([
      expect.stringMatching(
        /^kubectl patch pv pv .*ReclaimPolicy","value":"Retain"\},\{"op":"remove","path":"\/spec\/claimRef\/uid"/,
      ),
    ]);
  });
});
