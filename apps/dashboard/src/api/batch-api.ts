import type { Answer, ApiClient } from "./api-client.js";
import type { BatchFilter, MemberPage } from "./asked.js";
import type { Batch, BatchPage, Task, TaskState } from "./wire.js";

const rowsAtOnce = 50;
const shardsAtOnce = 200;

/** The calls about batches, one method each. */
export class BatchApi {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** One page of the batches that match, the newest first; `cursor` is the `nextCursor` of the page before. */
  list({ state, namePrefix }: BatchFilter, cursor?: string): Promise<Answer<BatchPage>> {
    const query = { state, namePrefix, limit: rowsAtOnce, cursor };
    return this.#client.call({ method: "GET", path: "/batches", query });
  }

  get(id: string): Promise<Answer<Batch>> {
    return this.#client.call({ method: "GET", path: pathOf(id) });
  }

  /** One page of its members, in the order in which they were made. */
  members(id: string, state: TaskState | undefined, cursor?: string): Promise<Answer<MemberPage>> {
    return this.#client.call({ method: "GET", path: membersOf(id), query: { state, limit: rowsAtOnce, cursor } });
  }

  /** Its first members as one list, until it has those of all shards: they are made before all others. */
  async shards(id: string, count: number): Promise<Answer<readonly Task[]>> {
    const items: Task[] = [];
    for (let cursor: string | undefined; ;) {
      const query = { limit: Math.min(shardsAtOnce, count - items.length), cursor };
      const answer = await this.#client.call<MemberPage>({ method: "GET", path: membersOf(id), query });
      if (!answer.ok) return answer;
      items.push(...answer.value.items);
      const { nextCursor } = answer.value;
      if (nextCursor === null || items.length >= count) return { ...answer, value: items };
      cursor = nextCursor;
    }
  }

  /** Lets it complete: no member can be added any more. */
  seal(id: string): Promise<Answer<Batch>> {
    return this.#client.call({ method: "POST", path: `${pathOf(id)}/seal` });
  }

  /** Takes back the members that have not started, and asks the others to stop. */
  cancel(id: string): Promise<Answer<Batch>> {
    return this.#client.call({ method: "DELETE", path: pathOf(id) });
  }
}

function pathOf(id: string): string {
  return `/batches/${encodeURIComponent(id)}`;
}

function membersOf(id: string): string {
  return `${pathOf(id)}/members`;
}
