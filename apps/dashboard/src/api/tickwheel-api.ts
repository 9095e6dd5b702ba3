import type { Answer, ApiClient } from "./api-client.js";
import type { CancelResult, Cluster, JournalEntry, Stats, Task, TaskFilter, TaskInput, TaskPage } from "./wire.js";

const pageSize = 50;

/** The calls that the page makes, one method each. */
export class TickwheelApi {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  stats(): Promise<Answer<Stats>> {
    return this.#client.call({ method: "GET", path: "/stats" });
  }

  cluster(): Promise<Answer<Cluster>> {
    return this.#client.call({ method: "GET", path: "/cluster" });
  }

  /** One page of the tasks that match; `cursor` is the `nextCursor` of the page before. */
  tasks(filter: TaskFilter, cursor?: string): Promise<Answer<TaskPage>> {
    return this.#client.call({ method: "GET", path: "/tasks", query: { ...filter, limit: pageSize, cursor } });
  }

  task(id: string): Promise<Answer<Task>> {
    return this.#client.call({ method: "GET", path: taskPath(id) });
  }

  journal(id: string): Promise<Answer<{ readonly items: readonly JournalEntry[] }>> {
    return this.#client.call({ method: "GET", path: `${taskPath(id)}/journal` });
  }

  create(input: TaskInput): Promise<Answer<Task>> {
    return this.#client.call({ method: "POST", path: "/tasks", body: input });
  }

  cancel(id: string): Promise<Answer<CancelResult>> {
    return this.#client.call({ method: "DELETE", path: taskPath(id) });
  }

  runNow(id: string): Promise<Answer<Task>> {
    return this.#client.call({ method: "POST", path: `${taskPath(id)}/run-now` });
  }

  retry(id: string): Promise<Answer<Task>> {
    return this.#client.call({ method: "POST", path: `${taskPath(id)}/retry` });
  }
}

function taskPath(id: string): string {
  return `/tasks/${encodeURIComponent(id)}`;
}
