import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import { ApiClient, type JournalBody, type Problem, type TaskBody } from "../support/api-client.js";
import { DocumentedClient } from "../support/documented-client.js";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const ABSENT = "01890a5d-ac96-774b-bcce-b302099a8057";

interface Bulk {
  results: { index: number; status: string; task?: TaskBody; error?: Problem }[];
}
interface Cancelled {
  outcome: string;
  task: TaskBody;
}

let postgres: OwnPostgres;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("REST on %s", (platform) => {
  let app: ApiApplication;
  let api: ApiClient;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`rest_${platform}`));
    api = await DocumentedClient.of(app);
  });
  afterAll(() => app.stop());

  const path = (task: { id: string }, rest = ""): string => `/v1/tasks/${task.id}${rest}`;
  const input = (more: object = {}): { type: string; delay: string; key: string } => ({
    type: "test.later",
    delay: "1h",
    key: randomUUID(),
    ...more,
  });
  const ended = (task: { id: string }, state: string): Promise<TaskBody> =>
    eventually(async () => {
      const { body } = await api.get<TaskBody>(path(task));
      expect(body.state).toBe(state);
      return body;
    });

  describe("what is let in", () => {
    test.each([null, "wrong".repeat(10), "short"])("REST lets in nobody with the key %j", async (key) => {
      const { status, headers, body } = await new ApiClient(app.url, key).get<Problem>("/v1/tasks");
      expect({ status, code: body.code }).toEqual({ status: 401, code: "UNAUTHENTICATED" });
      expect(headers.get("content-type")).toMatch("application/problem+json");
      expect(headers.get("www-authenticate")).toBe("Bearer");
    });

    test("REST lets in a viewer to read, not to write, and to the cluster only with that right", async () => {
      const task = await api.schedule(input());
      const viewer = await app.clientAs({ role: "viewer" });
      expect((await viewer.get(path(task))).status).toBe(200);
      const refused = [
        await viewer.post<Problem>("/v1/tasks", input()),
        await viewer.patch<Problem>(path(task), { priority: 1 }),
        await viewer.delete<Problem>(path(task)),
        await viewer.post<Problem>(path(task, "/run-now")),
        await viewer.get<Problem>("/v1/cluster"),
      ];
      expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [403, "FORBIDDEN"]));
      const observer = await app.clientAs({ role: "viewer", cluster: true });
      expect((await observer.get("/v1/cluster")).status).toBe(200);
    });

    test("REST lets in a key of another namespace as if nothing were there", async () => {
      const task = await api.schedule(input());
      const stranger = await app.clientAs({ role: "admin", namespace: "other" });
      for (const answer of [
        await stranger.get<Problem>(path(task)),
        await stranger.get<Problem>(path(task, "/journal")),
        await stranger.delete<Problem>(path(task)),
        await stranger.patch<Problem>(path(task), { priority: 1 }),
        await stranger.post<Problem>("/v1/tasks/cancel", { type: task.type, key: task.key }),
      ])
        expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 404, code: "TASK_NOT_FOUND" });
      expect((await stranger.get<{ items: unknown[] }>("/v1/tasks")).body.items).toEqual([]);
    });
  });

  describe("creates", () => {
    test("REST creates a task with all of its fields", async () => {
      const given = input({ payload: { a: [1, null, "ž"] }, priority: 2, maxAttempts: 9 });
      const { status, headers, body } = await api.post<TaskBody>("/v1/tasks", given);
      expect([status, headers.get("tickwheel-outcome")]).toEqual([201, "created"]);
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        namespace: "default",
        type: given.type,
        key: given.key,
        payload: { a: [1, null, "ž"] },
        state: "scheduled",
        reason: null,
        scheduledAt: body.dueAt,
        payloadVersion: null,
        remainingMs: null,
        pausedAt: null,
        pausedMs: 0,
        dueAt: expect.stringMatching(/Z$/),
        createdAt: expect.stringMatching(/Z$/),
        startDeadlineAt: null,
        claimedAt: null,
        startedAt: null,
        finishedAt: null,
        latenessMs: null,
        latenessParts: null,
        attempt: 0,
        maxAttempts: 9,
        crashCount: 0,
        priority: 2,
        version: expect.any(Number),
        fence: 0,
        node: null,
        result: null,
        lastError: null,
        fingerprint: null,
        deliver: null,
        continues: null,
        continuedBy: null,
        later: [],
        tags: [],
        batchId: null,
        shard: null,
        waitingFor: null,
      });
      expect(Date.parse(body.dueAt) - Date.parse(body.createdAt)).toBe(3_600_000);
      expect(await api.get(path(body))).toMatchObject({ status: 200, body });
    });

    test.each([
      ["reject", 409, null],
      ["return", 200, "existing"],
      ["refresh", 200, "refreshed"],
      ["replace", 201, "replaced"],
      ["merge", 200, "merged"],
    ])("REST creates a second task of a key by the policy %s: %i, %s", async (onConflict, status, outcome) => {
      const first = await api.schedule(input());
      const second = await api.post<TaskBody & Problem>("/v1/tasks", input({ key: first.key, onConflict }));
      expect([second.status, second.headers.get("tickwheel-outcome")]).toEqual([status, outcome]);
      if (status === 409) expect(second.body.code).toBe("TASK_KEY_CONFLICT");
      else expect(second.body.id === first.id).toBe(outcome !== "replaced");
    });

    test("REST creates many tasks at once, and bad items do not stop the others", async () => {
      const taken = await api.schedule(input());
      const tasks = [input(), { type: "a b", tag: 1 }, input({ key: taken.key }), input()];
      const { status, body } = await api.post<Bulk>("/v1/tasks/bulk", { tasks });
      expect(status).toBe(200);
      expect(body.results.map(({ index, status: outcome }) => [index, outcome])).toEqual([
        [0, "created"],
        [1, "rejected"],
        [2, "rejected"],
        [3, "created"],
      ]);
      const [, bad, conflict] = body.results;
      expect(bad!.error).toMatchObject({ code: "VALIDATION_FAILED" });
      expect(bad!.error!.errors.map((fault) => fault.path).toSorted()).toEqual(["tasks[1].tag", "tasks[1].type"]);
      expect(conflict!.error).toMatchObject({ code: "TASK_KEY_CONFLICT" });
      expect(bad!.task).toBeUndefined();
    });

    test("REST gives the same answer for an idempotency key and body, and refuses another body", async () => {
      const headers = { "idempotency-key": randomUUID() };
      const body = input();
      const first = await api.post<TaskBody>("/v1/tasks", body, headers);
      const again = await api.post<TaskBody>("/v1/tasks", { ...body, idempotencyKey: headers["idempotency-key"] });
      expect([again.status, again.body.id]).toEqual([201, first.body.id]);
      const tasks = [input()];
      const bulk = () => api.post("/v1/tasks/bulk", { tasks }, { "idempotency-key": body.key });
      const marks = [first, again, await bulk(), await bulk()].map(({ headers }) => headers.get("tickwheel-replayed"));
      expect(marks).toEqual([null, "true", null, "true"]);
      expect(await api.post("/v1/tasks", { ...body, delay: "2h" }, headers)).toMatchObject({
        status: 422,
        body: { code: "IDEMPOTENCY_KEY_REUSED" },
      });
      expect(await api.post("/v1/tasks", { ...body, idempotencyKey: "another" }, headers)).toMatchObject({
        status: 400,
        body: { errors: [{ path: "idempotencyKey" }] },
      });
    });

    test("REST creates the same tasks for a bulk call that is repeated", async () => {
      const headers = { "idempotency-key": randomUUID() };
      const tasks = [input(), input()];
      const ids = async (): Promise<(string | undefined)[]> =>
        (await api.post<Bulk>("/v1/tasks/bulk", { tasks }, headers)).body.results.map(({ task }) => task?.id);
      const first = await ids();
      expect(first.every(Boolean)).toBe(true);
      expect(await ids()).toEqual(first);
    });
  });

  describe("what is refused", () => {
    const deep = JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) as unknown;

    test.each([
      [{ type: "a b", delay: -1, nope: 1 }, ["delay", "nope", "type"]],
      [{ type: "a", delay: "1h", scheduledAt: "2026-11-21T08:00:00Z" }, ["scheduledAt"]],
      [{ type: "a", scheduledAt: "2026-02-30T00:00:00Z" }, ["scheduledAt"]],
      [{ type: "a", scheduledAt: "2026-11-21T08:00:00" }, ["scheduledAt"]],
      [{ type: "a", key: "x\0" }, ["key"]],
      [{ type: "a", priority: 10, maxAttempts: 0, startDeadline: 0 }, ["maxAttempts", "priority", "startDeadline"]],
      [{ type: "a", backoff: { kind: "ladder", steps: 1 } }, ["backoff.delays", "backoff.steps"]],
      [{ type: "a", payload: deep }, ["payload"]],
      [{ type: "a", deliver: { kind: "webhook", url: "https://169.254.169.254/" } }, ["deliver.url"]],
      [{ type: "a", deliver: { kind: "webhook", url: "https://a.io", headers: { te: "" } } }, ["deliver.headers"]],
      [[], [""]],
      ["text", [""]],
    ])("REST refuses %j with its faults at %j", async (body, paths) => {
      const { status, body: problem } = await api.post<Problem>("/v1/tasks", body);
      expect([status, problem.code]).toEqual([400, "VALIDATION_FAILED"]);
      expect(problem.errors.map((fault) => fault.path).toSorted()).toEqual(paths);
    });

    test("REST refuses a payload over 64 KiB and a body over 1 MiB with 413", async () => {
      const large = await api.post<Problem>("/v1/tasks", { type: "a", payload: "x".repeat(65_536) });
      expect([large.status, large.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
      const huge = JSON.stringify({ type: "a", payload: "x".repeat(1024 * 1024) });
      const tooLong = await api.send<Problem>("POST", "/v1/tasks", { body: huge });
      expect([tooLong.status, tooLong.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    });

    test("REST refuses broken JSON, a list that is none, and too many tasks", async () => {
      const broken = await api.send<Problem>("POST", "/v1/tasks", { body: '{"type":' });
      expect([broken.status, broken.body.code, broken.body.errors.length]).toEqual([400, "VALIDATION_FAILED", 1]);
      expect(broken.headers.get("content-type")).toMatch("application/problem+json");
      for (const body of [{ tasks: "x" }, {}, { tasks: Array.from({ length: 10_001 }, () => ({ type: "a" })) }])
        expect(await api.post("/v1/tasks/bulk", body)).toMatchObject({
          status: 400,
          body: { errors: [{ path: "tasks" }] },
        });
    });

    test("REST refuses unknown and impossible parameters of a list", async () => {
      const { status, body } = await api.get<Problem>("/v1/tasks?state=done&limit=0&colour=x");
      expect(status).toBe(400);
      expect(body.errors.map((fault) => fault.path).toSorted()).toEqual(["colour", "limit", "state"]);
    });

    test("REST refuses an address that is not there, as a problem", async () => {
      const { status, headers, body } = await api.get<Problem>("/v1/nothing");
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
      expect(headers.get("content-type")).toMatch("application/problem+json");
    });

    test.each([ABSENT, "1", "../tasks", `${ABSENT}'`])(
      "REST refuses the id %s as one that is not there",
      async (id) => {
        const { status, body } = await api.get<Problem>(`/v1/tasks/${encodeURIComponent(id)}`);
        expect([status, body.code]).toEqual([404, "TASK_NOT_FOUND"]);
      },
    );
  });

  test("REST lists tasks by type, state and key, in pages without gap or overlap", async () => {
    const type = `list.${randomUUID()}`;
    const tasks = await api.scheduleMany(Array.from({ length: 5 }, () => input({ type })));
    await api.delete(path(tasks[0]!));
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const { body } = await api.get<{ items: TaskBody[]; nextCursor: string | null }>(
        `/v1/tasks?type=${type}&limit=2${page}`,
      );
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    expect(seen.toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
    const idsOf = async (query: string): Promise<string[]> =>
      (await api.get<{ items: TaskBody[] }>(`/v1/tasks?type=${type}&${query}`)).body.items.map(({ id }) => id);
    expect(await idsOf("state=cancelled")).toEqual([tasks[0]!.id]);
    expect(await idsOf("state=scheduled,cancelled")).toHaveLength(5);
    expect(await idsOf(`key=${tasks[1]!.key}&live=true`)).toEqual([tasks[1]!.id]);
    expect(await idsOf(`key=${tasks[0]!.key}&live=true`)).toEqual([]);
  });

  test("REST moves and edits a scheduled task if it has the requested version", async () => {
    const task = await api.schedule(input());
    const version = (seen: TaskBody): { "if-match": string } => ({ "if-match": `"${seen.version}"` });
    const moved = await api.patch<TaskBody>(path(task), { delay: "2h", payload: null, priority: 0 }, version(task));
    expect(moved).toMatchObject({ status: 200, body: { payload: null, priority: 0 } });
    expect(Date.parse(moved.body.dueAt)).toBeGreaterThan(Date.parse(task.dueAt) + 3_000_000);
    expect(await api.patch(path(task), { priority: 1 }, version(task))).toMatchObject({
      status: 412,
      body: { code: "VERSION_MISMATCH" },
    });
    const bare = { "if-match": String(moved.body.version) };
    expect(await api.patch(path(task), { priority: 1 }, bare)).toMatchObject({ status: 200, body: { priority: 1 } });
    expect(await api.patch(path(task), { priority: 1 }, { "if-match": "*" })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "If-Match" }] },
    });
    expect(await api.patch(path(task), {})).toMatchObject({ status: 400, body: { code: "VALIDATION_FAILED" } });
    expect(await api.patch(`/v1/tasks/${ABSENT}`, { priority: 1 })).toMatchObject({ status: 404 });
  });

  test("REST cancels by id repeatedly, and by key; a task that has ended otherwise is too late", async () => {
    const task = await api.schedule(input());
    for (let time = 0; time < 2; time++)
      expect(await api.delete<Cancelled>(path(task))).toMatchObject({
        status: 200,
        body: { outcome: "cancelled", task: { id: task.id, state: "cancelled", reason: "REQUESTED" } },
      });
    expect(await api.patch(path(task), { priority: 1 })).toMatchObject({
      status: 409,
      body: { code: "TASK_STATE_CONFLICT" },
    });
    const keyed = await api.schedule(input());
    const byKey = { type: keyed.type, key: keyed.key };
    expect(await api.post<Cancelled>("/v1/tasks/cancel", byKey)).toMatchObject({
      status: 200,
      body: { outcome: "cancelled", task: { id: keyed.id } },
    });
    expect(await api.post("/v1/tasks/cancel", { type: keyed.type, key: "nobody's" })).toMatchObject({ status: 404 });
    const done = await api.schedule({ type: "test.echo" });
    await ended(done, "succeeded");
    expect(await api.delete(path(done))).toMatchObject({ status: 409, body: { code: "TASK_STATE_CONFLICT" } });
    expect(await api.delete(`/v1/tasks/${ABSENT}`)).toMatchObject({ status: 404 });
  });

  test("REST runs a task now, returns its journal, and schedules it again", async () => {
    const task = await api.schedule({ type: "test.echo", payload: { n: 1 }, delay: "1h" });
    expect(await api.post<TaskBody>(path(task, "/run-now"))).toMatchObject({ status: 200 });
    const done = await ended(task, "succeeded");
    expect(done).toMatchObject({ result: { n: 1 }, attempt: 1, fence: 1, node: expect.stringMatching(/:\d+$/) });
    expect(done.latenessMs).toBeGreaterThanOrEqual(0);
    expect(await api.post(path(task, "/run-now"))).toMatchObject({ status: 409 });
    const { body: journal } = await api.get<JournalBody>(path(task, "/journal"));
    expect(journal.items.at(0)).toMatchObject({ from: null, to: "scheduled", actor: expect.stringMatching(/^key:/) });
    expect(journal.items.map(({ to }) => to)).toEqual(expect.arrayContaining(["scheduled", "running", "succeeded"]));
    expect((await api.post<TaskBody>(path(task, "/retry"))).status).toBe(200);
    await eventually(async () => {
      const { body } = await api.get<TaskBody>(path(task));
      expect([body.state, body.fence > done.fence]).toEqual(["succeeded", true]);
    });
    expect(await api.get(`/v1/tasks/${ABSENT}/journal`)).toMatchObject({ status: 404 });
  });

  test("REST refuses to retry a task that is not finished, or whose key is live again", async () => {
    const task = await api.schedule(input());
    expect(await api.post(path(task, "/retry"))).toMatchObject({ status: 409, body: { code: "TASK_STATE_CONFLICT" } });
    await api.delete(path(task));
    await api.schedule(input({ key: task.key }));
    expect(await api.post(path(task, "/retry"))).toMatchObject({ status: 409, body: { code: "TASK_KEY_CONFLICT" } });
  });

  test("REST shows why a task is dead, and why one waits", async () => {
    const dead = await ended(await api.schedule({ type: "test.fail" }), "dead");
    expect(dead).toMatchObject({ reason: "ATTEMPTS", lastError: expect.stringContaining("it was meant to") });
    const waiting = await api.schedule({ type: "test.nobody" });
    expect((await api.get<TaskBody>(path(waiting))).body).toMatchObject({
      state: "scheduled",
      waitingFor: "HANDLER",
    });
  });

  test("REST shows the cluster and the namespace's figures", async () => {
    const { coordination, nodes, slots, degraded } = await api.cluster();
    expect({ coordination, slots, degraded }).toEqual({ coordination: "postgres", slots: 4096, degraded: [] });
    expect(nodes).toEqual([expect.objectContaining({ label: expect.stringContaining(`:${process.pid}`) })]);
    expect(nodes[0]).not.toHaveProperty("typeIds");
    const { body } = await api.get<Record<string, unknown>>("/v1/stats");
    expect(body).toMatchObject({
      counts: { scheduled: expect.any(Number), expired: 0 },
      countedAt: expect.stringMatching(/Z$/),
      overdue: expect.any(Number),
      lastMinute: { created: expect.any(Number) },
      wheel: { entries: expect.any(Number), bytes: expect.any(Number) },
    });
  });

  test("REST reports its health to every caller, and nothing more", async () => {
    const anybody = new ApiClient(app.url, null);
    expect((await anybody.get("/health/live")).body).toEqual({ status: "live" });
    await eventually(async () => expect((await anybody.get("/health/ready")).status).toBe(200));
  });

  test("REST serves its OpenAPI document to callers with a key, with every route of `/v1` and of the health checks", async () => {
    expect((await new ApiClient(app.url, null).get("/openapi.json")).status).toBe(401);
    const { body } = await api.get<{ paths: Record<string, object> }>("/openapi.json");
    const documented = Object.entries(body.paths).flatMap(([path, calls]) =>
      Object.keys(calls).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    const served = app.routes().filter((route) => /^\w+ \/(v1|health)\//.test(route));
    expect(documented.toSorted()).toEqual(served.toSorted());
    expect(served.length).toBeGreaterThan(10);
  });

  // Last, because it stops the store.
  test("REST answers 503 with Retry-After while Postgres is away, and goes on when it is back", async () => {
    const key = randomUUID();
    await postgres.kill();
    const { status, headers, body } = await api.post<Problem>("/v1/tasks", input({ key }));
    expect([status, body.code]).toEqual([503, "STORE_UNAVAILABLE"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    const stranger = new ApiClient(app.url, null);
    await eventually(async () => expect((await stranger.get("/health/ready")).status).toBe(503));
    await postgres.restart();
    const task = await eventually(() => api.schedule(input({ key })));
    expect(await api.get(path(task))).toMatchObject({ status: 200 });
    await eventually(async () => expect((await api.get("/health/ready")).status).toBe(200));
  });
});
