/** The bearer token of a transport: fetched per request, renewed once for all requests that the server refused. */
import { ClusterError, messageOf } from '../controller/errors.ts';
import type { TokenSource } from './connection.ts';

/** A server that refuses every token must not make us fetch one per request. */
const RENEWAL_PAUSE_MS = 5_000;
/** Tokens that an answer may still quote. */
const REMEMBERED = 3;

/** Gives the token and gets a new one after a 401; concurrent requests share that renewal. */
export class Token {
  readonly #source: TokenSource;
  #renewal: Promise<string> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #given: readonly string[] = [];

  constructor(source: TokenSource) {
    this.#source = source;
  }

  /** @throws ClusterError when the source fails or gives nothing that can be a token. */
  async get(): Promise<string> {
    return await this.#ask(false);
  }

  /**
   * A token in place of one that was answered with 401.
   * @returns undefined when there is no other one, so that trying again is useless.
   */
  async renew(refused: string): Promise<string | undefined> {
    const current = await this.#ask(false);
    if (current !== refused) return current;
    if (this.#renewal === undefined) {
      if (performance.now() - this.#renewedAt < RENEWAL_PAUSE_MS) return undefined;
      this.#renewal = this.#ask(true).finally(() => {
        this.#renewedAt = performance.now();
        this.#renewal = undefined;
      });
    }
    const renewed = await this.#renewal;
    return renewed === refused ? undefined : renewed;
  }

  /** The text without any token that was given lately, as it is or as JSON writes it. */
  redact(text: string): string {
    const forms = this.#given.flatMap((token) => [token, JSON.stringify(token).slice(1, -1)]);
    return forms.reduce((left, form) => left.replaceAll(form, '…'), text);
  }

  async #ask(renew: boolean): Promise<string> {
    let token: string;
    try {
      token = (await this.#source(renew)).trim();
    } catch (error) {
      throw new ClusterError(`cannot get a token for the API server: ${messageOf(error)}`, { cause: error });
    }
    // Said here, because Node's own error about a header could show its value.
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new ClusterError('the token for the API server is empty or has odd characters');
    if (!this.#given.includes(token)) this.#given = [token, ...this.#given].slice(0, REMEMBERED);
    return token;
  }
}
