import { afterEach, describe, expect, test } from "@jest/globals";
import type { INestApplicationContext } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import { type DelayTask, DelayTaskHandler, DelayTaskService, defineTask, NonRetryableError } from "@tickwheel/nestjs";
import { DelayTaskTesting } from "./delay-task-testing.js";
import { DelayTaskTestingModule } from "./delay-task-testing.module.js";

const Remind = defineTask<{ orderId: string }>("order.remind");
const DAY_MS = 86_400_000;

let app: INestApplicationContext;
let calls: { day: number; attempt: number }[] = [];
/** Days on which the handler fails for good. */
let failsOn: number[] = [];
let startMs = 0;

@DelayTaskHandler(Remind)
class Reminders {
  handle({ dueAt, attempt }: DelayTask): void {
    const day = Math.round((dueAt.getTime() - startMs) / DAY_MS);
    calls.push({ day, attempt });
    if (failsOn.includes(day)) throw new NonRetryableError("no address");
  }
}

afterEach(async () => {
  await app?.close();
  [calls, failsOn] = [[], []];
});

async function open() {
  const imports = [DelayTaskTestingModule.forRoot()];
  app = await Test.createTestingModule({ imports, providers: [Reminders] }).compile();
  await app.init();
  const tasks = DelayTaskTesting.of(app);
  startMs = tasks.now.getTime();
  return { tasks, service: app.get(DelayTaskService) };
}

const days = (): number[] => calls.map(({ day }) => day);

describe("a series", () => {
  test("a series runs at each of its instants, one task at a time under one key", async () => {
    const { tasks, service } = await open();
    const series = await service.scheduleSeries(Remind, { orderId: "1" }, { at: ["1d", "3d", "7d"], key: "1" });
    expect(series.task.later).toHaveLength(2);
    await tasks.advance("1d");
    const { items } = await service.find(Remind, { key: "1", live: true });
    expect(items).toMatchObject([{ key: "1", payload: { orderId: "1" }, continues: series.task.id }]);
    expect(items[0]!.later).toHaveLength(1);
    await tasks.advance("6d");
    expect(days()).toEqual([1, 3, 7]);
    await tasks.advance("30d");
    expect(days()).toEqual([1, 3, 7]);
  });

  test("a series is ended by one cancel of its key, and its key is free for another", async () => {
    const { tasks, service } = await open();
    const options = { at: ["1d", "3d", "7d"], key: "1" } as const;
    await service.scheduleSeries(Remind, { orderId: "1" }, options);
    await tasks.advance("2d");
    expect(await service.cancelByKey(Remind, "1")).toMatchObject({ outcome: "cancelled" });
    await tasks.advance("30d");
    expect(days()).toEqual([1]);
    expect(await service.scheduleSeries(Remind, { orderId: "1" }, options)).toMatchObject({ outcome: "created" });
  });

  test("a series goes on behind a task that dies", async () => {
    const { tasks, service } = await open();
    failsOn = [1];
    await service.scheduleSeries(Remind, { orderId: "1" }, { at: ["1d", "3d"], key: "1" });
    await tasks.advance("3d");
    expect(days()).toEqual([1, 3]);
    expect((await service.find(Remind, { states: ["dead"] })).items).toHaveLength(1);
  });

  test("a series of a live key is refused, answered with the live one, or put in its place as a whole", async () => {
    const { tasks, service } = await open();
    const at = ["1d", "3d"] as const;
    const first = await service.scheduleSeries(Remind, { orderId: "1" }, { at, key: "1" });
    const again = (onConflict: "reject" | "return" | "replace") =>
      service.scheduleSeries(Remind, { orderId: "1" }, { at: ["2d", "5d"], key: "1", onConflict });
    await expect(again("reject")).rejects.toMatchObject({ code: "TASK_KEY_CONFLICT" });
    expect(await again("return")).toMatchObject({ outcome: "existing", task: { id: first.task.id } });
    expect(await again("replace")).toMatchObject({ outcome: "replaced" });
    await tasks.advance("30d");
    expect(days()).toEqual([2, 5]);
  });

  test("a series is paused and resumed by its key", async () => {
    const { tasks, service } = await open();
    await service.scheduleSeries(Remind, { orderId: "1" }, { at: ["1d", "3d"], key: "1" });
    await tasks.advance("2d");
    await service.pauseByKey(Remind, "1");
    await tasks.advance("10d");
    expect(days()).toEqual([1]);
    await service.resumeByKey(Remind, "1");
    await tasks.advance("1d");
    expect(calls).toHaveLength(2);
  });

  test("a series is refused with every fault", async () => {
    const { service } = await open();
    const wrong = { at: ["2d", "1d"], key: "", delay: "1d" } as never;
    await expect(service.scheduleSeries(Remind, { orderId: "1" }, wrong)).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: expect.arrayContaining([
        expect.objectContaining({ path: "at[1]" }),
        expect.objectContaining({ path: "delay" }),
        expect.objectContaining({ path: "key" }),
      ]),
    });
  });
});
