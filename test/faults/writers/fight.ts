/** Our system against the opponent, on one object: how often we write the field, and whether we stop. */

import { BIND_COMPLETED, hasAnnotation } from '../../../lib/controller/annotations.ts';
import type { FlipError } from '../../../lib/worker/flip-detector.ts';
import type { State } from '../observer/state.ts';
import { Scene } from '../scenarios/scene.ts';
import { OPPONENT, OURS, type Stage } from '../stage.ts';
import { startUndisturbed } from '../two-writers.ts';
import { Opponent, type Quarrel } from './opponent.ts';
import type { WriteCounts } from './write-counts.ts';

/** After each of which everything is looked at by us, and after the last one for sure. */
const PROVOCATIONS = 10;
const NAME = 'field';

/** What is fought over: the field, and the object that it is of, once a volume and a claim are bound. */
export interface Cause {
  readonly kind: State['kind'];
  readonly isWritten: Quarrel['isWritten'];
  readonly undo: object;
  readonly isStatus?: boolean;
}

export const CAUSES: Readonly<Record<string, Cause>> = {
  'the phase of a volume': {
    kind: 'volume',
    isWritten: ({ status }) => status?.phase === 'Bound',
    undo: { status: { phase: 'Pending' } },
    isStatus: true,
  },
  'the claim of a volume': {
    kind: 'volume',
    isWritten: ({ spec }) => spec.claimRef !== undefined,
    undo: { spec: { claimRef: null } },
  },
  'a mark of a claim': {
    kind: 'claim',
    isWritten: (claim) => hasAnnotation(claim, BIND_COMPLETED),
    undo: { metadata: { annotations: { [BIND_COMPLETED]: null } } },
  },
};

export interface Fight {
  /** How often the field was written, by each of our functions. */
  readonly written: Readonly<Record<string, number>>;
  /** How often anything was, once we had said that we stop. */
  readonly writtenAfterwards: Readonly<Record<string, number>>;
  readonly undone: number;
  readonly flips: readonly FlipError[];
  readonly toldAfterwards: number;
  /** How often everybody was made to look at the object when we had stopped. */
  readonly provocations: number;
}

/** Ends when we have said that we stop, and have been provoked a few times more. */
export async function fightOver(stage: Stage, counts: WriteCounts, cause: Cause): Promise<Fight> {
  const run = await stage.newRun();
  const scene = new Scene(stage.plane.client(), stage.observer, run, 'fight');
  const flips: FlipError[] = [];
  const pipeline = await startUndisturbed(stage, { onFlip: (_key, error) => flips.push(error) });
  let opponent: Opponent | undefined;
  try {
    await scene.createVolume(NAME);
    const claim = await scene.createClaim(NAME);
    await scene.untilBound(NAME);
    const path =
      cause.kind === 'volume'
        ? `/api/v1/persistentvolumes/${scene.prefix}${NAME}`
        : `/api/v1/namespaces/${run}/persistentvolumeclaims/${claim.metadata.name}`;
    const own = new Opponent(stage.plane.client(OPPONENT), { path, ...cause });
    opponent = own;
    const provoke = async () => {
      await own.provoke();
      await pipeline.system.settled();
      // With the field as it is now everybody would have something to write.
      const fought = () => (cause.kind === 'volume' ? scene.volume(NAME) : scene.claim(NAME));
      await scene.until('the last word', () => fought() !== undefined && !cause.isWritten(fought() as never));
      return (await stage.observer.states(run)).filter(({ isOurs }) => isOurs).length;
    };
    await scene.until('a flip', () => flips.length > 0);
    // The others of our functions may have some of their tries left.
    let writes = 0;
    for (let now = await provoke(); now > writes; now = await provoke()) writes = now;
    const told = flips.length;
    const calm = await stage.observer.states(run);
    for (let round = 0; round < PROVOCATIONS; round++) await provoke();
    const states = await stage.observer.states(run);
    const isField = (state: State) =>
      state.kind === cause.kind &&
      cause.isWritten(state.object as never) &&
      !cause.isWritten((state.before ?? state.object) as never);
    return {
      written: countsOf(counts, states.filter(isField)),
      writtenAfterwards: countsOf(counts, states.slice(calm.length)),
      undone: own.undone,
      flips,
      toldAfterwards: flips.length - told,
      provocations: PROVOCATIONS,
    };
  } finally {
    await opponent?.stop();
    stage.afterwards(pipeline.stop());
    await stage.clear(run);
  }
}

function countsOf(counts: WriteCounts, states: readonly State[]): Record<string, number> {
  return Object.fromEntries(
    OURS.map((user) => [user, states.filter((state) => counts.isBy(user, state)).length] as const),
  );
}
