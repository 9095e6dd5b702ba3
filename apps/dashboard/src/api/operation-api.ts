import type { Answer, ApiClient } from "./api-client.js";
import type { OperationQuestion } from "./asked.js";
import type {
  ChangedTaskPage,
  DryRun,
  OperationDetails,
  OperationPage,
  OperationState,
  TaskOperation,
} from "./wire.js";

const rowsAtOnce = 50;

/** The calls about operations on many tasks, one method each. */
export class OperationApi {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** What it would do now; changes nothing. */
  dryRun(question: OperationQuestion): Promise<Answer<DryRun>> {
    return this.#client.call({ method: "POST", path: "/operations/dry-run", body: question });
  }

  /** @param key of several sends with the same one the first starts it, and the others get it */
  start(question: OperationQuestion, key: string): Promise<Answer<TaskOperation>> {
    return this.#client.call({ method: "POST", path: "/operations", body: question, idempotencyKey: key });
  }

  /** One page of the operations, the newest first; `cursor` is the `nextCursor` of the page before. */
  list(states: readonly OperationState[], cursor?: string): Promise<Answer<OperationPage>> {
    const query = { state: states.join(","), limit: rowsAtOnce, cursor };
    return this.#client.call({ method: "GET", path: "/operations", query });
  }

  get(id: string): Promise<Answer<OperationDetails>> {
    return this.#client.call({ method: "GET", path: pathOf(id) });
  }

  /** One page of the tasks that it has changed, of one outcome or of any. */
  tasks(id: string, outcome: string | undefined, cursor?: string): Promise<Answer<ChangedTaskPage>> {
    const query = { outcome, limit: rowsAtOnce, cursor };
    return this.#client.call({ method: "GET", path: `${pathOf(id)}/tasks`, query });
  }

  hold(id: string): Promise<Answer<TaskOperation>> {
    return this.#client.call({ method: "POST", path: `${pathOf(id)}/hold` });
  }

  resume(id: string): Promise<Answer<TaskOperation>> {
    return this.#client.call({ method: "POST", path: `${pathOf(id)}/resume` });
  }

  stop(id: string): Promise<Answer<TaskOperation>> {
    return this.#client.call({ method: "POST", path: `${pathOf(id)}/stop` });
  }

  /** Puts back what it has changed; what would have come due since is left, or run now. */
  undo(id: string, body: { overdue: "leave" | "run"; reason?: string | undefined }): Promise<Answer<TaskOperation>> {
    return this.#client.call({ method: "POST", path: `${pathOf(id)}/undo`, body });
  }
}

function pathOf(id: string): string {
  return `/operations/${encodeURIComponent(id)}`;
}
