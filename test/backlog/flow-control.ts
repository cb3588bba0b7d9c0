/** What API Priority and Fairness says of each priority level, from the API server's metrics. */

/** One priority level; counts are since the server's start, or between two readings. */
export interface Level {
  /** Calls that it works on at once for this level, by its shares. */
  readonly seats: number;
  readonly dispatched: number;
  /** Answered with 429: no room in the queue, or no turn in time. */
  readonly rejected: number;
  /** Seconds in the queue, of all calls together. */
  readonly waited: number;
  /** Seconds at work, of all calls together: divided by the elapsed time, the seats in use. */
  readonly executed: number;
  /** Calls by the longest wait in seconds, ascending and each with those before; the last one has no bound. */
  readonly waits: readonly (readonly [atMost: number, calls: number])[];
}

/** By the level's name. */
export type Levels = ReadonlyMap<string, Level>;

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const PREFIX = 'apiserver_flowcontrol_';
const WAIT = 'request_wait_duration_seconds';

/** @param text what `/metrics` answered. @throws Error when it says nothing of flow control. */
export function levelsIn(text: string): Levels {
  const samples = text
    .split('\n')
    .flatMap((line) => (line.startsWith(PREFIX) ? [sampleOf(line.slice(PREFIX.length))] : []));
  const names = new Set(samples.flatMap(({ labels }) => labels['priority_level'] ?? []));
  if (names.size === 0) throw new Error('the API server has no metrics of flow control');
  return new Map(
    [...names].map((name) => [name, levelOf(samples.filter(({ labels }) => labels['priority_level'] === name))]),
  );
}

function sampleOf(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text] as const);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}

function levelOf(samples: readonly Sample[]): Level {
  const sum = (name: string) => samples.reduce((all, one) => all + (one.name === name ? one.value : 0), 0);
  const waits = new Map<number, number>();
  for (const { name, labels, value } of samples) {
    if (name !== `${WAIT}_bucket`) continue;
    const atMost = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le']);
    waits.set(atMost, (waits.get(atMost) ?? 0) + value);
  }
  return {
    seats: sum('nominal_limit_seats'),
    dispatched: sum('dispatched_requests_total'),
    rejected: sum('rejected_requests_total'),
    waited: sum(`${WAIT}_sum`),
    executed: sum('request_execution_seconds_sum'),
    waits: [...waits].sort(([one], [other]) => one - other),
  };
}

/** What came between two readings. */
export function between(before: Levels, after: Levels): Levels {
  const nothing: Level = { seats: 0, dispatched: 0, rejected: 0, waited: 0, executed: 0, waits: [] };
  const entries = [...after].map(([name, now]) => {
    const then = before.get(name) ?? nothing;
    const earlier = new Map(then.waits);
    const level: Level = {
      seats: now.seats,
      dispatched: now.dispatched - then.dispatched,
      rejected: now.rejected - then.rejected,
      waited: now.waited - then.waited,
      executed: now.executed - then.executed,
      waits: now.waits.map(([atMost, calls]) => [atMost, calls - (earlier.get(atMost) ?? 0)]),
    };
    return [name, level] as const;
  });
  return new Map(entries);
}

/** The least bound of the histogram that so large a share of the calls kept to, in seconds; undefined without calls. */
export function waitOf(share: number, { waits }: Level): number | undefined {
  const all = waits.at(-1)?.[1] ?? 0;
  return all === 0 ? undefined : waits.find(([, calls]) => calls >= share * all)?.[0];
}

/** One line for each level that had calls. */
export function linesOf(levels: Levels, elapsedMs: number): string[] {
  return [...levels].flatMap(([name, level]) => {
    if (level.dispatched === 0 && level.rejected === 0) return [];
    const { seats, dispatched, rejected, waited, executed } = level;
    const seconds = (value: number, digits = 4) => value.toFixed(digits);
    return [
      `priority level ${name}: ${seats} seats, ${seconds(executed / (elapsedMs / 1_000), 1)} in use; ` +
        `${dispatched} calls of ${seconds(executed / dispatched)} s, ${rejected} rejected; ` +
        `waited ${seconds(waited / dispatched)} s in the mean, 99 % at most ${waitOf(0.99, level)} s`,
    ];
  });
}
