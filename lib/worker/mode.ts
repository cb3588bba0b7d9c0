/**
 * What a worker may do about an object (DESIGN D9): the deployment's mode, or the one that an annotation of the volume or
 * of its StorageClass asks for. See docs/decisions/026-modes.md.
 */

/** The weakest first: each may do what those before it may. */
export const MODES = ['observe', 'assist', 'enforce'] as const;
export type Mode = (typeof MODES)[number];

/** On a volume or a StorageClass: one of the modes. The volume's counts before that of its class. */
export const MODE_ANNOTATION = 'pv-controller.serverless/mode';

/** What a deployment says about modes. */
export interface ModeRules {
  /** Of all objects without an annotation. */
  readonly mode: Mode;
  /** The most that an annotation gets; what asks for more gets this. */
  readonly max: Mode;
}

/** The mode of one object. */
export interface ModeChoice {
  readonly mode: Mode;
  /** An annotation's value that is no mode: it counts as observe, and its author must be told. */
  readonly unknown?: string;
}

function isMode(text: string): text is Mode {
  return (MODES as readonly string[]).includes(text);
}

/** What to tell the author of an annotation that is no mode. */
export function unknownMode(value: string): string {
  const shown = JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
  return `${MODE_ANNOTATION} must be one of ${MODES.join(', ')}, got ${shown}: it counts as observe`;
}

/** The weaker of two modes. */
export function weaker(one: Mode, other: Mode): Mode {
  return MODES.indexOf(one) <= MODES.indexOf(other) ? one : other;
}

/** The stronger of two modes. */
export function stronger(one: Mode, other: Mode): Mode {
  return weaker(one, other) === one ? other : one;
}

/** The most that any object of a deployment may get: its own mode, or what its annotations may ask for. */
export function maxModeOf({ mode, maxMode }: { readonly mode: Mode; readonly maxMode: Mode | 'mode' }): Mode {
  return maxMode === 'mode' ? mode : stronger(mode, maxMode);
}

/**
 * The mode of an object. The most specific annotation counts, never more than the deployment's `max`; a value that is no
 * mode counts as observe, since whoever wrote it wanted something else than the deployment's mode.
 * @param annotated the values of MODE_ANNOTATION, the most specific first: of the volume, of its class.
 */
export function modeFor({ mode, max }: ModeRules, ...annotated: readonly (string | undefined)[]): ModeChoice {
  const asked = annotated.find((value) => value !== undefined);
  if (asked === undefined) return { mode };
  return isMode(asked) ? { mode: weaker(asked, stronger(mode, max)) } : { mode: 'observe', unknown: asked };
}
