import type { Answer, ApiClient } from "./api-client.js";
import { BatchApi } from "./batch-api.js";
import { ClusterApi } from "./cluster-api.js";
import { DeadLetterApi } from "./dead-letter-api.js";
import { KeyApi } from "./key-api.js";
import { OperationApi } from "./operation-api.js";
import { ScheduleApi } from "./schedule-api.js";
import { SettingApi } from "./setting-api.js";
import type {
  CancelResult,
  Cluster,
  JournalEntry,
  JournalPage,
  Session,
  Stats,
  TabCounts,
  Task,
  TaskInput,
  TaskPage,
  TypePage,
} from "./wire.js";

const pageSize = 50;
/** The runs of a task are read from it, so it is as long as the API gives it. */
const journalPageSize = 200;

/** The parameters of a list of tasks, by the names that the API gives them. */
export type TaskQuery = Readonly<Record<string, string | undefined>>;

/** A 401 of this call says that a key or a session is not known; of any other that the session has ended. */
export const sessionPath = "/session";

export const tabCountsPath = "/tasks/counts";

/** The calls that the page makes, one method each. */
export class TickwheelApi {
  readonly batches: BatchApi;
  readonly nodes: ClusterApi;
  readonly deadLetters: DeadLetterApi;
  readonly keys: KeyApi;
  readonly operations: OperationApi;
  readonly schedules: ScheduleApi;
  readonly settings: SettingApi;
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
    this.batches = new BatchApi(client);
    this.nodes = new ClusterApi(client);
    this.deadLetters = new DeadLetterApi(client);
    this.keys = new KeyApi(client);
    this.operations = new OperationApi(client);
    this.schedules = new ScheduleApi(client);
    this.settings = new SettingApi(client);
  }

  /** Begins a session: the browser keeps its cookie, nobody keeps the key. */
  logIn(key: string): Promise<Answer<Session>> {
    return this.#client.call({ method: "POST", path: sessionPath, body: { key } });
  }

  /** The session that the browser's cookie stands for. */
  session(): Promise<Answer<Session>> {
    return this.#client.call({ method: "GET", path: sessionPath });
  }

  logOut(): Promise<Answer<null>> {
    return this.#client.call({ method: "DELETE", path: sessionPath });
  }

  stats(): Promise<Answer<Stats>> {
    return this.#client.call({ method: "GET", path: "/stats" });
  }

  cluster(): Promise<Answer<Cluster>> {
    return this.#client.call({ method: "GET", path: "/cluster" });
  }

  /** The figures of one type: none or one. */
  types(type: string): Promise<Answer<TypePage>> {
    return this.#client.call({ method: "GET", path: "/types", query: { type } });
  }

  /** The newest answer of what a stream's topic would send, for when there is no stream. */
  topic(path: string): Promise<Answer<unknown>> {
    return this.#client.call({ method: "GET", path });
  }

  /** One page of the tasks that match; `cursor` is the `nextCursor` of the page before. */
  tasks(query: TaskQuery, cursor?: string): Promise<Answer<TaskPage>> {
    return this.#client.call({ method: "GET", path: "/tasks", query: { ...query, limit: pageSize, cursor } });
  }

  /** How many tasks each tab has. */
  tabCounts(): Promise<Answer<TabCounts>> {
    return this.#client.call({ method: "GET", path: tabCountsPath });
  }

  task(id: string): Promise<Answer<Task>> {
    return this.#client.call({ method: "GET", path: taskPath(id) });
  }

  /** The first pages of the task's journal as one; `nextCursor` tells of more. */
  async journal(id: string, pages: number): Promise<Answer<JournalPage>> {
    const items: JournalEntry[] = [];
    for (let page = 1, cursor: string | undefined; ; page++) {
      const query = { limit: journalPageSize, cursor };
      const answer = await this.#client.call<JournalPage>({ method: "GET", path: `${taskPath(id)}/journal`, query });
      if (!answer.ok) return answer;
      items.push(...answer.value.items);
      const { nextCursor } = answer.value;
      if (nextCursor === null || page === pages) return { ...answer, value: { items, nextCursor } };
      cursor = nextCursor;
    }
  }

  create(input: TaskInput): Promise<Answer<Task>> {
    return this.#client.call({ method: "POST", path: "/tasks", body: input });
  }

  cancel(id: string): Promise<Answer<CancelResult>> {
    return this.#client.call({ method: "DELETE", path: taskPath(id) });
  }

  /** Refused if the task is no more at this version. */
  reschedule(
    id: string,
    change: { delay: string } | { scheduledAt: string },
    version: number | string,
  ): Promise<Answer<Task>> {
    return this.#client.call({ method: "PATCH", path: taskPath(id), body: change, ifMatch: version });
  }

  runNow(id: string): Promise<Answer<Task>> {
    return this.#client.call({ method: "POST", path: `${taskPath(id)}/run-now` });
  }

  pause(id: string): Promise<Answer<Task>> {
    return this.#client.call({ method: "POST", path: `${taskPath(id)}/pause` });
  }

  resume(id: string): Promise<Answer<Task>> {
    return this.#client.call({ method: "POST", path: `${taskPath(id)}/resume` });
  }

  retry(id: string): Promise<Answer<Task>> {
    return this.#client.call({ method: "POST", path: `${taskPath(id)}/retry` });
  }
}

function taskPath(id: string): string {
  return `/tasks/${encodeURIComponent(id)}`;
}
