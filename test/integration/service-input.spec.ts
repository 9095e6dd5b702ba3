import { describe, expect, test } from "@jest/globals";
import type { DelayTaskService, TaskFilterInput } from "@tickwheel/nestjs";
import { openTasks } from "../support/app/task-application.js";
import { startForSpec } from "../support/start-for-spec.js";

let tasks: DelayTaskService;

startForSpec(
  () => openTasks({ engine: false }),
  (its) => ({ tasks } = its),
);

const LATER = { delay: "1h" } as const;

describe("what DelayTaskService is given", () => {
  test.each<[string, unknown]>([
    ["a text that is no id", "rubbish"],
    ["a NUL", "\0"],
    ["nothing", undefined],
    ["a list of an id", ["01940000-0000-7000-8000-000000000000"]],
  ])("given to DelayTaskService, %s names no task", async (_name, given) => {
    const id = given as string;
    expect(await tasks.get(id)).toBeNull();
    expect(await tasks.cancel(id)).toEqual({ outcome: "not_found" });
    await expect(tasks.retry(id)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    await expect(tasks.reschedule(id, { delay: "1m" })).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  });

  test("the id of a task counts in upper case, too", async () => {
    const { task } = await tasks.schedule("a", null, LATER);
    expect(await tasks.get(task.id.toUpperCase())).toMatchObject({ ...task, checkpoint: null, progress: null });
    expect((await tasks.cancel(task.id.toUpperCase())).outcome).toBe("cancelled");
  });

  test("a filter of DelayTaskService is checked as a whole, and a good one finds", async () => {
    const { task } = await tasks.schedule("b", null, { ...LATER, key: "k", tags: ["t"] });
    const scheduledAt = task.scheduledAt.getTime();
    const good = {
      type: "b",
      key: "k",
      states: ["scheduled"],
      live: true,
      tag: "t",
      scheduledFrom: scheduledAt,
      scheduledTo: "2h",
      createdFrom: "1h",
      limit: 1,
    } as const;
    expect((await tasks.find(good)).items).toEqual([task]);
    const bad = {
      type: 5,
      key: "",
      states: ["gone"],
      live: "yes",
      tag: "",
      scheduledFrom: NaN,
      limit: 0,
      after: "x",
      colour: 1,
    };
    const refused = await tasks.find(bad as unknown as TaskFilterInput).catch((error: unknown) => error);
    const faults = (refused as { faults: { path: string }[] }).faults.map(({ path }) => path);
    expect(faults.map((path) => path.replace("[0]", "")).sort()).toEqual(Object.keys(bad).sort());
  });

  test("keys that begin as those of schedules are refused for new tasks, and only for those", async () => {
    const refused = { code: "VALIDATION_FAILED", faults: [expect.objectContaining({ path: "key" })] };
    await expect(tasks.schedule("c", null, { ...LATER, key: "schedule:1" })).rejects.toMatchObject(refused);
    const [item] = await tasks.scheduleMany([{ task: "c", payload: null, ...LATER, key: "schedule:" }]);
    expect(item).toMatchObject({ status: "rejected" });
    expect(await tasks.cancelByKey("c", "schedule:1")).toEqual({ outcome: "not_found" });
    expect((await tasks.find({ key: "schedule:1" })).items).toEqual([]);
    expect((await tasks.schedule("c", null, { ...LATER, key: "reschedule:1" })).outcome).toBe("created");
  });
});
