/** That what goes wrong in a function is seen: the emulator answers 200 to everything. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTools } from '../tools.ts';
import { type Slot, startSlot } from './slot.ts';

const tools = await findTools('emulator');

const source = `
export const handler = async (event, context) => {
  if (event.fail) throw new RangeError(event.fail);
  if (event.sleepMs) await new Promise((resolve) => setTimeout(resolve, event.sleepMs));
  const { functionName, awsRequestId } = context;
  const { MINE: mine, _X_AMZN_TRACE_ID: trace } = process.env;
  return { event, functionName, awsRequestId, left: context.getRemainingTimeInMillis(), mine, trace };
};
export const nothing = async () => {};
`;

describe.skipIf(tools.missing.length > 0)('a function under Lambda’s emulator', () => {
  let directory: string;
  let slot: Slot;
  const slots: Slot[] = [];

  async function start(handler: string): Promise<Slot> {
    const packaged = {
      name: 'probe',
      handler,
      directory,
      memoryMb: 128,
      timeoutSeconds: 2,
      environment: { MINE: 'x' },
    };
    const started = await startSlot(tools.emulator, packaged, { log: join(directory, `${slots.length}.log`) });
    slots.push(started);
    return started;
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pv-slot-'));
    await writeFile(join(directory, 'index.mjs'), source);
    slot = await start('index.handler');
  });
  afterAll(async () => {
    await Promise.all(slots.map((one) => one.stop()));
    await rm(directory, { recursive: true, force: true });
  });

  test('gets the event, a context with its time, its variables and a trace', async () => {
    const answer = (await slot.invoke({ a: [1] })) as { left: number };

    expect(answer).toMatchObject({ event: { a: [1] }, functionName: 'probe', mine: 'x' });
    expect(answer).toMatchObject({ awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(answer).toMatchObject({ trace: expect.stringMatching(/^Root=1-.*;Sampled=1$/) });
    expect(answer.left).toBeGreaterThan(500);
    expect(answer.left).toBeLessThanOrEqual(2_000);
  });

  test('may answer nothing', async () => {
    expect(await (await start('index.nothing')).invoke({})).toBeNull();
  });

  test('that throws is an error with its type and text, and may be called again', async () => {
    await expect(slot.invoke({ fail: 'too far' })).rejects.toThrow('probe: RangeError: too far');

    expect(await slot.invoke({ b: 2 })).toMatchObject({ event: { b: 2 } });
  });

  test('whose time is over is an error', async () => {
    await expect(slot.invoke({ sleepMs: 5_000 })).rejects.toThrow('Task timed out after 2.00 seconds');
  });

  test('that cannot be loaded is an error that says why', async () => {
    await expect((await start('missing.handler')).invoke({})).rejects.toThrow('Cannot find module');
    await expect((await start('index.missing')).invoke({})).rejects.toThrow('index.missing is no function');
  });

  test('prints to its own log', async () => {
    expect(await readFile(join(directory, '0.log'), 'utf8')).toContain('REPORT RequestId');
  });
});
