import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../lib/diagnosis/finding.ts';
import { troubledCluster } from '../lib/doctor/testing/troubled-cluster.ts';
import { type ServedCluster, serve } from '../test/doctor/served-cluster.ts';
import { COMMANDS } from './commands.ts';
import { subjectOf } from './explain.ts';
import { runProgram } from './program.ts';
import { testIo } from './testing.ts';

let cluster: ServedCluster;
beforeAll(async () => {
  cluster = await serve(troubledCluster());
});
afterAll(() => cluster.stop());

async function explain(...words: string[]) {
  const io = testIo();
  const code = await runProgram(['explain', '--kubeconfig', cluster.kubeconfig, ...words], COMMANDS, '1', io);
  return { code, printed: io.printed(), complained: io.complained() };
}

describe('explain', () => {
  it('says why, what comes next, who acts and what to run', async () => {
    const { code, printed, complained } = await explain('pv/pv-released-old');
    expect({ code, complained }).toEqual({ code: 0, complained: '' });
    expect(printed).toMatch(/^pv\/pv-released-old is Released/);
    expect(printed).toContain('stuck: retained');
    expect(printed).toMatch(/^Next sync {2}nothing$/m);
    expect(printed).toMatch(/^Who acts {3}user$/m);
    expect(printed).toMatch(/^kubectl patch pv pv-released-old --type=json -p '\[/m);
  });

  it('takes the long names of the kinds, and options on either side', async () => {
    const { printed } = await explain('-o', 'json', 'persistentvolume/pv-released-old');
    expect(JSON.parse(printed) as Finding).toMatchObject({ cause: 'retained', next: 'nothing' });
    expect(JSON.parse(printed)).toHaveProperty('schema', 'pv-controller.serverless/finding/v1');
    expect((await explain('persistentvolumes/pv-released-old', '-o', 'yaml')).printed).toMatch(/^cause: retained$/m);
  });

  it('fails with 1 for what does not exist', async () => {
    expect(await explain('pvc/default/nothing-of-the-kind')).toMatchObject({
      code: 1,
      printed: expect.stringContaining('There is no claim default/nothing-of-the-kind.'),
    });
  });

  it('writes nothing to the cluster', async () => {
    const before = cluster.server.store.revision;
    await explain('pv/pv-released-old');
    expect(cluster.server.store.revision).toBe(before);
  });
});

describe('the object that a word names', () => {
  it('is a volume, or a claim with its namespace', () => {
    expect(subjectOf('pv/a.b')).toEqual({ kind: 'PersistentVolume', name: 'a.b' });
    expect(subjectOf('persistentvolumeclaims/ns/one')).toEqual({
      kind: 'PersistentVolumeClaim',
      namespace: 'ns',
      name: 'one',
    });
  });

  it.each([
    [undefined, /which object\?/],
    ['pod/x', /"pod\/x" is no volume or claim/],
    ['constructor/x', /no volume or claim/],
    ['pv', /use pv\/NAME/],
    ['pv/a/b', /use pv\/NAME/],
    ['pvc/one', /use pvc\/NAMESPACE\/NAME/],
    ['pvc/ns/../secrets', /use pvc\/NAMESPACE\/NAME/],
    ['pvc/ns/..', /no name that an object can have/],
    ['pv/UPPER', /no name that an object can have/],
  ])('is refused: %s', (word, message) => {
    expect(() => subjectOf(word)).toThrow(message);
  });
});
