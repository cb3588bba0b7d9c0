/** What the monitoring is made for. */

/** A stage, and of its file (infra/stage-config.ts) what matters here. */
export interface MonitoringOptions {
  /** First part of every name. */
  readonly service: string;
  readonly stage: string;
  readonly config: {
    readonly bridge: { readonly host: 'lambda' | 'container' };
    readonly audit: { readonly bus?: string | undefined };
    readonly monitoring: {
      readonly email?: string | undefined;
      readonly oldestMessageMinutes: number;
      readonly stuckMinutes: number;
      readonly detail: boolean;
    };
  };
  /** Where the bridge's lines are; its function's log group unless given. A name, or a `Ref` to a log group. */
  readonly bridgeLogGroup?: Value;
}

/** A text of the template: plain, or a CloudFormation function such as `Ref`. */
export type Value = string | Readonly<Record<string, unknown>>;

/** A resource of the template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** A Lambda function of the stack: the start of its logical ids, and the end of its name. */
export interface StackFunction {
  readonly id: string;
  readonly title: string;
  readonly name: string;
}

/** The functions that are deployed; a bridge in a container is none of them. */
export function functionsOf({ service, stage, config }: MonitoringOptions): StackFunction[] {
  const named = (id: string, title: string): StackFunction => {
    return { id, title, name: `${service}-${stage}-${title.replace(' ', '-')}` };
  };
  return [
    named('VolumeWorker', 'volume worker'),
    named('ClaimWorker', 'claim worker'),
    ...(config.bridge.host === 'lambda' ? [named('Bridge', 'bridge')] : []),
    named('Resync', 'resync'),
  ];
}

/** The queues of the stack, by their logical ids. */
export const QUEUES = [
  { kind: 'Volumes', title: 'volumes', queue: 'VolumesQueue', deadLetters: 'VolumesDeadLetterQueue' },
  { kind: 'Claims', title: 'claims', queue: 'ClaimsQueue', deadLetters: 'ClaimsDeadLetterQueue' },
] as const;
