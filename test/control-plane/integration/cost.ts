/** What our controller spends: requests to the API server, and messages. The built-in one does not tell. */
import type { ControllerUnderTest } from '../controller-under-test.ts';

export interface Cost {
  /** With CONTROL_PLANE_TIMES set, says what was spent since the start for each of so many pairs. */
  say(pairs: number): void;
  /** Writes since the start that were accepted, events aside. */
  writes(): number;
  /** Messages handled since the start. */
  messages(): number;
}

export function costOf(controller: ControllerUnderTest): Cost {
  const queues = () =>
    Object.values(controller.system?.sources ?? {}).map(({ stats }) => ({ ...stats }) as Record<string, number>);
  const [firstRequest, before] = [controller.requests.length, queues()];
  return {
    writes: () =>
      controller.requests
        .slice(firstRequest)
        .filter(({ method, status, resource }) => method !== 'GET' && status < 300 && resource !== 'events').length,
    messages: () => deletedIn(queues()) - deletedIn(before),
    say(pairs) {
      if (!process.env['CONTROL_PLANE_TIMES'] || controller.system === undefined) return;
      const counts = new Map<string, number>();
      for (const { method, template, status } of controller.requests.slice(firstRequest)) {
        const call = `${method} ${template} ${status}`;
        counts.set(call, (counts.get(call) ?? 0) + 1);
      }
      const calls = [...counts].sort().map(([call, count]) => `  ${(count / pairs).toFixed(2)} ${call}`);
      const handled = queues().map((stats, i) =>
        Object.entries(stats)
          .map(([name, count]) => `${name} ${((count - (before[i]?.[name] ?? 0)) / pairs).toFixed(2)}`)
          .join(', '),
      );
      console.log(
        [`for each of ${pairs} pairs:`, ...calls, `  volumes: ${handled[0]}`, `  claims: ${handled[1]}`].join('\n'),
      );
    },
  };
}

function deletedIn(queues: readonly Record<string, number>[]): number {
  return queues.reduce((sum, stats) => sum + (stats['deleted'] ?? 0), 0);
}
