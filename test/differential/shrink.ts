/** Makes a list of actions that ends in a difference as short as it gets: without any one of them there is none. */
import { type Action, describeAction } from './action.ts';
import { contestOf } from './contests.ts';
import type { Script } from './play.ts';

/**
 * @param isBad whether a list still shows the difference.
 * @param log gets a line for each action that was not needed.
 */
export async function shrink(
  actions: readonly Action[],
  isBad: (actions: readonly Action[]) => Promise<boolean>,
  log: (line: string) => void = () => {},
): Promise<readonly Action[]> {
  let shortest = actions;
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    // From the end: the last actions are the likeliest to matter, and the first ones are what those need.
    for (let at = shortest.length - 1; at >= 0; at--) {
      const without = shortest.filter((_, index) => index !== at);
      if (without.length === 0 || !(await isBad(without))) continue;
      shortest = without;
      isShorter = true;
      log(`${shortest.length} actions left`);
    }
  }
  return shortest;
}

/**
 * A list as it is. The script throws where an action has become a matter of chance, since some other one is missing;
 * `isDetermined` is false from then on.
 */
export function replay(actions: readonly Action[]): { readonly script: Script; readonly isDetermined: () => boolean } {
  const left = [...actions];
  let contest: string | undefined;
  return {
    script: (state) => {
      const action = left.shift();
      contest = action && contestOf(state, action);
      if (action && contest !== undefined) throw new Error(`not determined: ${contest}, by ${describeAction(action)}`);
      return action;
    },
    isDetermined: () => contest === undefined,
  };
}
