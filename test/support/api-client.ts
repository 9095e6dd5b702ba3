import { HUNG_MS, lasting } from "./eventually.js";

/** An HTTP answer with its JSON body. */
export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}

/** `problem+json` as the API answers it. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  errors: { path: string; message: string }[];
}

/** A finding as the API shows it. */
export interface Finding {
  id: string;
  code: string;
  severity: string;
  since: string;
  until: string | null;
  title: string;
  consequence: string;
  cure: string;
  facts: Record<string, unknown>;
}

/** A task as the API shows it. */
export interface TaskBody {
  id: string;
  namespace: string;
  type: string;
  key: string | null;
  payload: unknown;
  state: string;
  reason: string | null;
  fingerprint: string | null;
  scheduledAt: string;
  dueAt: string;
  startDeadlineAt: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  latenessMs: number | null;
  attempt: number;
  maxAttempts: number;
  crashCount: number;
  priority: number;
  version: number;
  fence: number;
  node: string | null;
  result: unknown;
  lastError: string | null;
  continues: string | null;
  continuedBy: string | null;
  tags: string[];
  batchId: string | null;
  shard: { index: number; total: number } | null;
  waitingFor: string | null;
}

/** A task that has been paused. */
export interface PausedBody extends TaskBody {
  pausedAt: string | null;
  pausedMs: number;
  payloadVersion: number | null;
  remainingMs: number | null;
}

export interface JournalBody {
  items: {
    at: string;
    from: string | null;
    to: string;
    node: string | null;
    fence: number;
    attempt: number;
    reason: string | null;
    actor: string | null;
    count: number;
  }[];
  nextCursor: string | null;
}

/** The session of the page. */
export interface SessionBody {
  id: string;
  csrfToken: string;
  role: string;
  namespace: string;
  cluster: boolean;
  keyId: string;
  expiresAt: string;
}

/** `GET /v1/cluster`. */
export interface ClusterBody {
  coordination: "redis" | "postgres" | "postgres-degraded";
  leader: { node: string; bootId: string; term: number } | null;
  view: number;
  slots: number;
  degraded: { part: string; since: string; detail: string }[];
  nodes: {
    label: string;
    bootId: string;
    version: string;
    state: string;
    roles: string[];
    types: string[];
    heartbeatAgeMs: number;
    loopLagMs: number;
    ownedSlots: number;
    name: string;
    places: number;
    inFlight: number;
    blocked: { forMs: number; running: { type: string; count: number }[]; lastStarted: string | null } | null;
    away: string[];
  }[];
}

/** Calls one node's HTTP API. Every answer is a value, whatever its status; no answer at all is an exception. */
export class ApiClient {
  constructor(
    readonly url: string,
    /** Null: calls carry no key. */
    private readonly apiKey: string | null,
    /** The headers of every call, beside the key's. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /**
   * Logs in, and answers a client that has the session's cookie in place of the key. @throws Error when it is refused
   */
  async logIn(): Promise<ApiClient> {
    const { status, headers, body } = await this.post<SessionBody>("/v1/session", { key: this.apiKey });
    if (status !== 201) throw new Error(`POST /v1/session answered ${status}: ${JSON.stringify(body)}`);
    const cookie = headers.get("set-cookie")!.split(";", 1)[0]!;
    return new ApiClient(this.url, null, { cookie, "x-csrf-token": body.csrfToken });
  }

  /** The same client, which leaves a header out. */
  without(name: string): ApiClient {
    const { [name]: _left, ...headers } = this.headers;
    return new ApiClient(this.url, this.apiKey, headers);
  }

  get<Body>(path: string, headers?: Record<string, string>): Promise<Answer<Body>> {
    return this.send<Body>("GET", path, { headers });
  }

  post<Body>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Body>> {
    return this.send<Body>("POST", path, { body: body === undefined ? undefined : JSON.stringify(body), headers });
  }

  patch<Body>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<Body>> {
    return this.send<Body>("PATCH", path, { body: JSON.stringify(body), headers });
  }

  delete<Body>(path: string, headers?: Record<string, string>): Promise<Answer<Body>> {
    return this.send<Body>("DELETE", path, { headers });
  }

  /** Sends `body` as it is, also when it is no JSON. */
  async send<Body>(
    method: string,
    path: string,
    { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(new URL(path, this.url), {
      method,
      body,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(this.apiKey === null ? {} : { authorization: `Bearer ${this.apiKey}` }),
        ...this.headers,
        ...headers,
      },
      signal: AbortSignal.timeout(HUNG_MS),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: jsonOr(text) as Body };
  }

  /**
   * As `post`, and again when the node refuses, since it has more requests than it answers in a second: on a busy
   * machine that is no fault. Also after a 503, if `isRepeatable`: whether such a call was done is unknown.
   */
  async patientPost<Body>(
    path: string,
    body?: unknown,
    { isRepeatable = false }: { isRepeatable?: boolean } = {},
  ): Promise<Answer<Body>> {
    const endMonoMs = performance.now() + HUNG_MS;
    for (;;) {
      const answer = await this.post<Body>(path, body);
      const isRefused = answer.status === 429 || (isRepeatable && answer.status === 503);
      if (!isRefused || performance.now() > endMonoMs) return answer;
      await lasting(1_000 * Number(answer.headers.get("retry-after") ?? 1));
    }
  }

  /** One GraphQL operation. */
  async graphql<Data>(
    query: string,
    variables: object = {},
  ): Promise<{ data: Data; errors?: { message: string; extensions?: { code?: string } }[]; code?: string }> {
    const answer = await this.post<{ data: Data }>("/graphql", { query, variables });
    return answer.body;
  }

  /** @throws Error when the node does not answer 200 */
  async cluster(): Promise<ClusterBody> {
    const { status, body } = await this.get<ClusterBody>("/v1/cluster");
    if (status !== 200) throw new Error(`GET /v1/cluster answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  /** @throws Error when the node does not answer 200 or 201 */
  async schedule(input: object): Promise<TaskBody> {
    const { status, body } = await this.post<TaskBody>("/v1/tasks", input);
    if (status !== 200 && status !== 201) throw new Error(`POST /v1/tasks answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  /** Schedules many in one call, each of which must be accepted. */
  async scheduleMany(tasks: readonly object[]): Promise<TaskBody[]> {
    const { status, body } = await this.post<{ results: { status: string; task?: TaskBody }[] }>("/v1/tasks/bulk", {
      tasks,
    });
    const created = body.results?.flatMap(({ task }) => (task ? [task] : [])) ?? [];
    if (status !== 200 || created.length !== tasks.length)
      throw new Error(`POST /v1/tasks/bulk answered ${status}: ${JSON.stringify(body).slice(0, 2_000)}`);
    return created;
  }
}

/** Does this for each item, `atOnce` of them at a time, and answers in their order: a node bounds its calls. */
export async function someAtOnce<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, place: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const workAll = async (): Promise<void> => {
    for (let place = next++; place < items.length; place = next++) results[place] = await work(items[place]!, place);
  };
  await Promise.all(Array.from({ length: atOnce }, workAll));
  return results;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
