import type { Answer, ApiClient } from "./api-client.js";
import type { BackfillInput, ScheduleInput } from "./asked.js";
import type { PauseBody } from "./setting-api.js";
import type {
  Schedule,
  ScheduleBackfill,
  SchedulePage,
  SchedulePreview,
  ScheduleRunPage,
  ScheduleState,
  Task,
} from "./wire.js";

const schedulesAtOnce = 100;
const runsAtOnce = 50;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

interface Asked {
  readonly limit: number;
  readonly pages: number;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** The calls about schedules, one method each. */
export class ScheduleApi {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** The first pages of the schedules, by name, as one; `nextCursor` tells of more. */
  list(pages: number, state?: ScheduleState): Promise<Answer<SchedulePage>> {
    return this.#pagesOf("/schedules", { limit: schedulesAtOnce, pages, query: { state } });
  }

  get(name: string): Promise<Answer<Schedule>> {
    return this.#client.call({ method: "GET", path: pathOf(name) });
  }

  /** The first pages of its runs and skipped instants, the newest first, as one. */
  runs(name: string, pages: number): Promise<Answer<ScheduleRunPage>> {
    return this.#pagesOf(`${pathOf(name)}/runs`, { limit: runsAtOnce, pages });
  }

  preview(name: string, count: number): Promise<Answer<SchedulePreview>> {
    return this.#client.call({ method: "GET", path: `${pathOf(name)}/preview`, query: { count } });
  }

  create(body: ScheduleInput): Promise<Answer<Schedule>> {
    return this.#client.call({ method: "POST", path: "/schedules", body });
  }

  /** @param revision that it must have: 412 if it was changed since */
  put(name: string, body: ScheduleInput, revision: number | string): Promise<Answer<Schedule>> {
    return this.#client.call({ method: "PUT", path: pathOf(name), body, ifMatch: revision });
  }

  pause(name: string, body: PauseBody): Promise<Answer<Schedule>> {
    return this.#client.call({ method: "POST", path: `${pathOf(name)}/pause`, body });
  }

  resume(name: string): Promise<Answer<Schedule>> {
    return this.#client.call({ method: "POST", path: `${pathOf(name)}/resume` });
  }

  /** Runs it now with this payload. */
  trigger(name: string, payload: unknown): Promise<Answer<Task>> {
    return this.#client.call({ method: "POST", path: `${pathOf(name)}/trigger`, body: { payload } });
  }

  /** Runs instants that passed; with `dryRun` it only tells which. */
  backfill(name: string, body: BackfillInput): Promise<Answer<ScheduleBackfill>> {
    return this.#client.call({ method: "POST", path: `${pathOf(name)}/backfill`, body });
  }

  cancelBackfill(name: string): Promise<Answer<Schedule>> {
    return this.#client.call({ method: "DELETE", path: `${pathOf(name)}/backfill` });
  }

  remove(name: string): Promise<Answer<Schedule>> {
    return this.#client.call({ method: "DELETE", path: pathOf(name) });
  }

  async #pagesOf<Item>(path: string, { limit, pages, query }: Asked): Promise<Answer<Page<Item>>> {
    const items: Item[] = [];
    for (let page = 1, cursor: string | undefined; ; page++) {
      const answer = await this.#client.call<Page<Item>>({ method: "GET", path, query: { limit, cursor, ...query } });
      if (!answer.ok) return answer;
      items.push(...answer.value.items);
      const { nextCursor } = answer.value;
      if (nextCursor === null || page === pages) return { ...answer, value: { items, nextCursor } };
      cursor = nextCursor;
    }
  }
}

function pathOf(name: string): string {
  return `/schedules/${encodeURIComponent(name)}`;
}
