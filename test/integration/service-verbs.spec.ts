import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Injectable, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import {
  type DelayTask,
  DelayTaskHandler,
  DelayTaskModule,
  DelayTaskService,
  defineTask,
  NonRetryableError,
} from "@tickwheel/nestjs";
import type { DataSource } from "typeorm";
import type { ApiClient, Problem } from "../support/api-client.js";
import { hostTasks } from "../support/app/task-application.js";
import { eventually } from "../support/eventually.js";
import { startForSpec } from "../support/start-for-spec.js";

const CancelOrder = defineTask<{ orderId: string }>("order.cancel");
const ExpireCoupon = defineTask<{ coupon: string }>("coupon.expire");
const Add = defineTask<{ a: number; b: number }>("sum.add");
const LATER = { delay: "1h" } as const;
const NO_TASK = "019ab000-0000-7000-8000-000000000000";

/** Handlers that wait until the test lets them go. */
const held: (() => void)[] = [];

@Injectable()
class Handlers {
  @DelayTaskHandler("done")
  done(): void {}

  @DelayTaskHandler(Add)
  add({ payload: { a, b } }: DelayTask<{ a: number; b: number }>): number {
    return a + b;
  }

  @DelayTaskHandler("sum.refuse")
  refuse(): void {
    throw new NonRetryableError("no such sum");
  }

  @DelayTaskHandler("sum.hold")
  hold(): Promise<string> {
    return new Promise((resolve) => held.push(() => resolve("let go")));
  }
}

let dataSource: DataSource;
let tasks: DelayTaskService;
let api: ApiClient;
/** A node that runs no tasks. */
let other: INestApplicationContext;

startForSpec(
  () => hostTasks(Handlers),
  (its) => ({ tasks, api, dataSource } = its),
);

async function finished(): Promise<string> {
  const { task } = await tasks.schedule("done", null);
  await eventually(async () => expect((await tasks.get(task.id))?.state).toBe("succeeded"));
  return task.id;
}

const later = async (key?: string): Promise<string> =>
  (await tasks.schedule(CancelOrder, { orderId: "42" }, { ...LATER, key })).task.id;

describe("reads by definition", () => {
  test("reads by definition find tasks of its type alone, with their instants as Dates", async () => {
    const id = await later("by-definition");
    const { task: coupon } = await tasks.schedule(ExpireCoupon, { coupon: "c" }, { ...LATER, key: "by-definition" });
    const page = await tasks.find(CancelOrder, { key: "by-definition", states: ["scheduled"] });
    expect(page.items.map((task) => [task.id, task.payload.orderId])).toEqual([[id, "42"]]);
    const [found] = page.items;
    expect(found!.scheduledAt).toBeInstanceOf(Date);
    const around = { scheduledFrom: found!.scheduledAt, scheduledTo: new Date(found!.scheduledAt.getTime() + 1) };
    expect((await tasks.find(CancelOrder, { ...around, key: "by-definition" })).items).toHaveLength(1);
    expect((await tasks.get(CancelOrder, id))?.payload.orderId).toBe("42");
    expect(await tasks.get(CancelOrder, coupon.id)).toBeNull();
    expect(await tasks.get(coupon.id)).toMatchObject({ payload: { coupon: "c" } });
  });

  test("reads by definition take part in a transaction", async () => {
    await dataSource.transaction(async (manager) => {
      const { task } = await tasks.schedule(CancelOrder, { orderId: "1" }, { ...LATER, key: "unseen", manager });
      expect((await tasks.find(CancelOrder, { key: "unseen" })).items).toEqual([]);
      expect((await tasks.find(CancelOrder, { key: "unseen" }, { manager })).items).toHaveLength(1);
      expect(await tasks.get(CancelOrder, task.id, { manager })).toMatchObject({ key: "unseen" });
    });
  });

  test("reads by definition tell every fault of a filter", async () => {
    const filter = { scheduledFrom: new Date(Number.NaN), limit: 0 };
    await expect(tasks.find(CancelOrder, filter)).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: [
        { path: "limit", message: "must be an integer from 1 to 200" },
        { path: "scheduledFrom", message: expect.stringMatching(/^must be an instant, such as /) },
      ],
    });
  });
});

describe("one task", () => {
  test("a task is run now, and its journal tells it", async () => {
    const { task } = await tasks.schedule("done", null, LATER);
    expect((await tasks.runNow(task.id)).dueAt.getTime()).toBeLessThan(task.dueAt.getTime());
    await eventually(async () => expect((await tasks.get(task.id))?.state).toBe("succeeded"));
    const journal = (await tasks.journal(task.id))!;
    expect(journal.items.map(({ to }) => to)).toEqual(["scheduled", "scheduled", "running", "succeeded"]);
    expect(journal.items[0]!.at).toBeInstanceOf(Date);
    const first = (await tasks.journal(task.id, { limit: 1 }))!;
    expect(first.items).toHaveLength(1);
    const second = await tasks.journal(task.id, { limit: 1, after: first.next! });
    expect(second!.items).toEqual([journal.items[1]]);
    await expect(tasks.runNow(task.id)).rejects.toMatchObject({ code: "TASK_STATE_CONFLICT" });
    await expect(tasks.runNow(NO_TASK)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    expect(await tasks.journal(NO_TASK)).toBeNull();
    expect(await tasks.journal("no id")).toBeNull();
  });

  test("a task counts in the figures", async () => {
    await finished();
    await eventually(async () => expect((await tasks.stats()).counts.succeeded).toBeGreaterThan(0));
    expect((await tasks.stats()).countedAt).toBeInstanceOf(Date);
  });
});

describe("many by their ids", () => {
  test("many tasks are cancelled by their ids, each with its outcome, in the order given", async () => {
    const waiting = await later();
    const done = await finished();
    const outcomes = await tasks.cancelMany([done, waiting, NO_TASK, "no id", waiting]);
    expect(outcomes.map(({ id, outcome }) => [id, outcome])).toEqual([
      [done, "too_late"],
      [waiting, "cancelled"],
      [NO_TASK, "not_found"],
      ["no id", "not_found"],
      [waiting, "cancelled"],
    ]);
    expect(outcomes[1]!.task).toMatchObject({ state: "cancelled" });
  });

  test("many tasks are retried by their ids, each with its outcome", async () => {
    const key = "retried";
    const cancelled = await later(key);
    await tasks.cancel(cancelled);
    const holder = await later(key);
    const done = await finished();
    const outcomes = await tasks.retryMany([done, holder, cancelled, NO_TASK]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      "scheduled",
      "state_conflict",
      "key_conflict",
      "not_found",
    ]);
    await eventually(async () => expect((await tasks.get(done))?.state).toBe("succeeded"));
  });

  test("many tasks are cancelled by their ids in a transaction, or not at all", async () => {
    const ids = [await later(), await later()];
    const rolledBack = dataSource.transaction(async (manager) => {
      expect((await tasks.cancelMany(ids, { manager })).map(({ outcome }) => outcome)).toEqual([
        "cancelled",
        "cancelled",
      ]);
      throw new Error("not after all");
    });
    await expect(rolledBack).rejects.toThrow("not after all");
    expect(await Promise.all(ids.map(async (id) => (await tasks.get(id))?.state))).toEqual(["scheduled", "scheduled"]);
  });

  test("many tasks are changed by their ids over REST as in code", async () => {
    const waiting = await later();
    const done = await finished();
    const cancelled = await api.post("v1/tasks/bulk/cancel", { ids: [waiting, NO_TASK] });
    expect(cancelled).toMatchObject({
      status: 200,
      body: {
        results: [{ id: waiting, outcome: "cancelled", task: { state: "cancelled" } }, { outcome: "not_found" }],
      },
    });
    expect(await api.post("v1/tasks/bulk/retry", { ids: [done] })).toMatchObject({
      status: 200,
      body: { results: [{ id: done, outcome: "scheduled", task: { payload: null } }] },
    });
  });

  test("ids of many tasks are at most a thousand, and must be texts", async () => {
    const many = Array.from({ length: 1_001 }, () => NO_TASK);
    for (const ids of [many, [5], "id", undefined]) {
      const fault = {
        code: "VALIDATION_FAILED",
        faults: [{ path: "ids", message: "must be a list of at most 1000 ids" }],
      };
      await expect(tasks.cancelMany(ids as string[])).rejects.toMatchObject(fault);
      await expect(tasks.retryMany(ids as string[])).rejects.toMatchObject(fault);
      const { status, body } = await api.post<Problem>("v1/tasks/bulk/retry", { ids });
      expect([status, body.errors[0]?.path]).toEqual([400, "ids"]);
    }
    expect(await tasks.cancelMany(many.slice(1))).toHaveLength(1_000);
  });
});

beforeAll(async () => {
  const { url } = dataSource.options as { url: string };
  @Module({ imports: [DelayTaskModule.forRoot({ url, redis: null, engine: false })] })
  class WebModule {}
  other = await NestFactory.createApplicationContext(WebModule, { logger: false, abortOnError: false });
});
afterAll(() => other?.close());

const letGo = async (): Promise<void> => {
  await eventually(async () => expect(held.length).toBeGreaterThan(0));
  held.shift()!();
};

describe("a result within a call", () => {
  test("a result within a call is what the handler returned, whether the task runs here or on another node", async () => {
    for (const node of [tasks, other.get(DelayTaskService)]) {
      const end = await node.scheduleAndWait(Add, { a: 1, b: 2 });
      expect(end).toMatchObject({ outcome: "succeeded", result: 3, task: { state: "succeeded" } });
      const scheduled = await node.schedule(Add, { a: 2, b: 3 });
      expect(await scheduled.result<number>()).toMatchObject({
        outcome: "succeeded",
        result: 5,
        id: scheduled.task.id,
      });
    }
  });

  test("a result within a call says of a task that ended otherwise how, also if it had ended before", async () => {
    const end = await tasks.scheduleAndWait("sum.refuse", null);
    expect(end).toMatchObject({ outcome: "dead", task: { lastError: expect.stringContaining("no such sum") } });
    expect(await tasks.result(end.id)).toMatchObject({ outcome: "dead" });
    const { task } = await tasks.schedule(Add, { a: 1, b: 1 }, { delay: "1h" });
    const waited = tasks.result(task.id);
    await tasks.cancel(task.id);
    expect(await waited).toMatchObject({ outcome: "cancelled", id: task.id });
  });

  test("a result within a call is pending with the id where the time is over or the caller goes, and the task goes on", async () => {
    const end = await tasks.scheduleAndWait("sum.hold", null, { wait: 50 });
    expect(end).toMatchObject({ outcome: "pending", task: { type: "sum.hold" } });
    expect(await tasks.result(end.id, { signal: AbortSignal.abort() })).toMatchObject({ outcome: "pending" });
    const waited = tasks.result(end.id);
    await letGo();
    expect(await waited).toMatchObject({ outcome: "succeeded", result: "let go" });
  });

  test("a result within a call is forgotten where its type keeps no ended tasks", async () => {
    await tasks.types.update("sum.add", { keepSucceeded: 0 });
    const waiting = await tasks.schedule(Add, { a: 1, b: 2 }, { delay: "300ms" });
    expect(await waiting.result()).toEqual({ outcome: "forgotten", id: waiting.task.id });
    await tasks.types.update("sum.add", { keepSucceeded: null });
  });

  test("a result within a call is refused with every fault: no such task, a wait that is too long or none", async () => {
    await expect(tasks.result(NO_TASK)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    const wrong = tasks.scheduleAndWait(Add, { a: 1, b: 2 }, { wait: "2h" });
    await expect(wrong).rejects.toMatchObject({ code: "VALIDATION_FAILED", faults: [{ path: "wait" }] });
  });
});

describe("over REST, Prefer: wait=10", () => {
  const prefer = (seconds: number) => ({ Prefer: `wait=${seconds}` });

  test("a create over REST with a wait is answered with the task as it has ended", async () => {
    const body = { type: "sum.add", payload: { a: 20, b: 22 } };
    const answer = await api.post("v1/tasks", body, prefer(10));
    expect(answer.status).toBe(201);
    expect(answer.headers.get("preference-applied")).toBe("wait=10");
    expect(answer.body).toMatchObject({ state: "succeeded", result: 42 });
    const usual = await api.post("v1/tasks", { ...body, delay: "1h" });
    expect(usual.headers.get("preference-applied")).toBeNull();
    expect(usual.body).toMatchObject({ state: "scheduled" });
  });

  test("a create over REST with a wait is answered with the task as it is when the time is over, and a GET waits on", async () => {
    const answer = await api.post("v1/tasks", { type: "sum.hold" }, prefer(1));
    expect(answer.status).toBe(201);
    const { id, state } = answer.body as { id: string; state: string };
    expect(["scheduled", "running"]).toContain(state);
    const waited = api.get(`v1/tasks/${id}`, prefer(30));
    await letGo();
    expect((await waited).body).toMatchObject({ id, state: "succeeded", result: "let go" });
    const gone = await api.get(`v1/tasks/${NO_TASK}`, prefer(30));
    expect(gone.status).toBe(404);
  });
});
