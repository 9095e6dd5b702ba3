import type { Answer, ApiClient } from "./api-client.js";
import type { EventPage } from "./asked.js";
import type { ClusterEvent } from "./wire.js";

const eventsAtOnce = 200;

/** The calls about what happens to the cluster. */
export class ClusterApi {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /**
   * Events since an instant, newest first, `most` at most; `isCut`: there are more.
   *
   * @param from milliseconds of the epoch
   */
  async events(from: number, most: number): Promise<Answer<{ events: readonly ClusterEvent[]; isCut: boolean }>> {
    const events: ClusterEvent[] = [];
    for (let cursor: string | undefined; ;) {
      const query = { from: new Date(from).toISOString(), limit: Math.min(eventsAtOnce, most - events.length), cursor };
      const answer = await this.#client.call<EventPage>({ method: "GET", path: "/cluster/events", query });
      if (!answer.ok) return answer;
      events.push(...answer.value.items);
      const { nextCursor } = answer.value;
      if (nextCursor === null || events.length >= most)
        return { ...answer, value: { events, isCut: nextCursor !== null } };
      cursor = nextCursor;
    }
  }
}
