import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type DynamicModule, Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskHandler, DelayTaskModule, defineTask } from "@tickwheel/nestjs";
import type { TaskBody } from "../support/api-client.js";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const KEY = newTestKey();
const Mail = defineTask<{ to: string }>("mail", { maxAttempts: 1 });
const Report = defineTask<{ of: string }>("report", { maxAttempts: 1 });

interface Counted {
  code: string;
  count: number;
}
interface OperationBody {
  id: string;
  action: string;
  state: string;
  filter: string;
  heldAt: string | null;
  stopReason: string | null;
  createdBy: string;
  reason: string | null;
  estimate: number | null;
  changed: number;
  passed: Counted[];
  undone: number;
  leftBehind: Counted[];
  undoUntil: string | null;
  undoReach?: { lookedAt: number; reachable: number; due: number } | null;
  finishedAt: string | null;
}

let postgres: TestPostgres;
let served: HostedApi;
/** Whether handlers work. */
let isWell = true;

@Injectable()
class Handlers {
  @DelayTaskHandler(Mail)
  mail(): void {
    if (!isWell) throw new Error("the provider is down");
  }

  @DelayTaskHandler(Report)
  report(): void {
    throw new TypeError("no such report");
  }
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("operations");
  const imports: DynamicModule[] = [
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({ url, heartbeat: "loop", operationPageSize: 25 }),
  ];
  served = await hostApi({ providers: [Handlers], imports }, KEY);
});
afterAll(async () => {
  await served?.app.close();
  await postgres?.stop();
});

/** Tasks that are due in an hour, all with this tag. */
async function waiting(tag: string, count: number): Promise<string[]> {
  const items = Array.from({ length: count }, (_, place) => ({
    task: Mail,
    payload: { to: `${place}` },
    delay: "1h" as const,
    tags: [tag],
    key: `${tag}:${place}`,
  }));
  const results = await served.tasks.scheduleMany(items);
  return results.map((result) => (result as { task: { id: string } }).task.id);
}

async function start(body: object): Promise<OperationBody> {
  const answer = await served.api.post<OperationBody>("/v1/operations", body);
  expect(answer.status).toBe(202);
  return answer.body;
}

/** The operation once it is over. */
async function ended({ id }: Pick<OperationBody, "id">): Promise<OperationBody> {
  let operation: OperationBody | null = null;
  await eventually(async () => {
    operation = (await served.api.get<OperationBody>(`/v1/operations/${id}`)).body;
    expect(operation.finishedAt).not.toBeNull();
  });
  return operation!;
}

async function statesOf(tag: string): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  for (const { state } of await allOf(tag)) states[state] = (states[state] ?? 0) + 1;
  return states;
}

async function allOf(tag: string): Promise<TaskBody[]> {
  const tasks: TaskBody[] = [];
  for (let cursor = ""; ;) {
    const page = await served.api.get<{ items: TaskBody[]; nextCursor: string | null }>(
      `/v1/tasks?type=mail,report&tag=${tag}&limit=200${cursor}`,
    );
    tasks.push(...page.body.items);
    if (page.body.nextCursor === null) return tasks;
    cursor = `&cursor=${page.body.nextCursor}`;
  }
}

describe("operations on many tasks", () => {
  test("tasks that an operation cancels by a filter were counted before, and are as they were once it is undone", async () => {
    await waiting("cancel", 120);
    const filter = { type: "mail", tag: ["cancel"] };
    const before = await allOf("cancel");
    const dry = await served.api.post<Record<string, unknown>>("/v1/operations/dry-run", { action: "cancel", filter });
    expect(dry.body).toMatchObject({
      count: 120,
      isAtLeast: false,
      incomplete: false,
      running: 0,
      undo: "FULL",
      filter: "type:mail tag:cancel",
      states: [{ state: "scheduled", count: 120 }],
      types: [{ type: "mail", count: 120 }],
    });
    expect(dry.body.sample).toHaveLength(10);
    expect(await statesOf("cancel")).toEqual({ scheduled: 120 });

    const started = await start({ action: "cancel", filter, expect: 120, reason: "wrong campaign" });
    expect(started).toMatchObject({ action: "cancel", estimate: 120, reason: "wrong campaign", undoUntil: null });
    const done = await ended(started);
    expect(done).toMatchObject({ state: "done", changed: 120, passed: [], undone: 0 });
    expect(done.undoReach).toEqual({ lookedAt: 120, reachable: 120, due: 0 });
    expect(await statesOf("cancel")).toEqual({ cancelled: 120 });

    const undo = await served.api.post<OperationBody>(`/v1/operations/${done.id}/undo`, {});
    expect(undo.status).toBe(202);
    expect(await ended(done)).toMatchObject({ state: "undone", undone: 120, leftBehind: [], undoUntil: null });
    const after = await allOf("cancel");
    const shown = ({ version: _version, fence: _fence, ...task }: TaskBody & { fence?: number }): object => task;
    expect(after.map(shown)).toEqual(before.map(shown));
    const tasks = await served.api.get<{ items: { outcome: string }[] }>(`/v1/operations/${done.id}/tasks?limit=200`);
    expect(new Set(tasks.body.items.map(({ outcome }) => outcome))).toEqual(new Set(["UNDONE"]));
  });

  test("an operation's tasks are found by it, page by page, and it is repeated over those that are as they were", async () => {
    const ids = await waiting("again", 30);
    const done = await ended(await start({ action: "pause", filter: { type: "mail", tag: "again" } }));
    await served.tasks.cancel(ids[3]!);
    await served.api.post(`/v1/operations/${done.id}/undo`, {});
    expect(await ended(done)).toMatchObject({ undone: 29, leftBehind: [{ code: "TOUCHED", count: 1 }] });
    const found = async (query: string): Promise<string[]> => {
      const page = await served.api.get<{ items: TaskBody[] }>(`/v1/tasks?limit=200&operation=${done.id}${query}`);
      return page.body.items.map(({ id }) => id);
    };
    expect((await found("")).toSorted()).toEqual(ids.toSorted());
    expect(await found("&outcome=TOUCHED,GONE")).toEqual([ids[3]]);
    expect(await found("&outcome=CHANGED")).toEqual([]);
    expect(await found("&q=outcome:UNDONE")).toHaveLength(29);
    expect((await served.api.get("/v1/tasks?outcome=UNDONE")).status).toBe(400);
    const again = await served.api.post<OperationBody>(`/v1/operations/${done.id}/repeat`, { reason: "once more" });
    expect(await ended(again.body)).toMatchObject({ state: "done", action: "pause", changed: 29, reason: "once more" });
    expect(await statesOf("again")).toEqual({ paused: 29, cancelled: 1 });
  });

  test("dead tasks of one cause are retried at a pace, which stops by itself when too many fail again", async () => {
    isWell = false;
    const many = Array.from({ length: 90 }, (_, place) => ({
      task: Mail,
      payload: { to: `${place}` },
      tags: ["dead"],
    }));
    await served.tasks.scheduleMany([...many, { task: Report, payload: { of: "x" }, tags: ["dead"] }]);
    await eventually(async () => expect(await statesOf("dead")).toEqual({ dead: 91 }));
    const failed = (await allOf("dead")).find(({ type }) => type === "mail");
    const filter = { state: "dead", fingerprint: (failed as TaskBody & { fingerprint: string }).fingerprint };
    const failing = await start({ action: "retry", filter, rate: 50, stopWhenFailing: 0.5 });
    const stopped = await ended(failing);
    expect(stopped).toMatchObject({ state: "stopped", stopReason: "FAILING", estimate: 90 });
    expect(stopped.changed).toBeGreaterThanOrEqual(20);
    expect(stopped.changed).toBeLessThan(90);
    const { body } = await served.api.get<{ now: { code: string; facts: { operationId?: string } }[] }>("/v1/findings");
    expect(body.now).toBeDefined();

    isWell = true;
    await eventually(async () => expect(await statesOf("dead")).toEqual({ dead: 91 }));
    expect(await ended(await start({ action: "retry", filter }))).toMatchObject({ state: "done", changed: 90 });
    await eventually(async () => expect(await statesOf("dead")).toEqual({ succeeded: 90, dead: 1 }));
    const discard = { action: "discard", filter: { type: "report", tag: "dead" }, reason: "never again" };
    expect(await ended(await start(discard))).toMatchObject({ changed: 1 });
    expect(await statesOf("dead")).toEqual({ succeeded: 90, cancelled: 1 });
  });

  test("an operation is held, resumed and stopped; nothing is changed while it is held", async () => {
    await waiting("hold", 60);
    const begun = await start({ action: "run_now", filter: { q: "type:mail tag:hold" }, rate: 1 });
    const held = await served.api.post<OperationBody>(`/v1/operations/${begun.id}/hold`, { reason: "lunch" });
    expect([held.status, held.body.heldAt === null]).toEqual([200, false]);
    const { changed } = held.body;
    const resumed = await served.api.post<OperationBody>(`/v1/operations/${begun.id}/resume`, {});
    expect([resumed.body.heldAt, resumed.body.changed]).toEqual([null, changed]);
    const stopped = await served.api.post<OperationBody>(`/v1/operations/${begun.id}/stop`, {});
    expect(stopped.body).toMatchObject({ state: "stopped", stopReason: "BY_HAND" });
    const again = await served.api.post(`/v1/operations/${begun.id}/stop`, {});
    expect([again.status, (again.body as { code: string }).code]).toEqual([409, "OPERATION_STATE_CONFLICT"]);
  });

  test("an operation under one idempotency key starts once, also when its tasks are gone by then", async () => {
    await waiting("once", 30);
    const body = { action: "cancel", filter: { type: "mail", tag: "once" }, expect: 30 };
    const headers = { "idempotency-key": "cancel-once" };
    const first = await served.api.post<OperationBody>("/v1/operations", body, headers);
    await ended(first.body);
    const second = await served.api.post<OperationBody>("/v1/operations", body, headers);
    expect([second.status, second.body.id]).toEqual([202, first.body.id]);
    const other = await served.api.post("/v1/operations", { ...body, expect: 29 }, headers);
    expect((other.body as { code: string }).code).toBe("IDEMPOTENCY_KEY_REUSED");
    const changed = await served.api.post("/v1/operations", body);
    expect(changed.body).toMatchObject({ code: "OPERATION_COUNT_CHANGED" });
  });

  test("a refused operation tells all that is wrong; a lost variable means nothing", async () => {
    const refused = async (body: object): Promise<Record<string, string>> => {
      const { body: problem, status } = await served.api.post("/v1/operations", body);
      expect(status).toBe(400);
      const { errors } = problem as { errors: { path: string; message: string }[] };
      return Object.fromEntries(errors.map(({ path, message }) => [path, message]));
    };
    expect(await refused({ action: "cancel", filter: {} })).toEqual({
      filter: "must name one of type, id, batch, schedule, operation, fingerprint, key, or say all: true",
    });
    expect(Object.keys(await refused({ action: "cancel", filter: { type: "*", tag: "a" } }))).toEqual(["filter.type"]);
    expect(Object.keys(await refused({ action: "reschedule", filter: { type: "mail" }, tag: "x", rate: 2 }))).toEqual(
      expect.arrayContaining(["set", "tag", "rate"]),
    );
    expect(
      Object.keys(await refused({ action: "discard", filter: { typ: "mail", q: "stat:dead", createdFrom: "soon" } })),
    ).toEqual(expect.arrayContaining(["filter.typ", "filter.q[0..9]", "filter.createdFrom", "reason"]));
    const unknown = await served.api.get("/v1/operations/018f0000-0000-7000-8000-000000000000");
    expect([unknown.status, (unknown.body as { code: string }).code]).toEqual([404, "OPERATION_NOT_FOUND"]);
  });

  test("a batch is meant in a filter by its id or by its name, which must be there", async () => {
    const { id } = await served.tasks.batches.create({
      name: "campaign-7",
      tasks: [{ task: Mail, payload: { to: "a" }, delay: "1h" }],
    });
    const ofBatch = async (batch: string): Promise<number> =>
      (await served.api.get<{ items: unknown[] }>(`/v1/tasks?batch=${batch}`)).body.items.length;
    expect([await ofBatch(id), await ofBatch("campaign-7")]).toEqual([1, 1]);
    const unknown = await served.api.get<{ errors: { path: string }[] }>("/v1/tasks?batch=campaign-8");
    expect([unknown.status, unknown.body.errors[0]!.path]).toEqual([400, "batch"]);
    const cancel = await start({ action: "cancel", filter: { batch: "campaign-7" } });
    expect(await ended(cancel)).toMatchObject({ changed: 1, filter: `batch:${id}` });
  });

  test("code and GraphQL see the same operation", async () => {
    await waiting("faces", 5);
    const { operations } = served.tasks;
    const tagged = await operations.start({
      action: "add_tag",
      filter: { type: "mail", tag: "faces" },
      tag: "seen",
      reason: "a look",
    });
    const done = await ended(tagged);
    expect(await operations.get(tagged.id)).toMatchObject({ state: "done", changed: 5, reason: "a look" });
    const query = `{ operation(id: "${done.id}") { id state changed options { tag } undoReach { reachable } } }`;
    const { body } = await served.api.post<{ data: object }>("/graphql", { query });
    expect(body.data).toEqual({
      operation: { id: done.id, state: "done", changed: 5, options: { tag: "seen" }, undoReach: { reachable: 5 } },
    });
    expect(await statesOf("seen")).toEqual({ scheduled: 5 });
    const listed = await operations.list({ actions: ["add_tag"] });
    expect(listed.operations.map(({ id }) => id)).toEqual([done.id]);
  });
});
