/** Counts what the controller costs: its messages and its API calls. Nobody else's: the others have their own clients. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { RequestInfo } from '../../lib/cluster/request.ts';
import type { Costs } from './chapter.ts';

export class Meter {
  #sent = 0;
  #reads = 0;
  #writes = 0;
  #events = 0;
  #deletes = 0;

  /** To be told of every API call. Lists and opened watches are reads; events are counted apart from other writes. */
  readonly onRequest = ({ method, resource }: RequestInfo): void => {
    if (method === 'GET') this.#reads++;
    else if (resource === 'events') this.#events++;
    else this.#writes++;
    if (method === 'DELETE' && resource === 'persistentvolumes') this.#deletes++;
  };

  /** Volumes that the controller has deleted. */
  get deletedVolumes(): number {
    return this.#deletes;
  }

  /** Counts what this client's queues accept, whoever sends it: the bridge or a worker. */
  countMessages(client: SQSClient): void {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const answer = await next(args);
        if (context.commandName === 'SendMessageBatchCommand') {
          this.#sent += (answer.output as { Successful?: unknown[] }).Successful?.length ?? 0;
        }
        return answer;
      },
      { step: 'initialize', name: 'countSentMessages' },
    );
  }

  /** @param received as the event sources count it. */
  costs(received: number): Costs {
    return { sent: this.#sent, received, reads: this.#reads, writes: this.#writes, events: this.#events };
  }
}
