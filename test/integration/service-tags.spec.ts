import { beforeAll, describe, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  type DelayTaskService,
  defineTask,
  type TaskOptions,
} from "@tickwheel/nestjs";
import type { DataSource } from "typeorm";
import type { ApiClient } from "../support/api-client.js";
import { hostTasks } from "../support/app/task-application.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { startForSpec } from "../support/start-for-spec.js";

const TAGS = ["shop:7", 'say "hi", ž 😀'] as const;
const LATER = { delay: "1h" } as const;
const Tagged = defineTask<{ n: number }>("tagged");

/** Tasks of others, without a tag. */
const OTHERS = depth({ sample: 60_000, whole: 1_000_000 });
const CancelOrder = defineTask<{ orderId: string }>("order.cancel");
const RemindBuyer = defineTask<{ orderId: string }>("order.remind");

let tasks: DelayTaskService;
let dataSource: DataSource;
let api: ApiClient;
const seen: DelayTask[] = [];

@Injectable()
class Handlers {
  @DelayTaskHandler("seen")
  see(task: DelayTask): void {
    seen.push(task);
  }

  @DelayTaskHandler("order.hold")
  hold(_task: DelayTask, { signal }: DelayTaskContext): Promise<void> {
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("asked to stop"))));
  }
}

startForSpec(
  () => hostTasks(Handlers),
  (its) => ({ tasks, api, dataSource } = its),
);

beforeAll(async () => {
  const { task } = await tasks.schedule("others", { filled: true }, LATER);
  const columns = await columnsOf("task");
  const copied = columns.map((column) => (column === "id" ? "uuidv7()" : column)).join(", ");
  await dataSource.query(
    `INSERT INTO tickwheel.task (${columns.join(", ")}) SELECT ${copied} FROM tickwheel.task, generate_series(1, ${OTHERS}) WHERE id = $1`,
    [task.id],
  );
});

async function columnsOf(table: string): Promise<string[]> {
  const rows: { column_name: string }[] = await dataSource.query(
    `SELECT column_name FROM information_schema.columns WHERE table_schema = 'tickwheel' AND table_name = $1`,
    [table],
  );
  return rows.map(({ column_name }) => column_name);
}

describe("DelayTaskService and tags", () => {
  test("DelayTaskService keeps the tags of one task, and of each of many", async () => {
    const { task } = await tasks.schedule(Tagged, { n: 1 }, { ...LATER, tags: TAGS });
    expect([task.tags, (await tasks.get(task.id))!.tags]).toEqual([TAGS, TAGS]);
    const results = await tasks.scheduleMany([
      { task: Tagged, payload: { n: 2 }, ...LATER, tags: TAGS },
      { task: Tagged, payload: { n: 3 }, ...LATER },
      { task: Tagged, payload: { n: 4 }, ...LATER, tags: ["a", "b", "a"] },
    ]);
    expect(results.map((item) => (item.status === "rejected" ? item.error.errors : item.task.tags))).toEqual([
      TAGS,
      [],
      [{ path: "tasks[2].tags[2]", message: "must not be the same as a tag before it" }],
    ]);
  });

  test("DelayTaskService reads tags at the call: what happens to the list afterwards changes nothing", async () => {
    const tags = ["before"];
    const one = tasks.schedule(Tagged, { n: 1 }, { ...LATER, tags });
    const many = tasks.scheduleMany([{ task: Tagged, payload: { n: 2 }, ...LATER, tags }]);
    tags.splice(0, 1, "after", "");
    expect((await one).task.tags).toEqual(["before"]);
    expect(await many).toMatchObject([{ status: "created", task: { tags: ["before"] } }]);
  });

  test.each<[unknown, string]>([
    ["vip", "tags"],
    [["ok", ""], "tags[1]"],
    [Array.from({ length: 17 }, (_, index) => `${index}`), "tags"],
    [["ok", "ok"], "tags[1]"],
    [["\ud800"], "tags[0]"],
  ])("DelayTaskService refuses as tags %j by its path", async (tags, path) => {
    const options = { ...LATER, tags } as TaskOptions;
    await expect(tasks.schedule(Tagged, { n: 1 }, options)).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: [{ path }],
    });
  });

  test("DelayTaskService finds tasks by a tag, page by page", async () => {
    const payloads = [1, 2, 3, 4, 5].map((n) => ({ n }));
    await tasks.scheduleMany(
      payloads.map((payload) => ({ task: Tagged, payload, ...LATER, ...(payload.n % 2 === 1 && { tags: ["odd"] }) })),
    );
    const first = await tasks.find({ tag: "odd", limit: 2 });
    const second = await tasks.find({ tag: "odd", limit: 2, after: first.next! });
    const found = [...first.items, ...second.items].map(({ payload }) => payload);
    expect(new Set(found)).toEqual(new Set([{ n: 1 }, { n: 3 }, { n: 5 }]));
    expect([first.incomplete, second.next]).toEqual([false, null]);
    expect((await tasks.find({ tag: "odd", type: "another" })).items).toEqual([]);
    await expect(tasks.find({ tag: "" })).rejects.toMatchObject({ faults: [{ path: "tag" }] });
  });

  test("a handler runs without its task's tags, and they stay with the finished task", async () => {
    const { task } = await tasks.schedule("seen", null, { tags: TAGS });
    await eventually(async () => expect((await tasks.get(task.id))!.state).toBe("succeeded"));
    expect(seen).toMatchObject([{ id: task.id }]);
    expect(seen[0]).not.toHaveProperty("tags");
    expect((await tasks.get(task.id))!.tags).toEqual(TAGS);
  });
});

/** Three tasks of two types that belong to an order. @returns their ids, newest first */
async function orderTasks(orderId: string): Promise<string[]> {
  const tags = [`order:${orderId}`];
  const made = [
    await tasks.schedule(CancelOrder, { orderId }, { ...LATER, key: orderId, tags }),
    await tasks.schedule(RemindBuyer, { orderId }, { ...LATER, tags: [...tags, "mail"] }),
    await tasks.schedule(RemindBuyer, { orderId }, { delay: "2h", tags }),
  ];
  return made.map(({ task }) => task.id).toReversed();
}

describe("everything of an order", () => {
  test("everything of an order is found at once by its tag among tasks of others, live and finished", async () => {
    const ids = await orderTasks("1");
    expect(await tasks.find({ tag: "order:1" })).toMatchObject({ items: { length: 3 }, next: null, incomplete: false });
    expect((await tasks.findByTag("order:1")).items.map(({ id }) => id)).toEqual(ids);
    await tasks.cancel(ids[0]!);
    expect((await tasks.findByTag("order:1")).items.map(({ id }) => id)).toEqual(ids.slice(1));
    expect((await tasks.find({ tag: "order:1" })).items.map(({ id }) => id)).toEqual(ids);
    expect((await tasks.findByTag("order:1", { type: CancelOrder })).items.map(({ id }) => id)).toEqual([ids[2]]);
  });

  test("everything of an order is cancelled in one call: what waits, what is paused and what runs", async () => {
    const ids = await orderTasks("2");
    await tasks.pause(ids[1]!);
    const { task: running } = await tasks.schedule("order.hold", null, { tags: ["order:2"] });
    await eventually(async () => expect((await tasks.get(running.id))?.state).toBe("running"));
    const outcomes = await tasks.cancelByTag("order:2");
    expect(outcomes.map(({ id, outcome }) => [id, outcome])).toEqual([
      [running.id, "cancel_requested"],
      ...ids.map((id) => [id, "cancelled"]),
    ]);
    await eventually(async () => expect((await tasks.find({ tag: "order:2", live: true })).items).toEqual([]));
    expect((await tasks.get(running.id))?.state).toBe("cancelled");
    expect(await tasks.cancelByTag("order:2")).toEqual([]);
  });

  test("everything of an order is cancelled of one type alone, by the type's name or its definition", async () => {
    const ids = await orderTasks("3");
    expect(await tasks.cancelByTag("order:3", { type: RemindBuyer })).toHaveLength(2);
    expect((await tasks.findByTag("order:3")).items.map(({ id }) => id)).toEqual([ids[2]]);
    expect(await tasks.cancelByTag("order:3", { type: "order.cancel" })).toHaveLength(1);
  });

  test("everything of an order is cancelled in a transaction, with what that has made itself, or not at all", async () => {
    const ids = await orderTasks("4");
    const rolledBack = dataSource.transaction(async (manager) => {
      await tasks.schedule(CancelOrder, { orderId: "4" }, { ...LATER, tags: ["order:4"], manager });
      expect(await tasks.cancelByTag("order:4", { manager })).toHaveLength(4);
      expect(await tasks.findByTag("order:4", { manager })).toMatchObject({ items: [] });
      throw new Error("not after all");
    });
    await expect(rolledBack).rejects.toThrow("not after all");
    expect((await tasks.findByTag("order:4")).items.map(({ id }) => id)).toEqual(ids);
  });

  test("everything of an order is cancelled over REST and GraphQL, which tell every fault", async () => {
    const ids = await orderTasks("5");
    const rest = await api.post("v1/tasks/by-tag/cancel", { tag: "order:5", type: "order.remind" });
    expect(rest.status).toBe(200);
    const { results } = rest.body as { results: { id: string; outcome: string }[] };
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual(ids.slice(0, 2).map((id) => [id, "cancelled"]));
    const mutation = `mutation { cancelTasksByTag(tag: "order:5") { results { id outcome } } }`;
    const graphql = await api.post("graphql", { query: mutation });
    expect(graphql.body).toEqual({ data: { cancelTasksByTag: { results: [{ id: ids[2], outcome: "cancelled" }] } } });
    const wrong = await api.post("v1/tasks/by-tag/cancel", { tag: "", type: 7, key: "k" });
    expect(wrong.status).toBe(400);
    const { errors } = wrong.body as { errors: { path: string }[] };
    expect(errors.map(({ path }) => path).toSorted()).toEqual(["key", "tag", "type"]);
  });

  test("an order of more than 1,000 tasks is not cancelled at all in one call, and the error says what does it", async () => {
    const items = Array.from({ length: 1_001 }, () => ({ task: "others", payload: null, ...LATER, tags: ["many"] }));
    await tasks.scheduleMany(items);
    await expect(tasks.cancelByTag("many")).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: [{ path: "tag", message: expect.stringMatching(/more than 1000 live tasks.*operation/) }],
    });
    let seen = 0;
    for await (const task of tasks.each({ tag: "many" })) {
      expect(task.state).toBe("scheduled");
      seen++;
    }
    expect(seen).toBe(1_001);
  });
});

test("a loop over tasks ends where it is left, reads pages as it comes to them, and has the payloads of a definition", async () => {
  await orderTasks("6");
  const found: string[] = [];
  for await (const { payload } of tasks.each(RemindBuyer, { tag: "order:6", limit: 1 })) found.push(payload.orderId);
  expect(found).toEqual(["6", "6"]);
  for await (const task of tasks.each({ type: "others" })) {
    expect(task.type).toBe("others");
    break;
  }
  await expect(tasks.each({ tag: "" }).next()).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
});
