/** The system in processes of its own on a real API server, users that never stop, and one fault after the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../faults/processes/build.ts';
import { Lane } from '../faults/processes/lane.ts';
import { Stage } from '../faults/stage.ts';
import { Account, type Played } from './account.ts';
import { judge } from './judge.ts';
import { type ProcessMemory, readMemory } from './memory.ts';
import { NAMESPACES } from './names.ts';
import { type Spell, spellsOf } from './spells.ts';
import { User } from './user.ts';

const SPELLS_PER_ROUND = 4;
const SPELL_MS = 15_000;
/** A third of the default: a round ends with one. */
const RESYNC_PERIOD_MS = 5_000;

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Told which fault comes next, and when everybody is to come to rest. */
  readonly onStep: (step: string) => void;
}

export class Soak {
  readonly account = new Account();
  readonly user: User;
  readonly lane: Lane;
  readonly #stage: Stage;
  readonly #memory: string;
  readonly #end: () => Promise<void>;

  private constructor(stage: Stage, lane: Lane, user: User, memory: string, end: () => Promise<void>) {
    this.#stage = stage;
    this.lane = lane;
    this.user = user;
    this.#memory = memory;
    this.#end = end;
  }

  static async open(seed: number): Promise<Soak> {
    const memory = await mkdtemp(join(tmpdir(), 'pv-soak-memory-'));
    process.env['SOAK_MEMORY'] = memory;
    const program = await buildProgram(new URL('./process.ts', import.meta.url));
    const stage = await Stage.open();
    let lane: Lane | undefined;
    const end = async () => {
      await lane?.close();
      await stage.close();
      await program.remove();
      if (process.env['SOAK_KEEP'] === undefined) await rm(memory, { recursive: true, force: true });
    };
    try {
      const client = stage.plane.client();
      for (const name of NAMESPACES) await client.request('POST', '/api/v1/namespaces', { metadata: { name } });
      await client.request('POST', '/api/v1/nodes', { metadata: { name: 'node-1' } });
      const settings = { PV_REQUEST_TIMEOUT_MS: '1000', PV_BRIDGE_RESYNC_PERIOD_MS: String(RESYNC_PERIOD_MS) };
      lane = await Lane.open(stage, program.file, { workers: 2, bridges: 2, settings, isQueueFaultyForAll: true });
      return new Soak(stage, lane, new User(client, seed), memory, end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  /** Rounds of some spells each, until the time is over; a round that has begun is brought to its end. */
  async run({ minutes, seed, onStep }: SoakOptions): Promise<void> {
    const deadline = performance.now() + minutes * 60_000;
    const spells = spellsOf(seed);
    for (let round = 1; performance.now() < deadline; round++) {
      const played: Played[] = [];
      const over = new AbortController();
      const acting = this.user.actUntil(over.signal);
      try {
        for (let nth = 0; nth < SPELLS_PER_ROUND && performance.now() < deadline; nth++) {
          const spell = spells.next().value;
          onStep(spell.fault);
          // Should the users fail, nothing goes on for long without them.
          played.push(
            await Promise.race([this.#cast(spell, seed * 1_000 + round * SPELLS_PER_ROUND + nth), failure(acting)]),
          );
        }
      } finally {
        over.abort();
      }
      await acting;
      onStep('at rest');
      this.account.add(played, await judge(this.#stage, this.lane, RESYNC_PERIOD_MS));
    }
  }

  /** Of every process so far. */
  memory(): Promise<ProcessMemory[]> {
    return readMemory(this.#memory);
  }

  async close(): Promise<void> {
    await this.#end();
  }

  async #cast(spell: Spell, seed: number): Promise<Played> {
    const injected = await spell.play(this.lane, seed, AbortSignal.timeout(SPELL_MS));
    return { fault: spell.fault, injected };
  }
}

async function failure(acting: Promise<void>): Promise<never> {
  await acting;
  throw new Error('the users have stopped');
}
