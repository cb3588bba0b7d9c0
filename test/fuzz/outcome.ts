/** What a call came to, so that a property can say which ends it may have. */

type Outcome<T> = { readonly value: T } | { readonly error: Error };
type ErrorClass = abstract new (...parameters: never[]) => Error;

/**
 * @param allowed the errors that the function documents.
 * @throws whatever else it throws: the property fails with that error then.
 */
export function outcomeOf<T>(call: () => T, ...allowed: readonly ErrorClass[]): Outcome<T> {
  try {
    return { value: call() };
  } catch (error) {
    if (allowed.some((type) => error instanceof type)) return { error: error as Error };
    throw error;
  }
}

/** The same for a promise. */
export async function settledOf<T>(call: () => Promise<T>, ...allowed: readonly ErrorClass[]): Promise<Outcome<T>> {
  try {
    return { value: await call() };
  } catch (error) {
    if (allowed.some((type) => error instanceof type)) return { error: error as Error };
    throw error;
  }
}

/** The value, where there is one. */
export function valueIn<T>(outcome: Outcome<T>): T | undefined {
  return 'value' in outcome ? outcome.value : undefined;
}

/** The error's text; empty where there is none. */
export function messageIn(outcome: Outcome<unknown>): string {
  return 'error' in outcome ? outcome.error.message : '';
}
