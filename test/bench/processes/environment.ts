/** What a function or the bridge has: connections, settings, a producer whose messages are counted. */
import { readConfig } from '../../../lib/config.ts';
import { Runtime } from '../../../lib/worker/runtime.ts';
import { queueClient } from './queue-client.ts';
import type { Access, Common } from './settings.ts';

export class Environment {
  readonly runtime: Runtime;
  #sent = 0;

  constructor({ server, ca, token }: Access, { queue, settings }: Common) {
    this.runtime = new Runtime({
      connection: { server, ca, token: async () => token },
      config: readConfig(settings),
      sqs: queueClient(queue.endpoint),
      queues: queue.addresses,
      onBatchSent: (_, outcome) => {
        this.#sent += outcome.sent;
      },
      onEventFailure: (error) => console.error(`bench: an event: ${String(error)}`),
    });
  }

  /** Messages that the queues have taken, duplicates included. */
  readonly sent = (): number => this.#sent;
}
