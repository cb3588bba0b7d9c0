/**
 * The names of one play on one control plane. Plays share the planes, so each has a prefix; and uids are another plane's
 * other numbers. Text of a play has `~` for the prefix and `{~n1/~c1#1}` for a claim's uid, and is the same on both.
 */

const ANY_UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** An uid of nobody, for the actions that want one; it stays as it is. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';

/** The namespaces of every play. */
export const NAMESPACES = ['~n1', '~n2'] as const;
/** The only node of either plane. */
export const NODE = 'node-1';

export class Names {
  readonly prefix: string;
  readonly #uids = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** @param prefix of all names of this play, a DNS label that no other play begins with. */
  constructor(prefix: string) {
    this.prefix = `${prefix}-`;
  }

  /** A claim appeared under that name of the play; claims of one name are counted. */
  claimAppeared(name: string, uid: string): void {
    if (this.#uids.has(uid)) return;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.#uids.set(uid, `{${name}#${count}}`);
  }

  /** What the play says, in the words of this plane. */
  toPlane(text: string): string {
    let real = text;
    for (const [uid, mark] of this.#uids) real = real.replaceAll(mark, uid);
    return real.replaceAll('~', this.prefix);
  }

  /** What this plane says, in the words of the play. An uid of anything but a claim is just an uid. */
  fromPlane(text: string): string {
    return text
      .replaceAll(ANY_UID, (uid) => this.#uids.get(uid) ?? (uid === NOBODY ? uid : '{uid}'))
      .replaceAll(this.prefix, '~');
  }

  /** Whether a cluster-wide object is of this play: by its prefix, or as a volume that was provisioned for its claim. */
  owns(name: string): boolean {
    return name.startsWith(this.prefix) || (name.startsWith('pvc-') && this.#uids.has(name.slice('pvc-'.length)));
  }
}
