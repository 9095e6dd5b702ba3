import { describe, expect, test } from "@jest/globals";
import {
  type DelayTask,
  DelayTaskHandler,
  type DelayTaskService,
  defineTask,
  type TaskOptions,
} from "@tickwheel/nestjs";
import { openTasks } from "../support/app/task-application.js";
import { eventually } from "../support/eventually.js";
import { startForSpec } from "../support/start-for-spec.js";

const TAGS = ["shop:7", 'say "hi", ž 😀'] as const;
const LATER = { delay: "1h" } as const;
const Tagged = defineTask<{ n: number }>("tagged");

let tasks: DelayTaskService;
const seen: DelayTask[] = [];

@DelayTaskHandler("seen")
class Sees {
  handle(task: DelayTask): void {
    seen.push(task);
  }
}

startForSpec(
  () => openTasks({ heartbeat: "loop" }, [Sees]),
  (its) => ({ tasks } = its),
);

describe("DelayTaskService and tags", () => {
  test("keeps those of one task, and of each of many", async () => {
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

  test("reads them at the call: what happens to the list afterwards changes nothing", async () => {
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
  ])("refuses %j by its path", async (tags, path) => {
    const options = { ...LATER, tags } as TaskOptions;
    await expect(tasks.schedule(Tagged, { n: 1 }, options)).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: [{ path }],
    });
  });

  test("finds by a tag, page by page", async () => {
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

  test("a handler runs without them, and they stay with the finished task", async () => {
    const { task } = await tasks.schedule("seen", null, { tags: TAGS });
    await eventually(async () => expect((await tasks.get(task.id))!.state).toBe("succeeded"));
    expect(seen).toMatchObject([{ id: task.id }]);
    expect(seen[0]).not.toHaveProperty("tags");
    expect((await tasks.get(task.id))!.tags).toEqual(TAGS);
  });
});
