import type { Answer, ApiClient } from "./api-client.js";
import type { DeadFilter } from "./asked.js";
import type { DeadGroupDetails, DeadGroupPage, TypePage } from "./wire.js";

const groupsAtOnce = 50;

/** The calls about dead tasks by cause, one method each. */
export class DeadLetterApi {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /**
   * One page of the causes, those with the most tasks first; `cursor` is the `nextCursor` of the page before.
   *
   * @param since ISO 8601: causes of which a task died then or later; absent: all
   */
  list(
    { type, reason, error }: DeadFilter,
    { since, cursor }: { since?: string | undefined; cursor?: string | undefined },
  ): Promise<Answer<DeadGroupPage>> {
    const query = { type, reason, error, since, limit: groupsAtOnce, cursor };
    return this.#client.call({ method: "GET", path: "/dead-letters", query });
  }

  get(type: string, fingerprint: string): Promise<Answer<DeadGroupDetails>> {
    return this.#client.call({ method: "GET", path: pathOf(type, fingerprint) });
  }

  /** Says that somebody has looked at a cause. */
  see(type: string, fingerprint: string): Promise<Answer<DeadGroupDetails>> {
    return this.#client.call({ method: "POST", path: `${pathOf(type, fingerprint)}/seen` });
  }

  /** The share of a type's attempts of the last five minutes that failed; null: there were none, or nobody knows. */
  async failedShareOf(type: string): Promise<number | null> {
    const query = { type };
    const answer = await this.#client.call<TypePage>({ method: "GET", path: "/types", query });
    return (answer.ok && answer.value.items[0]?.failedShare) || null;
  }
}

function pathOf(type: string, fingerprint: string): string {
  return `/dead-letters/${[type, fingerprint].map(encodeURIComponent).join("/")}`;
}
