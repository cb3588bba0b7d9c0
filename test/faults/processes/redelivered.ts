/** What a queue does with messages whose worker was killed. */
import type { SQSEvent } from 'aws-lambda';

/** The same messages, received once more. */
export function again({ Records }: SQSEvent): SQSEvent {
  const more = (count: string) => String(Number(count) + 1);
  return {
    Records: Records.map(({ attributes, ...record }) => ({
      ...record,
      attributes: { ...attributes, ApproximateReceiveCount: more(attributes.ApproximateReceiveCount) },
    })),
  };
}
