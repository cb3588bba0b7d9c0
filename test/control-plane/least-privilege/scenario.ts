import type { Mode } from '../../../lib/worker/sync-key.ts';
import type { FunctionName } from '../identities.ts';
import type { Stage } from './stage.ts';

/** A few steps that need some permissions. */
export interface Scenario {
  readonly title: string;
  readonly identity: FunctionName;
  /** Permissions without which `run` must fail. Writes count in enforce mode only. */
  readonly needs: readonly string[];
  /** Both unless given. */
  readonly mode?: Mode;
  /** @throws Error when anything is not as it should be. */
  readonly run: (stage: Stage) => Promise<void>;
}
