import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import type { ApiClient, Problem, TaskBody } from "../support/api-client.js";
import { DocumentedClient } from "../support/documented-client.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const REDUCERS = { bytes: "add", files: "append", last: "max", first: "min" };
const SCHEDULE = `mutation ($input: TaskInput!) {
  scheduleTask(input: $input) { outcome task { id payload version dueAt createdAt continues continuedBy } }
}`;
const SCHEDULE_MANY = `mutation ($inputs: [TaskInput!]!) {
  scheduleTasks(inputs: $inputs) { index status task { id payload } error { code errors { path message } } }
}`;

interface Bulk {
  results: { index: number; status: string; task?: TaskBody; error?: Problem }[];
}
interface Result {
  data: { scheduleTask: { outcome: string; task: TaskBody }; scheduleTasks: Bulk["results"] } | null;
  errors?: { extensions: { code: string; errors: Problem["errors"] } }[];
}

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("merges on %s", (platform) => {
  let app: ApiApplication;
  let api: ApiClient;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`merges_${platform}`));
    api = await DocumentedClient.of(app);
  });
  afterAll(() => app.stop());

  /** A merge into the task of a key. */
  const merge = (key: string, payload: unknown, more: object = {}): object => ({
    type: "test.later",
    delay: "1h",
    key,
    onConflict: "merge",
    merge: REDUCERS,
    payload,
    ...more,
  });
  const graphql = async (query: string, variables: object): Promise<Result> =>
    (await api.post<Result>("/graphql", { query, variables })).body;
  const heldBy = async (key: string): Promise<unknown> =>
    (await api.get<{ items: TaskBody[] }>(`/v1/tasks?key=${key}&live=true`)).body.items[0]?.payload;

  test("REST adds merges up exactly, into one task, and says what it did", async () => {
    const key = randomUUID();
    const first = await api.post<TaskBody>("/v1/tasks", merge(key, { bytes: 0.1, files: ["a"], last: 5, first: 5 }));
    expect([first.status, first.headers.get("tickwheel-outcome")]).toEqual([201, "created"]);
    const more = merge(key, { bytes: 0.2, files: ["b", ["c"]], last: 7, first: 3, note: "x" });
    const second = await api.post<TaskBody>("/v1/tasks", more);
    expect([second.status, second.headers.get("tickwheel-outcome")]).toEqual([200, "merged"]);
    expect(second.body).toMatchObject({ id: first.body.id, version: 2, state: "scheduled" });
    expect(second.body.payload).toEqual({ bytes: 0.3, files: ["a", "b", ["c"]], last: 7, first: 3, note: "x" });
  });

  test("sums of merges keep digits that no double holds, by REST and GraphQL alike", async () => {
    const key = randomUUID();
    const literal = `mutation { scheduleTask(input: { type: "test.later", delay: "1h", key: "${key}", onConflict: merge,
      merge: { bytes: "add" }, payload: { bytes: 9007199254740993.1 } }) { outcome task { id } } }`;
    const { data } = await graphql(literal, {});
    expect(data!.scheduleTask.outcome).toBe("created");
    const body = JSON.stringify(merge(key, 0)).replace('"payload":0', '"payload":{"bytes":0.2}');
    await api.send("POST", "/v1/tasks", { body });
    const headers = { authorization: `Bearer ${app.key}` };
    const answer = await fetch(`${app.url}/v1/tasks/${data!.scheduleTask.task.id}`, { headers });
    expect(await answer.text()).toContain('"payload":{"bytes": 9007199254740993.3}');
  });

  test("a bulk merges into one task and refuses what does not fit, item by item", async () => {
    const key = randomUUID();
    const tasks = [
      merge(key, { bytes: 0.1 }),
      merge(key, { bytes: 0.2 }),
      merge(key, { bytes: "a lot" }),
      merge(key, { bytes: 1 }, { merge: { bytes: "sum" } }),
      merge(key, { files: ["x".repeat(65_515)] }),
      merge(key, { files: ["y"] }),
    ];
    const { body } = await api.post<Bulk>("/v1/tasks/bulk", { tasks });
    expect(body.results.map(({ status, error }) => error?.code ?? status)).toEqual([
      "created",
      "merged",
      "MERGE_CONFLICT",
      "VALIDATION_FAILED",
      "PAYLOAD_TOO_LARGE",
      "merged",
    ]);
    const faults = body.results.flatMap(({ error }) => error?.errors.map(({ path }) => path) ?? []);
    expect(faults).toEqual(["tasks[2].payload.bytes", "tasks[3].merge.bytes", "tasks[4].payload"]);
    expect(await heldBy(key)).toEqual({ bytes: 0.3, files: ["y"] });
  });

  test("GraphQL merges as REST does, one by one and many", async () => {
    const key = randomUUID();
    await graphql(SCHEDULE, { input: merge(key, { bytes: 0.1 }) });
    const { data } = await graphql(SCHEDULE, { input: merge(key, { bytes: 0.2 }, { maxWait: "2h" }) });
    expect(data!.scheduleTask).toMatchObject({ outcome: "merged", task: { payload: { bytes: 0.3 }, version: 2 } });
    const inputs = [merge(key, { bytes: 0.7 }), merge(key, { bytes: [] })];
    const many = (await graphql(SCHEDULE_MANY, { inputs })).data!.scheduleTasks;
    expect(many).toEqual([
      { index: 0, status: "merged", task: { id: data!.scheduleTask.task.id, payload: { bytes: 1 } }, error: null },
      { index: 1, status: "rejected", task: null, error: { code: "MERGE_CONFLICT", errors: [expect.anything()] } },
    ]);
    expect(many[1]!.error!.errors[0]!.path).toBe("tasks[1].payload.bytes");
  });

  test.each<[string, { held?: unknown; payload: unknown; more?: object }, string]>([
    ["a reducer that is none", { payload: {}, more: { merge: { bytes: "sum" } } }, "400 VALIDATION_FAILED merge.bytes"],
    ["reducers without the policy", { payload: {}, more: { onConflict: "replace" } }, "400 VALIDATION_FAILED merge"],
    ["no wait at all", { payload: {}, more: { maxWait: 0 } }, "400 VALIDATION_FAILED maxWait"],
    ["NUL in its text", { payload: { note: "a\0" } }, "400 VALIDATION_FAILED payload"],
    ["half a character in its text", { payload: { note: "\ud800" } }, "400 VALIDATION_FAILED payload"],
    ["a number of 101 digits", { payload: { bytes: 1e100 } }, "400 VALIDATION_FAILED payload"],
    ["a payload that is no object", { payload: [1] }, "409 MERGE_CONFLICT payload"],
    ["a text to be added", { payload: { bytes: "1" } }, "409 MERGE_CONFLICT payload.bytes"],
    ["a number added to a text", { held: { bytes: "1" }, payload: { bytes: 1 } }, "409 MERGE_CONFLICT payload.bytes"],
    ["a merge into a list", { held: [1], payload: { bytes: 1 } }, "409 MERGE_CONFLICT payload"],
    [
      "a list that gets too long",
      { held: { files: ["x".repeat(40_000)] }, payload: { files: ["y".repeat(40_000)] } },
      "413 PAYLOAD_TOO_LARGE payload",
    ],
  ])("merges are refused with what was wrong, and change nothing: %s", async (_name, given, refusal) => {
    const [status, code, path] = refusal.split(" ");
    const key = randomUUID();
    const { held = { bytes: 1 }, payload, more } = given;
    await api.schedule({ type: "test.later", delay: "1h", key, payload: held });
    const input = merge(key, payload, more);
    const rest = await api.post<Problem>("/v1/tasks", input);
    expect([String(rest.status), rest.body.code]).toEqual([status, code]);
    expect(rest.body.errors).toEqual([{ path, message: expect.any(String) }]);
    const [refused] = (await graphql(SCHEDULE, { input })).errors!;
    expect(refused!.extensions).toMatchObject({ code, errors: rest.body.errors });
    const bulk = await api.post<Bulk>("/v1/tasks/bulk", { tasks: [input] });
    const errors = [{ path: `tasks[0].${path}`, message: rest.body.errors[0]!.message }];
    expect(bulk.body.results).toEqual([
      { index: 0, status: "rejected", error: expect.objectContaining({ code, errors }) },
    ]);
    expect(await heldBy(key)).toEqual(held);
  });

  test("the name of a merged field is told cut, and without control characters", async () => {
    const name = `\u0001${"x".repeat(200)}`;
    const { body } = await api.post<Problem>(
      "/v1/tasks",
      merge(randomUUID(), { [name]: "1" }, { merge: { [name]: "add" } }),
    );
    expect([body.code, body.errors[0]!.path.length]).toEqual(["MERGE_CONFLICT", 81]);
    expect(body.detail).not.toContain("\u0001");
  });

  test("merged fields named __proto__ and nothing at all are data", async () => {
    const key = randomUUID();
    const merges = '"merge":{"__proto__":"add","":"max"},"payload":{"__proto__":1,"":2}';
    const body = JSON.stringify(merge(key, 0, { merge: 0 })).replace('"merge":0,"payload":0', merges);
    expect(body).toContain(merges);
    for (const status of [201, 200]) expect((await api.send("POST", "/v1/tasks", { body })).status).toBe(status);
    expect(JSON.stringify(await heldBy(key))).toBe('{"":2,"__proto__":2}');
  });

  test("maxWait bounds how far merges and refreshes move their task", async () => {
    for (const onConflict of ["merge", "refresh"]) {
      const key = randomUUID();
      const input = { type: "test.later", delay: "50m", key, onConflict, maxWait: "1h" };
      const first = await api.schedule(input);
      const second = await api.schedule({ ...input, delay: "90m" });
      expect(second.id).toBe(first.id);
      expect(Date.parse(second.dueAt) - Date.parse(first.createdAt)).toBe(3_600_000);
    }
  });

  test("an idempotency key answers again what the merge did, adds nothing twice, and holds its reducers", async () => {
    const key = randomUUID();
    await api.schedule(merge(key, { bytes: 1 }));
    const input = merge(key, { bytes: 1 }, { idempotencyKey: randomUUID() });
    for (let time = 0; time < 2; time++) {
      const { status, headers, body } = await api.post<TaskBody>("/v1/tasks", input);
      expect([status, headers.get("tickwheel-outcome"), body.payload]).toEqual([200, "merged", { bytes: 2 }]);
    }
    for (const more of [{ merge: { ...REDUCERS, bytes: "max" } }, { maxWait: "1h" }])
      expect((await api.post<Problem>("/v1/tasks", { ...input, ...more })).status).toBe(422);
  });

  test("a merge into a task that has started is the next cycle, and both name each other", async () => {
    const key = randomUUID();
    const running = await api.schedule({ type: "test.hold", key, payload: { bytes: 1 } });
    await eventually(async () => {
      expect((await api.get<TaskBody>(`/v1/tasks/${running.id}`)).body.state).toBe("running");
    });
    const input = merge(key, { bytes: 2 }, { type: "test.hold" });
    const { status, headers, body: next } = await api.post<TaskBody>("/v1/tasks", input);
    expect([status, headers.get("tickwheel-outcome")]).toEqual([201, "created"]);
    expect(next).toMatchObject({ payload: { bytes: 2 }, continues: running.id, continuedBy: null });
    const { body } = await api.get<TaskBody>(`/v1/tasks/${running.id}`);
    expect(body).toMatchObject({ state: "running", payload: { bytes: 1 }, continues: null, continuedBy: next.id });
    const { data } = await graphql(SCHEDULE, { input });
    expect(data!.scheduleTask).toMatchObject({ outcome: "merged", task: { id: next.id, continues: running.id } });
    for (const { id } of [next, running]) await api.delete(`/v1/tasks/${id}`);
  });
});
