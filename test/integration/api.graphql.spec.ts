import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { getIntrospectionQuery } from "graphql";
import { auditServer } from "graphql-http";
import { ApiApplication } from "../support/api-application.js";
import { type ApiClient, type Problem, type TaskBody } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const ABSENT = "01890a5d-ac96-774b-bcce-b302099a8057";
const FIELDS = `id namespace type key payload payloadVersion state reason scheduledAt dueAt remainingMs pausedAt pausedMs startDeadlineAt createdAt claimedAt startedAt finishedAt latenessMs latenessParts { knownMs } attempt maxAttempts
  crashCount priority version fence fingerprint node result lastError deliver { kind url headers } continues continuedBy tags later batchId
  shard { index total } waitingFor`;
const SCHEDULE = `mutation ($input: TaskInput!) { scheduleTask(input: $input) { outcome task { ${FIELDS} } } }`;

interface Result {
  data: Record<string, never> | null;
  errors?: { message: string; path?: string[]; extensions: { code: string; errors: Problem["errors"] } }[];
}

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("GraphQL on %s", (platform) => {
  let app: ApiApplication;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`graphql_${platform}`));
  });
  afterAll(() => app.stop());

  const input = (more: object = {}): object => ({ type: "test.later", delay: "1h", key: randomUUID(), ...more });
  const run = async (query: string, variables: object = {}, client: ApiClient = app.admin): Promise<Result> =>
    (await client.post<Result>("/graphql", { query, variables })).body;
  /** The data of an operation that must have no errors. */
  const dataOf = async <Data>(query: string, variables?: object): Promise<Data> => {
    const { data, errors } = await run(query, variables);
    expect(errors).toBeUndefined();
    return data as Data;
  };
  const codesOf = ({ errors }: Result): (string | undefined)[] =>
    (errors ?? []).map(({ extensions }) => extensions?.code);
  const schedule = async (more: object = {}): Promise<TaskBody> =>
    (await dataOf<{ scheduleTask: { task: TaskBody } }>(SCHEDULE, { input: input(more) })).scheduleTask.task;

  test("GraphQL passes the audit of GraphQL over HTTP", async () => {
    const results = await auditServer({
      url: `${app.url}/graphql`,
      fetchFn: (url: string, init: RequestInit = {}) =>
        fetch(url, { ...init, headers: { ...(init.headers as object), authorization: `Bearer ${app.key}` } }),
    });
    expect(results.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(results.length).toBeGreaterThan(50);
  });

  test("GraphQL schedules a task and shows it as REST does", async () => {
    const task = await schedule({ payload: { a: [1, null] } });
    expect((await app.admin.get(`/v1/tasks/${task.id}`)).body).toEqual({
      ...task,
      checkpoint: null,
      progress: null,
      because: {
        code: "SCHEDULED",
        hasNoNode: true,
        lastRunner: null,
        places: null,
        halt: null,
        limit: null,
        breaker: null,
        snoozes: 0,
        late: null,
      },
    });
    const query = `query ($id: ID!) { task(id: $id) { ${FIELDS} } }`;
    expect(await dataOf(query, { id: task.id })).toEqual({ task });
    expect(await dataOf(query, { id: ABSENT })).toEqual({ task: null });
    expect(await dataOf(query, { id: "not an id" })).toEqual({ task: null });
  });

  test("GraphQL takes payloads and durations as literals too", async () => {
    const data = await dataOf<{ scheduleTask: { outcome: string; task: TaskBody } }>(
      `mutation { scheduleTask(input: { type: "test.later", delay: 3600000, payload: { a: [1, "x", null] } }) { outcome task { payload } } }`,
    );
    expect(data.scheduleTask).toEqual({ outcome: "created", task: { payload: { a: [1, "x", null] } } });
  });

  test("GraphQL names every fault by its path, with the code of REST", async () => {
    const { data, errors } = await run(SCHEDULE, { input: input({ type: "a b", delay: "soon", priority: 10 }) });
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ path: ["scheduleTask"], extensions: { code: "VALIDATION_FAILED" } }]);
    expect(errors![0]!.extensions.errors.map(({ path }) => path).toSorted()).toEqual(["delay", "priority", "type"]);
    const deliver = { kind: "webhook", url: "https://a.example/", headers: { expect: "x" } };
    const refused = await run(SCHEDULE, { input: input({ deliver }) });
    expect(refused.errors![0]!.extensions.errors.map(({ path }) => path)).toEqual(["deliver.headers"]);
    expect(codesOf(await run(SCHEDULE, { input: input({ payload: "x".repeat(70_000) }) }))).toEqual([
      "PAYLOAD_TOO_LARGE",
    ]);
    expect(codesOf(await run(SCHEDULE, { input: { type: 1, nope: 2 } }))).toContain("VALIDATION_FAILED");
  });

  test("GraphQL has key policies and idempotency keys as REST has them", async () => {
    const task = await schedule();
    expect(codesOf(await run(SCHEDULE, { input: input({ key: task.key }) }))).toEqual(["TASK_KEY_CONFLICT"]);
    const idempotencyKey = randomUUID();
    const once = input({ idempotencyKey });
    const outcome = async (): Promise<string> =>
      (await dataOf<{ scheduleTask: { task: TaskBody } }>(SCHEDULE, { input: once })).scheduleTask.task.id;
    expect(await outcome()).toBe(await outcome());
    expect(codesOf(await run(SCHEDULE, { input: input({ idempotencyKey }) }))).toEqual(["IDEMPOTENCY_KEY_REUSED"]);
  });

  test("GraphQL schedules many tasks, and bad items do not stop the others", async () => {
    const query = `mutation ($inputs: [TaskInput!]!) {
      scheduleTasks(inputs: $inputs) { index status task { state } error { code errors { path } } }
    }`;
    expect(await dataOf(query, { inputs: [input(), input({ type: "a b" })] })).toEqual({
      scheduleTasks: [
        { index: 0, status: "created", task: { state: "scheduled" }, error: null },
        {
          index: 1,
          status: "rejected",
          task: null,
          error: { code: "VALIDATION_FAILED", errors: [{ path: "tasks[1].type" }] },
        },
      ],
    });
  });

  test("GraphQL cancels with an outcome for every case", async () => {
    const query = `mutation ($id: ID!) { cancelTask(id: $id) { outcome task { state } } }`;
    const task = await schedule();
    const cancelled = { cancelTask: { outcome: "cancelled", task: { state: "cancelled" } } };
    expect(await dataOf(query, { id: task.id })).toEqual(cancelled);
    expect(await dataOf(query, { id: task.id })).toEqual(cancelled);
    expect(await dataOf(query, { id: ABSENT })).toEqual({ cancelTask: { outcome: "not_found", task: null } });
    const done = await schedule({ type: "test.echo", delay: 0 });
    await eventually(async () => {
      const seen = await dataOf(`query ($id: ID!) { task(id: $id) { state } }`, { id: done.id });
      expect(seen).toEqual({ task: { state: "succeeded" } });
    });
    const tooLate = { cancelTask: { outcome: "too_late", task: { state: "succeeded" } } };
    expect(await dataOf(query, { id: done.id })).toEqual(tooLate);
  });

  test("GraphQL reschedules, runs now and retries", async () => {
    const task = await schedule({ type: "test.echo" });
    const move = `mutation ($id: ID!, $input: TaskChangesInput!, $version: Int) {
      rescheduleTask(id: $id, input: $input, expectedVersion: $version) { version priority }
    }`;
    const change = { id: task.id, input: { delay: "2h", priority: 1 }, version: task.version };
    expect(await dataOf(move, change)).toMatchObject({ rescheduleTask: { priority: 1 } });
    expect(codesOf(await run(move, change))).toEqual(["VERSION_MISMATCH"]);
    expect(codesOf(await run(move, { ...change, id: ABSENT, version: null }))).toEqual(["TASK_NOT_FOUND"]);
    const retry = `mutation ($id: ID!) { retryTask(id: $id) { id } }`;
    expect(codesOf(await run(retry, { id: task.id }))).toEqual(["TASK_STATE_CONFLICT"]);
    await dataOf(`mutation ($id: ID!) { runTaskNow(id: $id) { id } }`, { id: task.id });
    await eventually(async () => expect(await dataOf(retry, { id: task.id })).toEqual({ retryTask: { id: task.id } }));
  });

  test("GraphQL lists tasks in pages, by filter", async () => {
    const type = `list.${randomUUID()}`;
    for (let count = 0; count < 3; count++) await schedule({ type });
    const query = `query ($filter: TaskFilter, $after: String) {
      tasks(filter: $filter, first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
    }`;
    type Page = { tasks: { nodes: TaskBody[]; pageInfo: { hasNextPage: boolean; endCursor: string } } };
    const filter = { type, state: ["scheduled", "running"], live: true };
    const first = (await dataOf<Page>(query, { filter })).tasks;
    const second = (await dataOf<Page>(query, { filter, after: first.pageInfo.endCursor })).tasks;
    expect([first.nodes.length, first.pageInfo.hasNextPage]).toEqual([2, true]);
    expect([second.nodes.length, second.pageInfo.hasNextPage]).toEqual([1, false]);
    expect(new Set([...first.nodes, ...second.nodes].map(({ id }) => id)).size).toBe(3);
    const { errors } = await run(`{ tasks(first: 201) { nodes { id } } }`);
    expect(errors).toMatchObject([{ extensions: { code: "VALIDATION_FAILED", errors: [{ path: "first" }] } }]);
  });

  test("GraphQL shows cluster and figures", async () => {
    const data = await dataOf(`{
      cluster { coordination slots leader { node term } nodes { label state ownedSlots types } degraded { part since } }
      stats { counts { scheduled dead } countedAt overdue oldestOverdueMs lastMinute { created latenessMs { p50 p99 max } } }
    }`);
    expect(data).toMatchObject({
      cluster: {
        coordination: "postgres",
        slots: 4096,
        nodes: [{ label: expect.stringContaining(`:${process.pid}`) }],
      },
      stats: { counts: { scheduled: expect.any(Number) } },
    });
  });

  test("GraphQL gives a viewer neither mutations nor introspection, and the cluster only with that right", async () => {
    const viewer = await app.clientAs({ role: "viewer" });
    expect(codesOf(await run(SCHEDULE, { input: input() }, viewer))).toEqual(["FORBIDDEN"]);
    expect(codesOf(await run("{ cluster { view } }", {}, viewer))).toEqual(["FORBIDDEN"]);
    expect(codesOf(await run(getIntrospectionQuery(), {}, viewer))).toContain("VALIDATION_FAILED");
    expect(codesOf(await run("{ stats { overdue } }", {}, viewer))).toEqual([]);
    expect((await run(getIntrospectionQuery())).errors).toBeUndefined();
  });

  test("GraphQL refuses a document that is too deep, too costly, or has too many aliases or tokens", async () => {
    const aliases = Array.from({ length: 21 }, (_, n) => `a${n}: stats { overdue }`).join(" ");
    const costly = `{ tasks(first: 200) { nodes { ${"deliver { url } ".repeat(30)} } } }`;
    const deep = `{ ${"a { ".repeat(9)} a ${"} ".repeat(9)} }`;
    const long = `{ ${"__typename ".repeat(2_001)} }`;
    for (const query of [`{ ${aliases} }`, costly, deep, long]) {
      const result = await run(query);
      expect(codesOf(result)).toEqual(["VALIDATION_FAILED"]);
      expect(result.errors![0]!.message).toMatch(/aliases|costs more|deeper|tokens/);
    }
  });
});
